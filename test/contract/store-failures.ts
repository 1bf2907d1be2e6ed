import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreError, StoreFailure } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { findClosedOrigin, startSilentServer } from './connections.ts';
import { BOUNDS, failureOf, MIB, type Detour, type StoreFixture } from './store-under-test.ts';

const LARGE = randomBytes(8 * MIB);
const MANY = 3;

type Call = (store: ObjectStore, key: string, bounds: typeof BOUNDS) => Promise<unknown>;
const CALLS: Readonly<Record<string, Call>> = {
  list: (store, key, bounds) => store.list({ prefix: key, after: null }, bounds),
  head: (store, key, bounds) => store.head(key, bounds),
  get: (store, key, bounds) => store.get(key, bounds),
  open: (store, key) => store.open(key, { ifMatch: 'x' }),
  write: (store, key, bounds) =>
    store.write(key, { headers: {}, sizeBytes: 10, body: randomBytes(10) }, bounds),
  'write of 8 MiB': (store, key, bounds) =>
    store.write(key, { headers: {}, sizeBytes: LARGE.length, body: LARGE }, bounds),
  'write of a stream': (store, key, bounds) =>
    store.write(key, { headers: {}, sizeBytes: MANY * LARGE.length, body: repeat() }, bounds),
  delete: (store, key, bounds) => store.delete(key, bounds),
  beginUpload: (store, key, bounds) => store.beginUpload(key, {}, bounds),
  parts: (store, key, bounds) => store.parts(key, randomUUID(), 0, bounds),
};

async function* repeat(): AsyncGenerator<Buffer> {
  for (let sent = 0; sent < MANY; sent += 1)
    for (let at = 0; at < LARGE.length; at += MIB)
      yield await Promise.resolve(LARGE.subarray(at, at + MIB));
}

const missing = { location: { bucketName: `missing-${randomUUID()}` } };
const wrongSecret = { credentials: { secretAccessKey: 'wrong-secret-wrong-secret' } };
const unknownKey = { credentials: { accessKeyId: 'AKIAUNKNOWNUNKNOWN00' } };
const SITUATIONS: [StoreFailure, string, Detour][] = [
  ['bucket_missing', 'the bucket is missing', missing],
  ['access_denied', 'the secret is wrong', wrongSecret],
  ['access_denied', 'the access key is unknown', unknownKey],
  ['wrong_region', 'the region is wrong', { location: { region: 'eu-west-1' } }],
];

/** Tests how calls fail: with a classified error that holds no text of the store, and in time. */
export function storeFailureContract(fixture: () => StoreFixture): void {
  for (const [failure, situation, detour] of SITUATIONS)
    for (const [name, call] of Object.entries(CALLS))
      it(`${name} fails with ${failure} if ${situation}`, async () => {
        const { given, open, freshKey } = fixture();
        const key = freshKey();
        const error = await failureOf(call(open(detour), key, BOUNDS));
        assert.equal(error.failure, failure);
        assertNoSecrets(error, [
          key,
          given.origin,
          given.location.bucketName,
          ...Object.values(given.credentials),
          ...Object.values(detour.credentials ?? {}),
          ...Object.values(detour.location ?? {}),
        ]);
      });

  for (const [name, call] of Object.entries(CALLS)) {
    it(`${name} fails with timed_out, in time, if the store hangs`, async () => {
      const { open, freshKey } = fixture();
      const silent = await startSilentServer();
      const patient = open({ origin: silent.origin });
      const impatient = open({ origin: silent.origin, idleMs: 150 });
      const attempts: [ObjectStore, number][] = [[impatient, 60_000]];
      // The time of an opened object is not bounded, for its body is read later.
      if (name !== 'open') attempts.push([patient, 150]);
      for (const [store, timeoutMs] of attempts) {
        const startedAt = performance.now();
        const error = await failureOf(call(store, freshKey(), { timeoutMs }));
        const tookMs = performance.now() - startedAt;
        assert.equal(error.failure, 'timed_out');
        assert.ok(tookMs >= 145 && tookMs < 5_000, `it took ${tookMs} ms`);
        assertNoSecrets(error, [silent.origin]);
      }
      await silent.close();
    });

    it(`${name} fails with unreachable if no server listens`, async () => {
      const { open, freshKey } = fixture();
      const origin = await findClosedOrigin();
      const error = await failureOf(call(open({ origin }), freshKey(), BOUNDS));
      assert.equal(error.failure, 'unreachable');
      assertNoSecrets(error, [origin, 'ECONNREFUSED']);
    });
  }

  it('throws the reason of an aborted signal', async () => {
    const silent = await startSilentServer();
    const far = fixture().open({ origin: silent.origin });
    const reason = new Error('called off');
    const stop = new AbortController();
    const calls = Array.from({ length: 20 }, () => far.head('k', { signal: stop.signal }));
    calls.push(far.head('k', { signal: stop.signal, timeoutMs: 60_000 }));
    const begun = far.beginUpload('k', {}, { signal: stop.signal });
    stop.abort(reason);
    for (const call of [...calls, begun]) await assert.rejects(call, (error) => error === reason);
    await assert.rejects(far.head('k', { signal: stop.signal }), (error) => error === reason);
    await silent.close();
  });
}

/** The message is shown to a customer and contains no text of the store. */
function assertNoSecrets(error: StoreError, secrets: readonly string[]): void {
  for (const secret of secrets) assert.ok(!error.message.includes(secret), error.message);
  assert.match(error.message, /^[a-z ,]+$/);
}
