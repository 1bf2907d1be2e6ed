import assert from 'node:assert/strict';
import type { ObjectCopyDeps } from '../../../activities/copy-object.ts';
import { PART_BYTES, targetKeyOf } from '../../../domain/migration/copying.ts';
import { ALL, CASES, HELD, IN_PARTS, THROUGH, type Fault } from './copy-cases.ts';
import {
  copyErrorOf,
  createCopyWorld,
  isAtTarget,
  nothingIsLeft,
  SOURCE_BUCKET,
  type CopyWorld,
  type Seeded,
} from './copy-world.ts';

/** Short enough to wait for where a store hangs. */
const IDLE_MS = 1_500;

describe('copying an object that fails', () => {
  let world: CopyWorld;
  let made = 0;
  before(async () => {
    world = await createCopyWorld({ idleMs: IDLE_MS });
  });
  afterEach(() => {
    world.source.clearFaults();
    world.target.clearFaults();
  });
  after(() => world.close());

  const seed = (object: Omit<Seeded, 'key'>) => {
    made += 1;
    return world.seed({ key: `failing/${made}`, ...object });
  };

  for (const { what, sizes, at, fault, code, isTransient, failure } of CASES) {
    for (const size of sizes) {
      it(`says ${code} of ${what}, at ${size} bytes`, async () => {
        const entry = await seed({ size });
        world[at].addFault(fault);
        const error = await copyErrorOf(world.copy(entry));
        assert.deepEqual([error.code, error.isTransient, error.side], [code, isTransient, at]);
        assert.equal(error.storeFailure, failure);
        assert.match(error.message, /^[a-z ,]+$/);
        await nothingIsLeft(world);
      });
    }
  }

  for (const size of ALL) {
    it(`says what became of a source that is gone, other, or archived, at ${size} bytes`, async () => {
      const gone = await seed({ size });
      await world.stores.source.delete(gone.key);
      const missing = await copyErrorOf(world.copy(gone));
      assert.deepEqual([missing.code, missing.isTransient], ['source_missing', false]);
      const other = await seed({ size });
      const changed = await copyErrorOf(world.copy({ ...other, etag: 'f'.repeat(32) }));
      assert.deepEqual([changed.code, changed.isTransient], ['source_changing', true]);
      const cold = await seed({ size, storageClass: 'GLACIER' });
      const archived = await copyErrorOf(world.copy(cold));
      assert.deepEqual([archived.code, archived.isTransient], ['needs_restore', false]);
      await nothingIsLeft(world);
    });
  }

  for (const size of [HELD, THROUGH]) {
    it(`says source_incomplete where the bytes are not those of the source's MD5, at ${size} bytes`, async () => {
      const entry = await seed({ size, etag: 'a'.repeat(32) });
      const error = await copyErrorOf(world.copy(entry));
      assert.deepEqual(
        [error.code, error.isTransient, error.side],
        ['source_incomplete', true, 'source'],
      );
      await nothingIsLeft(world);
    });
  }

  it('holds the MD5 of a large object that was put as a whole against its ETag', async () => {
    const entry = await seed({ size: IN_PARTS, etag: 'a'.repeat(32) });
    const error = await copyErrorOf(world.copy(entry));
    assert.equal(error.code, 'source_incomplete');
    await nothingIsLeft(world);
  });

  it('says target_differs of a target that says another ETag, and takes the object away', async () => {
    const { target } = world.stores;
    const lying = {
      ...target,
      write: async (...given: Parameters<typeof target.write>) => {
        await target.write(...given);
        return 'b'.repeat(32);
      },
    };
    for (const size of [HELD, THROUGH]) {
      const error = await copyErrorOf(world.copy(await seed({ size }), { target: lying }));
      assert.deepEqual(
        [error.code, error.isTransient, error.side],
        ['target_differs', true, 'target'],
      );
    }
    await nothingIsLeft(world);
  });

  it('says source_changing where an object is overwritten between its parts', async () => {
    const entry = await seed({ size: IN_PARTS });
    const overwrite = () =>
      world.source.seed({
        bucket: SOURCE_BUCKET,
        objects: [{ key: entry.key, size: IN_PARTS, seed: 'another' }],
      });
    const error = await copyErrorOf(world.copy(entry, { onUpload: overwrite }));
    assert.deepEqual([error.code, error.isTransient], ['source_changing', true]);
    await nothingIsLeft(world);
  });

  const passing: [string, 'source' | 'target', Fault][] = [
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
  for (const [what, at, fault] of passing) {
    it(`outlives, by trying a part again, ${what}`, async () => {
      const entry = await seed({ size: IN_PARTS });
      world[at].addFault(fault);
      const { sha256 } = await world.copy(entry);
      await isAtTarget(world, entry, sha256);
      await world.stores.target.delete(targetKeyOf(SOURCE_BUCKET, entry.key));
      await nothingIsLeft(world);
    });
  }

  it('aborts the upload also where the target is busy for a moment', async () => {
    const entry = await seed({ size: IN_PARTS });
    world.target.addFault({ effect: 'access_denied', operation: 'UploadPart' });
    world.target.addFault({ effect: 'slow_down', operation: 'AbortMultipartUpload', times: 1 });
    assert.equal((await copyErrorOf(world.copy(entry))).code, 'target_refused');
    await nothingIsLeft(world);
  });

  for (const size of ALL) {
    it(`stops at once where it is called off, at ${size} bytes`, async () => {
      const entry = await seed({ size });
      const reason = new Error('called off');
      for (const at of ['source', 'target'] as const) {
        world[at].addFault({
          effect: 'hang',
          operation: at === 'source' ? 'GetObject' : size > PART_BYTES ? 'UploadPart' : 'PutObject',
        });
        const stop = new AbortController();
        const deps: Partial<ObjectCopyDeps> = { signal: stop.signal };
        setTimeout(() => stop.abort(reason), 50);
        await assert.rejects(world.copy(entry, deps), (error) => error === reason);
        world[at].clearFaults();
        await nothingIsLeft(world);
      }
    });
  }
});
