import assert from 'node:assert/strict';
import { createMigrateObject } from '../../activities/migrations/migrate-object.ts';
import { createAdaptiveConcurrency } from '../../adapters/object-store/adaptive-concurrency.ts';
import { abortUpload } from '../../copy/target-check.ts';
import type { ObjectWriteDeps } from '../../copy/types.ts';
import type { StoreFailure } from '../../adapters/object-store/errors.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { PART_BYTES } from '../../domain/common/parts.ts';
import { toTargetKey } from '../../domain/migrations/copying.ts';
import type { ObjectFailure } from '../../domain/migrations/object-ledger.ts';
import {
  copyErrorOf,
  createCopyHarness,
  isAtTarget,
  MIB,
  nothingIsLeft,
  SOURCE_BUCKET,
  TARGET_BUCKET,
  type CopyHarness,
  type Seeded,
} from '../harness/object-copy.ts';

type Fault = Parameters<AwsDouble['addFault']>[0];
/** What fails, at which side, and what becomes of an object of each of the sizes. */
type Case = readonly [
  what: string,
  fault: readonly [Fault['effect'], operation: string, skip?: number],
  sizes: readonly number[],
  code: ObjectFailure,
  failure?: StoreFailure,
];

/** Short enough to wait for where a store hangs. */
const IDLE_MS = 1_500;
const HELD = 100_000;
const THROUGH = 9 * MIB;
const IN_PARTS = PART_BYTES + MIB;
const ALL = [HELD, THROUGH, IN_PARTS];
const WHOLE = [HELD, THROUGH];
const PARTS = [IN_PARTS];
const LASTING: ReadonlySet<ObjectFailure> = new Set(['source_refused', 'target_refused']);

const CASES: readonly Case[] = [
  ['sends half, in good order', ['truncate', 'GetObject'], ALL, 'source_incomplete'],
  ['hangs up in the middle', ['cut', 'GetObject'], ALL, 'source_unavailable', 'unreachable'],
  ['is busy', ['slow_down', 'GetObject'], ALL, 'source_unavailable', 'throttled'],
  ['is broken', ['internal_error', 'GetObject'], [HELD], 'source_unavailable', 'failed'],
  ['hangs', ['hang', 'GetObject'], [HELD], 'source_unavailable', 'timed_out'],
  ['refuses', ['access_denied', 'GetObject'], ALL, 'source_refused', 'access_denied'],
  ['is busy', ['slow_down', 'PutObject'], WHOLE, 'target_unavailable', 'throttled'],
  ['hangs', ['hang', 'PutObject'], WHOLE, 'target_unavailable', 'timed_out'],
  ['hangs up', ['cut', 'PutObject'], WHOLE, 'target_unavailable', 'unreachable'],
  ['refuses', ['access_denied', 'PutObject'], WHOLE, 'target_refused', 'access_denied'],
  [
    'refuses uploads',
    ['access_denied', 'CreateMultipartUpload'],
    PARTS,
    'target_refused',
    'access_denied',
  ],
  ['refuses parts', ['access_denied', 'UploadPart'], PARTS, 'target_refused', 'access_denied'],
  ['is busy for parts', ['slow_down', 'UploadPart'], PARTS, 'target_unavailable', 'throttled'],
  [
    'hangs up on the second part',
    ['cut', 'UploadPart', 1],
    PARTS,
    'target_unavailable',
    'unreachable',
  ],
  [
    'cannot complete',
    ['internal_error', 'CompleteMultipartUpload'],
    PARTS,
    'target_unavailable',
    'failed',
  ],
];

const sideOf = (operation?: string) => (operation === 'GetObject' ? 'source' : 'target');

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

  /** A copy ends with this error, and leaves nothing at the target. */
  async function assertFails(
    copy: Promise<unknown>,
    code: ObjectFailure,
    isTransient: boolean,
  ): Promise<void> {
    const error = await copyErrorOf(copy);
    const side = code.startsWith('target') ? 'target' : 'source';
    assert.deepEqual([error.code, error.isTransient, error.side], [code, isTransient, side]);
    await nothingIsLeft(harness);
  }

  for (const [what, [effect, operation, skip = 0], sizes, code, failure] of CASES) {
    for (const size of sizes) {
      it(`reports ${code} where a ${sideOf(operation)} ${what}, at ${size} bytes`, async () => {
        const side = sideOf(operation);
        const entry = await seed({ size });
        harness[side].addFault({ effect, operation, skip });
        const error = await copyErrorOf(harness.copy(entry));
        assert.deepEqual([error.code, error.side], [code, side]);
        assert.deepEqual([error.isTransient, error.storeFailure], [!LASTING.has(code), failure]);
        assert.match(error.message, /^[a-z ,]+$/);
        await nothingIsLeft(harness);
      });
    }
  }

  for (const size of ALL) {
    it(`reports a source that was deleted, changed or archived, at ${size} bytes`, async () => {
      const gone = await seed({ size });
      await harness.stores.source.delete(gone.key);
      await assertFails(harness.copy(gone), 'source_missing', false);
      const changed = { ...(await seed({ size })), etag: 'f'.repeat(32) };
      await assertFails(harness.copy(changed), 'source_changing', true);
      const archived = await seed({ size, storageClass: 'GLACIER' });
      await assertFails(harness.copy(archived), 'needs_restore', false);
    });

    it(`reports source_incomplete if the bytes do not match the source's MD5, at ${size} bytes`, async () => {
      const entry = await seed({ size, etag: 'a'.repeat(32) });
      await assertFails(harness.copy(entry), 'source_incomplete', true);
    });
  }

  for (const size of ALL)
    for (const contentMd5 of [false, true]) {
      const given = `at ${size} bytes, where the target ${contentMd5 ? 'refuses' : 'was not seen to refuse'} other bytes`;
      it(`catches a bit that flips before it is hashed or after, ${given}`, async () => {
        const { source, target } = harness.stores;
        const flipped = async function* (body: Buffer | AsyncIterable<Buffer>) {
          let isFirst = true;
          for await (const piece of Buffer.isBuffer(body) ? [body] : body) {
            const sent = Buffer.from(piece);
            if (isFirst) sent.writeUInt8(sent.readUInt8(0) ^ 1, 0);
            isFirst = false;
            yield sent;
          }
        };
        const atSource: Partial<ObjectWriteDeps> = {
          source: {
            ...source,
            async open(...request) {
              const opened = await source.open(...request);
              return { ...opened, body: flipped(opened.body) };
            },
          },
        };
        const onTheWay: Partial<ObjectWriteDeps> = {
          target: {
            ...target,
            write: (key, body, options) =>
              target.write(key, { ...body, body: flipped(body.body) }, options),
            writePart: (key, id, part, body, options) =>
              target.writePart(key, id, part, { ...body, body: flipped(body.body) }, options),
          },
        };
        // The ETag of an object that came in parts says nothing of what the source sends.
        const flipping = size === IN_PARTS ? [onTheWay] : [atSource, onTheWay];
        for (const overrides of flipping) {
          const copy = harness.copy(await seed({ size }), {
            ...overrides,
            capabilities: { contentMd5 },
          });
          const { code, isTransient } = await copyErrorOf(copy);
          assert.ok(isTransient, code);
          assert.match(code, /^(source_incomplete|target_(differs|rejected))$/);
          await nothingIsLeft(harness);
        }
      });
    }

  it('reports target_differs if the target answers another ETag, and deletes the object', async () => {
    const { target } = harness.stores;
    const etag = 'b'.repeat(32);
    const other: typeof target = {
      ...target,
      write: async (...given) => {
        return { ...(await target.write(...given)), etag };
      },
      head: async (...given) => {
        const found = await target.head(...given);
        return found && { ...found, etag };
      },
    };
    for (const size of WHOLE)
      await assertFails(
        harness.copy(await seed({ size }), { target: other }),
        'target_differs',
        true,
      );
  });

  it('is copied twice at most where the target answers another ETag', async () => {
    const { target } = harness.stores;
    const etag = 'b'.repeat(32);
    let writes = 0;
    const other: typeof target = {
      ...target,
      async write(...given) {
        writes += 1;
        return { ...(await target.write(...given)), etag };
      },
      async head(...given) {
        const found = await target.head(...given);
        return found && { ...found, etag };
      },
    };
    const wait = () => Promise.resolve();
    const clock = { now: () => performance.now(), random: Math.random, wait };
    const migrateObject = createMigrateObject({
      ...harness.deps({ target: other }),
      keyPrefix: '',
      concurrency: createAdaptiveConcurrency(clock, 1),
      now: () => new Date(),
      maxGrowthBytes: 0,
      checkStore: wait,
    });
    const line = await migrateObject(await seed({ size: HELD }), {
      present: null,
      noted: { line: null, written: () => Promise.resolve(null), isNamed: () => false },
      name: wait,
      onConfirmed: () => undefined,
    });
    assert.deepEqual([line.outcome, line.code, line.attempts], ['failed', 'target_differs', 2]);
    assert.equal(writes, 2);
  });

  it('does not delete an object that another writer stores before the comparison', async () => {
    const { target } = harness.stores;
    const entry = await seed({ size: HELD });
    const key = toTargetKey(SOURCE_BUCKET, entry.key);
    const overtaken = {
      ...target,
      write: async (...given: Parameters<typeof target.write>) => {
        const written = await target.write(...given);
        const object = { key, text: 'by another writer' };
        harness.target.seed({ bucket: TARGET_BUCKET, objects: [object] });
        return { ...written, etag: 'b'.repeat(32) };
      },
    };
    const error = await copyErrorOf(harness.copy(entry, { target: overtaken }));
    assert.equal(error.code, 'target_differs');
    assert.equal((await target.head(key))?.sizeBytes, 'by another writer'.length);
    await target.delete(key);
  });

  for (const size of ALL)
    it(`reports target_rejected for metadata that cannot be sent, at ${size} bytes`, async () => {
      const { source } = harness.stores;
      const headers = { 'x-amz-meta-note': 'a control character: \u0001' };
      const odd: typeof source = {
        ...source,
        open: async (...given) => ({ ...(await source.open(...given)), headers }),
        head: async (...given) => {
          const found = await source.head(...given);
          return found && { ...found, headers };
        },
      };
      const copy = harness.copy(await seed({ size }), { source: odd });
      await assertFails(copy, 'target_rejected', false);
    });

  it('keeps the note of an upload that the target does not abort', async () => {
    const entry = await seed({ size: IN_PARTS });
    harness.target.addFault({ effect: 'access_denied', operation: 'UploadPart' });
    harness.target.addFault({ effect: 'access_denied', operation: 'AbortMultipartUpload' });
    const error = await copyErrorOf(harness.copy(entry));
    assert.equal(error.code, 'target_refused');
    for (const upload of harness.uploads.all()) await abortUpload(harness.deps(), upload);
    const noted = harness.uploads.all().map(({ targetKey }) => targetKey);
    assert.deepEqual(noted, [toTargetKey(SOURCE_BUCKET, entry.key)]);
    harness.target.clearFaults();
    await nothingIsLeft(harness);
  });

  it('reports source_changing if the object is overwritten between its parts', async () => {
    const entry = await seed({ size: IN_PARTS });
    const objects = [{ key: entry.key, size: IN_PARTS, seed: 'another' }];
    const uploads: ObjectWriteDeps['uploads'] = {
      ...harness.uploads,
      async note(upload) {
        await harness.uploads.note(upload);
        harness.source.seed({ bucket: SOURCE_BUCKET, objects });
      },
    };
    await assertFails(harness.copy(entry, { uploads }), 'source_changing', true);
  });

  it('aborts the upload also where the target is busy for a moment', async () => {
    const entry = await seed({ size: IN_PARTS });
    harness.target.addFault({ effect: 'access_denied', operation: 'UploadPart' });
    harness.target.addFault({ effect: 'slow_down', operation: 'AbortMultipartUpload', times: 1 });
    const error = await copyErrorOf(harness.copy(entry));
    assert.equal(error.code, 'target_refused');
    for (const upload of harness.uploads.all()) await abortUpload(harness.deps(), upload);
    assert.deepEqual(harness.uploads.all(), []);
    await nothingIsLeft(harness);
  });

  for (const size of ALL) {
    it(`stops at once where it is called off, at ${size} bytes`, async () => {
      const entry = await seed({ size });
      const reason = new Error('called off');
      const { target } = harness.stores;
      const stop = new AbortController();
      const stopping: Partial<ObjectWriteDeps> = {
        signal: stop.signal,
        target: {
          ...target,
          write: (...given) => stopDuring(target.write(...given)),
          writePart: (...given) => stopDuring(target.writePart(...given)),
        },
      };
      const stopDuring = async <Written>(written: Promise<Written>): Promise<Written> => {
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

  for (const [size, operation] of [
    [HELD, 'PutObject'],
    [IN_PARTS, 'CompleteMultipartUpload'],
  ] as const)
    it(`awaits the answer to a ${operation} whose last byte was sent where it is called off`, async () => {
      const entry = await seed({ size });
      harness.target.addFault({ effect: 'latency', operation, latencyMs: 1_000 });
      const stop = new AbortController();
      const copy = harness.copy(entry, { signal: stop.signal });
      const isSent = () =>
        harness.target
          .requests()
          .some((request) => request.key?.endsWith(entry.key) && request.operation === operation);
      assert.ok(await isSoon(() => Promise.resolve(isSent()), { withinMs: 10_000, everyMs: 5 }));
      stop.abort(new Error('called off'));
      await isAtTarget(harness, entry, (await copy).sha256);
      await harness.stores.target.delete(toTargetKey(SOURCE_BUCKET, entry.key));
    });
});
