import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { isHttpUp, isSoon } from '../../../dev/system/probes.ts';
import {
  createProcesses,
  type Processes,
  type ProcessSpec,
} from '../../../dev/system/processes.ts';
import { isGone, readUntil, runTypeScript } from './fixtures/run.ts';

describe('processes', () => {
  let reports: string[];
  let processes: Processes;
  beforeEach(() => {
    reports = [];
    processes = createProcesses((text) => reports.push(text));
  });
  afterEach(async () => {
    await processes.stopAll();
    await rm(processes.folder, { recursive: true, force: true });
  });

  const shell = (script: string, more: Partial<ProcessSpec> = {}): ProcessSpec => ({
    name: 'shell',
    command: '/bin/sh',
    args: ['-c', script],
    isReady: async () => true,
    readyWithinMs: 2_000,
    ...more,
  });

  async function serverSpec(): Promise<ProcessSpec> {
    const port = await takeFreePort();
    const script = `require('http').createServer((_, r) => r.end(String(process.pid))).listen(${port}, '127.0.0.1')`;
    const isReady = async () => await isHttpUp(`http://127.0.0.1:${port}/`);
    return {
      name: 'server',
      command: process.execPath,
      args: ['-e', script],
      isReady,
      readyWithinMs: 10_000,
    };
  }

  it('end with their parent, however it ends, and leave only logs', async () => {
    const parent = runTypeScript('test/integration/dev/fixtures/parent.ts');
    const said = JSON.parse(await readUntil(parent, /\n/)) as {
      pids: number[];
      dataFolder: string;
      folder: string;
    };
    parent.kill('SIGKILL');
    for (const pid of said.pids) assert.ok(await isGone(pid), `process ${pid} lives on`);
    assert.ok(await isSoon(async () => !existsSync(said.dataFolder), { withinMs: 60_000 }));
    await rm(said.folder, { recursive: true });
  });

  it('are reported with the end of their log where they die by themselves', async () => {
    const handle = await processes.start(shell('sleep 0.2; echo the reason >&2; exit 7'));
    await handle.exited;
    assert.ok(await isSoon(async () => reports.length > 0, { withinMs: 60_000 }));
    assert.match(reports[0] ?? '', /shell ended unexpectedly \(code 7\)[^]*the reason/);
    await processes.stopAll();
    assert.ok(existsSync(handle.logFile), 'the log of a failure is kept');
  });

  it('fail at once where they end before they serve, and in time where they never do', async () => {
    const never = async () => false;
    await assert.rejects(
      processes.start(shell('echo no port; exit 1', { isReady: never })),
      /code 1[^]*no port/,
    );
    const slow = shell('exec sleep 60', { isReady: never, readyWithinMs: 200 });
    await assert.rejects(processes.start(slow), /did not serve within 200 ms/);
    await assert.rejects(
      processes.start({ ...slow, command: '/no/such/program' }),
      /could not be started/,
    );
  });

  it('can be killed, restarted, paused and resumed without being reported', async () => {
    const spec = await serverSpec();
    const handle = await processes.start(spec);
    const first = handle.pid;
    await handle.kill();
    assert.equal(handle.isRunning, false);
    assert.equal(await spec.isReady(), false);
    await handle.restart();
    assert.notEqual(handle.pid, first);
    await handle.pause();
    assert.equal(await spec.isReady(), false);
    handle.resume();
    assert.ok(await isSoon(spec.isReady, { withinMs: 60_000 }));
    assert.deepEqual(reports, []);
  });

  it('stop even where they are paused or deaf to SIGTERM, and nothing is left', async () => {
    const paused = await processes.start(await serverSpec());
    await paused.pause();
    const deaf = await processes.start(
      shell("trap '' TERM; while :; do sleep 1; done", { stopWithinMs: 300 }),
    );
    await processes.stopAll();
    assert.ok((await isGone(paused.pid)) && (await isGone(deaf.pid)));
    assert.equal(existsSync(processes.folder), false);
  });

  it('do not see the settings of the developer', async () => {
    process.env['VGW_REGION'] = 'elsewhere';
    const isReady = async () => true;
    const handle = await processes.start(shell('echo "[$VGW_REGION]" >&2; exit 1', { isReady }));
    delete process.env['VGW_REGION'];
    await handle.exited;
    assert.ok(await isSoon(async () => /\[\]/.test(reports[0] ?? ''), { withinMs: 60_000 }));
  });
});
