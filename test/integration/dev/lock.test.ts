import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withLock } from '../../../dev/system/lock.ts';

describe('a lock between processes', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'));
    file = join(folder, 'lock');
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  /** How many of `count` contenders were inside at the same time, at most. */
  async function contend(count: number): Promise<{ most: number; total: number }> {
    let inside = 0;
    let most = 0;
    let total = 0;
    const enter = async () => {
      inside += 1;
      total += 1;
      most = Math.max(most, inside);
      await delay(5);
      inside -= 1;
    };
    const options = { pollMs: 2, timeoutMs: 10_000 };
    await Promise.all(
      Array.from({ length: count }, async () => await withLock(file, enter, options)),
    );
    return { most, total };
  }

  const deadPid = () => spawnSync('true').pid;
  const leave = async (path: string, token: string, pid = deadPid()) =>
    await writeFile(path, JSON.stringify({ pid, token }));

  it('admits one process at a time, and all of them in the end', async () => {
    assert.deepEqual(await contend(20), { most: 1, total: 20 });
    assert.equal(existsSync(file), false);
  });

  it('is taken over from a dead process by one only', async () => {
    await leave(file, 'dead');
    assert.deepEqual(await contend(20), { most: 1, total: 20 });
  });

  it('is taken over even after a process died during the takeover', async () => {
    await leave(file, 'dead');
    await leave(`${file}.after-dead`, 'died-too');
    assert.deepEqual(await contend(20), { most: 1, total: 20 });
  });

  it('is not taken from a living process, and the error names the file', async () => {
    await leave(file, 'alive', process.pid);
    const waiting: number[] = [];
    const options = { pollMs: 5, timeoutMs: 50, onWait: (pid: number) => void waiting.push(pid) };
    await assert.rejects(
      withLock(file, async () => {}, options),
      (error: Error) => error.message.includes(file),
    );
    assert.deepEqual(waiting, [process.pid]);
  });

  it('is free again after a failure inside', async () => {
    await assert.rejects(
      withLock(file, async () => await Promise.reject(new Error('inside'))),
      /inside/,
    );
    assert.equal(await withLock(file, async () => 'free'), 'free');
  });
});
