import assert from 'node:assert/strict';
import type { ObjectCopyDeps } from '../../activities/object-copy/copy-io.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { toTargetKey } from '../../domain/migration/copying.ts';
import { ALL, CASES, HELD, IN_PARTS, THROUGH, type Fault } from '../harness/object-copy-cases.ts';
import {
  copyErrorOf,
  createCopyHarness,
  isAtTarget,
  nothingIsLeft,
  SOURCE_BUCKET,
  TARGET_BUCKET,
  type CopyHarness,
  type Seeded,
} from '../harness/object-copy.ts';

/** Short enough to wait for where a store hangs. */
const IDLE_MS = 1_500;

describe('copying an object that fails', () => {
  let harness: CopyHarness;
  let made = 0;
  before(async () => {
    harness = await createCopyHarness({ idleMs: IDLE_MS });
  });
  afterEach(() => {
    harness.source.clearFaults();
    harness.target.clearFaults();
  });
  after(() => harness.close());

  const seed = (object: Omit<Seeded, 'key'>) => {
    made += 1;
    return harness.seed({ key: `failing/${made}`, ...object });
  };

  for (const { what, sizes, at, fault, code, isTransient, failure } of CASES) {
    for (const size of sizes) {
      it(`reports ${code} for ${what}, at ${size} bytes`, async () => {
        const entry = await seed({ size });
        harness[at].addFault(fault);
        const error = await copyErrorOf(harness.copy(entry));
        assert.deepEqual([error.code, error.isTransient, error.side], [code, isTransient, at]);
        assert.equal(error.storeFailure, failure);
        assert.match(error.message, /^[a-z ,]+$/);
        await nothingIsLeft(harness);
      });
    }
  }

  for (const size of ALL) {
    it(`reports a source that was deleted, changed or archived, at ${size} bytes`, async () => {
      const gone = await seed({ size });
      await harness.stores.source.delete(gone.key);
      const missing = await copyErrorOf(harness.copy(gone));
      assert.deepEqual([missing.code, missing.isTransient], ['source_missing', false]);
      const other = await seed({ size });
      const changed = await copyErrorOf(harness.copy({ ...other, etag: 'f'.repeat(32) }));
      assert.deepEqual([changed.code, changed.isTransient], ['source_changing', true]);
      const cold = await seed({ size, storageClass: 'GLACIER' });
      const archived = await copyErrorOf(harness.copy(cold));
      assert.deepEqual([archived.code, archived.isTransient], ['needs_restore', false]);
      await nothingIsLeft(harness);
    });
  }

  for (const size of [HELD, THROUGH]) {
    it(`reports source_incomplete if the bytes do not match the source's MD5, at ${size} bytes`, async () => {
      const entry = await seed({ size, etag: 'a'.repeat(32) });
      const error = await copyErrorOf(harness.copy(entry));
      assert.deepEqual(
        [error.code, error.isTransient, error.side],
        ['source_incomplete', true, 'source'],
      );
      await nothingIsLeft(harness);
    });
  }

  it('holds the MD5 of a large object that was put as a whole against its ETag', async () => {
    const entry = await seed({ size: IN_PARTS, etag: 'a'.repeat(32) });
    const error = await copyErrorOf(harness.copy(entry));
    assert.equal(error.code, 'source_incomplete');
    await nothingIsLeft(harness);
  });

  it('reports target_differs if the target answers another ETag, and deletes the object', async () => {
    const { target } = harness.stores;
    const lying = {
      ...target,
      write: async (...given: Parameters<typeof target.write>) => {
        await target.write(...given);
        return 'b'.repeat(32);
      },
    };
    for (const size of [HELD, THROUGH]) {
      const error = await copyErrorOf(harness.copy(await seed({ size }), { target: lying }));
      assert.deepEqual(
        [error.code, error.isTransient, error.side],
        ['target_differs', true, 'target'],
      );
    }
    await nothingIsLeft(harness);
  });

  it('does not delete an object that another writer stores before the comparison', async () => {
    const { target } = harness.stores;
    const entry = await seed({ size: HELD });
    const key = toTargetKey(SOURCE_BUCKET, entry.key);
    const overtaken = {
      ...target,
      write: async (...given: Parameters<typeof target.write>) => {
        await target.write(...given);
        const object = { key, text: 'by another writer' };
        harness.target.seed({ bucket: TARGET_BUCKET, objects: [object] });
        return 'b'.repeat(32);
      },
    };
    const error = await copyErrorOf(harness.copy(entry, { target: overtaken }));
    assert.equal(error.code, 'target_differs');
    assert.equal((await target.head(key))?.sizeBytes, 'by another writer'.length);
    await target.delete(key);
  });

  it('notes an upload that the target does not abort', async () => {
    const entry = await seed({ size: IN_PARTS });
    harness.target.addFault({ effect: 'access_denied', operation: 'UploadPart' });
    harness.target.addFault({ effect: 'access_denied', operation: 'AbortMultipartUpload' });
    const begun: string[] = [];
    const noted: { targetKey: string; uploadId: string }[] = [];
    const error = await copyErrorOf(
      harness.copy(entry, {
        onUpload: (uploadId) => void begun.push(uploadId),
        noteUnaborted: (upload) => Promise.resolve(void noted.push(upload)),
      }),
    );
    assert.equal(error.code, 'target_refused');
    const targetKey = toTargetKey(SOURCE_BUCKET, entry.key);
    assert.deepEqual(noted, [{ targetKey, uploadId: begun[0] }]);
    harness.target.clearFaults();
    await harness.stores.target.abortUpload(targetKey, begun[0] ?? '');
    await nothingIsLeft(harness);
  });

  it('reports source_changing if the object is overwritten between its parts', async () => {
    const entry = await seed({ size: IN_PARTS });
    const overwrite = () =>
      harness.source.seed({
        bucket: SOURCE_BUCKET,
        objects: [{ key: entry.key, size: IN_PARTS, seed: 'another' }],
      });
    const error = await copyErrorOf(harness.copy(entry, { onUpload: overwrite }));
    assert.deepEqual([error.code, error.isTransient], ['source_changing', true]);
    await nothingIsLeft(harness);
  });

  const transient: [string, 'source' | 'target', Fault][] = [
    [
      'a source that was busy twice',
      'source',
      { effect: 'slow_down', operation: 'GetObject', times: 2 },
    ],
    ['a source that hung up twice', 'source', { effect: 'cut', operation: 'GetObject', times: 2 }],
    [
      'a target that was busy for one part',
      'target',
      { effect: 'slow_down', operation: 'UploadPart', skip: 1, times: 2 },
    ],
    [
      'a target that hung up in a part',
      'target',
      { effect: 'cut', operation: 'UploadPart', times: 1 },
    ],
    [
      'an answer to the completion that was lost',
      'target',
      { effect: 'cut', at: 'response', operation: 'CompleteMultipartUpload', times: 2 },
    ],
  ];
  for (const [what, at, fault] of transient) {
    it(`outlives, by trying a part again, ${what}`, async () => {
      const entry = await seed({ size: IN_PARTS });
      harness[at].addFault(fault);
      const { sha256 } = await harness.copy(entry);
      await isAtTarget(harness, entry, sha256);
      await harness.stores.target.delete(toTargetKey(SOURCE_BUCKET, entry.key));
      await nothingIsLeft(harness);
    });
  }

  it('aborts the upload also where the target is busy for a moment', async () => {
    const entry = await seed({ size: IN_PARTS });
    harness.target.addFault({ effect: 'access_denied', operation: 'UploadPart' });
    harness.target.addFault({ effect: 'slow_down', operation: 'AbortMultipartUpload', times: 1 });
    assert.equal((await copyErrorOf(harness.copy(entry))).code, 'target_refused');
    await nothingIsLeft(harness);
  });

  for (const size of ALL) {
    it(`stops at once where it is called off, at ${size} bytes`, async () => {
      const entry = await seed({ size });
      const reason = new Error('called off');
      const { target } = harness.stores;
      const stop = new AbortController();
      const stopping: Partial<ObjectCopyDeps> = {
        signal: stop.signal,
        target: {
          ...target,
          write: (...given) => stopDuring(target.write(...given)),
          writePart: (...given) => stopDuring(target.writePart(...given)),
        },
      };
      const stopDuring = async (written: Promise<string>): Promise<string> => {
        stop.abort(reason);
        return await written;
      };
      await assert.rejects(harness.copy(entry, stopping), (error) => error === reason);
      await nothingIsLeft(harness);
    });

    it(`stops at once where it is called off while the source hangs, at ${size} bytes`, async () => {
      const entry = await seed({ size });
      harness.source.addFault({ effect: 'hang', operation: 'GetObject' });
      const reason = new Error('called off');
      const stop = new AbortController();
      setTimeout(() => stop.abort(reason), 50);
      const copy = harness.copy(entry, { signal: stop.signal });
      await assert.rejects(copy, (error) => error === reason);
      await nothingIsLeft(harness);
    });
  }

  it('awaits the answer to a write whose last byte was sent where it is called off', async () => {
    const entry = await seed({ size: HELD });
    harness.target.addFault({ effect: 'latency', operation: 'PutObject', latencyMs: 1_000 });
    const stop = new AbortController();
    const copy = harness.copy(entry, { signal: stop.signal });
    const isSent = () =>
      harness.target
        .requests()
        .some((request) => request.key?.endsWith(entry.key) && request.operation === 'PutObject');
    assert.ok(await isSoon(() => Promise.resolve(isSent()), { withinMs: 10_000, everyMs: 5 }));
    stop.abort(new Error('called off'));
    await isAtTarget(harness, entry, (await copy).sha256);
    await harness.stores.target.delete(toTargetKey(SOURCE_BUCKET, entry.key));
  });
});
