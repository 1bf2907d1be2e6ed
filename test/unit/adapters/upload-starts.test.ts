import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { UploadStarts, type UploadStart } from '../../../adapters/temporal/upload-starts.ts';
import { AppError } from '../../../domain/common/errors.ts';
import type { FileRecord } from '../../../domain/uploads/file.ts';
import { describeFile } from '../../harness/described-file.ts';
import { eventually } from '../../harness/customer.ts';

const PLACES = 1_000;
const AT_ONCE = 50;

describe('the queue of the starts of uploads', () => {
  /** A queue before a Temporal that answers when it is told to. */
  function open({ remainingMs = 60_000 } = {}) {
    const waiting: { readonly file: FileRecord; readonly end: (error?: Error) => void }[] = [];
    const noted: string[] = [];
    const noting = { now: 0, most: 0 };
    const failed: unknown[] = [];
    const temporal = { isAway: false };
    const starts = new UploadStarts({
      uploads: {
        startUpload: (file) =>
          new Promise((resolve, reject) =>
            waiting.push({ file, end: (error) => (error ? reject(error) : resolve()) }),
          ),
      },
      temporal: {
        ping: () => (temporal.isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
      },
      async noteDropped({ fileId }) {
        noting.now += 1;
        noting.most = Math.max(noting.most, noting.now);
        await turn();
        noting.now -= 1;
        noted.push(fileId);
      },
      deadline: { remainingMs: () => remainingMs },
      onBackgroundError: (error) => void failed.push(error),
    });
    const take = async (): Promise<UploadStart> => (await starts.reserve()) ?? assert.fail();
    const begin = async () => {
      const file = describeFile(new Date());
      (await take()).begin(file);
      await turn();
      return file;
    };
    const fill = () => Promise.all(Array.from({ length: PLACES }, begin));
    return { starts, temporal, waiting, noted, noting, failed, take, begin, fill };
  }

  it('starts some at once, the others behind them, and nobody waits for the answers', async () => {
    const { starts, waiting, fill } = open();
    await fill();
    assert.deepEqual([starts.queued, waiting.length], [PLACES, AT_ONCE]);
    for (let at = 0; at < PLACES; at += 1) {
      (waiting[at] ?? assert.fail()).end();
      await turn();
    }
    await eventually('all are started', () => Promise.resolve(starts.queued === 0));
    assert.equal(waiting.length, PLACES);
    assert.equal(starts.dropped, 0);
  });

  it('lets a call wait for a place, until a second before its answer is due', async () => {
    const { starts, waiting, fill, take } = open();
    await fill();
    const next = take();
    waiting[0]?.end();
    (await next).cancel();
    (await take()).cancel();
    const late = open({ remainingMs: 1_100 });
    await late.fill();
    const began = Date.now();
    assert.equal(await late.starts.reserve(), undefined);
    assert.ok(Date.now() - began < 1_000);
    assert.deepEqual([starts.dropped, late.starts.dropped], [0, 1]);
  });

  it('drops at once while Temporal is away, notes what was under way, and goes on when it is back', async () => {
    const { starts, temporal, waiting, noted, noting, begin, take, fill } = open();
    temporal.isAway = true;
    await fill();
    const blocked = starts.reserve();
    waiting[0]?.end(new AppError('unavailable'));
    assert.equal(await blocked, undefined, 'nobody waits any longer');
    assert.equal(await starts.reserve(), undefined);
    for (const { end } of waiting) end(new AppError('unavailable'));
    await eventually('all are noted', () => Promise.resolve(noted.length === PLACES));
    assert.equal(starts.dropped, PLACES + 2);
    assert.equal(noting.most, AT_ONCE, 'the database is not asked for all at once');
    temporal.isAway = false;
    await eventually('it is back', async () => {
      const start = await starts.reserve();
      start?.cancel();
      return start !== undefined;
    });
    const { fileId } = await begin();
    assert.equal(waiting.at(-1)?.file.fileId, fileId);
    (await take()).cancel();
    await starts.close(0);
  });

  it('drops and notes a start that fails, and tells why', async () => {
    const { starts, waiting, noted, failed, begin } = open();
    const { fileId } = await begin();
    const error = new Error('a defect');
    waiting[0]?.end(error);
    await eventually('it is noted', () => Promise.resolve(noted.length === 1));
    assert.deepEqual([noted, failed, starts.dropped], [[fileId], [error], 1]);
  });

  it('starts what is queued before it closes, and drops what has no answer by then', async () => {
    const { starts, waiting, noted, begin } = open();
    await begin();
    const closed = starts.close(5_000);
    waiting[0]?.end();
    await closed;
    assert.deepEqual(noted, []);
    const other = open();
    await other.fill();
    await other.starts.close(100);
    // Those under way are not known to be lost.
    await eventually('the others are noted', async () => other.noted.length === PLACES - AT_ONCE);
  });
});
