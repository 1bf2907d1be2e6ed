import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { StoreError, type StoreFailure } from '../../adapters/object-store/errors.ts';
import { createObjectStores, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createTransferStores } from '../../adapters/object-store/transfer-stores.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import type { StoreCredentials } from '../../adapters/vault/vault.ts';
import type { StoreLocation } from '../../domain/provider/catalogue.ts';
import { findClosedOrigin, startProxy, startSilentServer } from './connections.ts';
import { preflightContract } from './preflights.ts';
import { presignedPartContract } from './presigned-parts.ts';
import { presignedUploadContract } from './presigned-uploads.ts';
import type { OwnedStore } from './store-under-test.ts';

/** A change to how the same store is reached. */
export interface Detour {
  readonly origin?: string;
  readonly location?: Partial<StoreLocation>;
  readonly credentials?: Partial<StoreCredentials>;
}

export type OpenDetour = (detour?: Detour) => ObjectStore;

const BOUNDS = { timeoutMs: 5_000 };

/** Tests the contract of `ObjectStore` against a real server. */
export function objectStoreContract(name: string, open: () => Promise<OwnedStore>): void {
  describe(`an object store: ${name}`, () => {
    const http = createStoreHttp();
    let given: OwnedStore;
    let store: ObjectStore;
    before(async () => {
      given = await open();
      store = detour();
    });
    after(() => http.close());

    const depsAt = (origin: string) => ({
      http,
      endpoints: { [given.location.provider]: origin },
      now: () => new Date(),
    });
    const detour: OpenDetour = ({ origin = given.origin, location, credentials } = {}) =>
      createObjectStores(depsAt(origin))(
        { ...given.location, ...location },
        { ...given.credentials, ...credentials },
      );
    const freshKey = () => `contract/${randomUUID()}/object`;

    presignedUploadContract(() => ({ given, store, freshKey }));
    presignedPartContract(() => {
      const openTransfer = createTransferStores(depsAt(given.origin));
      return { given, store, uploads: openTransfer(given.location, given.credentials), freshKey };
    });
    preflightContract(() => ({
      given,
      openBucket: (bucketName) => detour({ location: { bucketName } }),
    }));

    it('writes, measures, reads and deletes a small object', async () => {
      const key = freshKey();
      const body = randomBytes(300);
      await store.put(key, body, BOUNDS);
      assert.deepEqual(await store.head(key, BOUNDS), { sizeBytes: 300 });
      assert.deepEqual(await store.get(key, BOUNDS), body);
      await store.delete(key, BOUNDS);
      assert.equal(await store.head(key, BOUNDS), undefined);
      assert.equal(await store.get(key, BOUNDS), undefined);
    });

    it('stores an empty object', async () => {
      const key = freshKey();
      await store.put(key, Buffer.alloc(0), BOUNDS);
      assert.deepEqual(await store.head(key, BOUNDS), { sizeBytes: 0 });
      assert.deepEqual(await store.get(key, BOUNDS), Buffer.alloc(0));
    });

    it('stores each odd key as its own object', async () => {
      for (const key of given.oddKeys) {
        const body = Buffer.from(key);
        await store.put(key, body, BOUNDS);
        assert.deepEqual(await store.get(key, BOUNDS), body, key);
      }
      // Read after all were written: no two keys are the same object.
      for (const key of given.oddKeys)
        assert.equal((await store.get(key, BOUNDS))?.toString(), key);
    });

    it('counts a missing object as deleted, also repeatedly', async () => {
      const key = freshKey();
      await store.delete(key, BOUNDS);
      await store.delete(key, BOUNDS);
    });

    it('uses one connection for many calls', async () => {
      const key = freshKey();
      const made = await connectionsOf(given.origin, detour, async (near) => {
        await near.put(key, randomBytes(10), BOUNDS);
        for (let call = 0; call < 10; call += 1) {
          assert.deepEqual(await near.head(key, BOUNDS), { sizeBytes: 10 });
          assert.equal((await near.get(key, BOUNDS))?.length, 10);
        }
        await near.delete(key, BOUNDS);
      });
      assert.equal(made, 1);
    });

    it('keeps the connection when an object is missing', async () => {
      const key = freshKey();
      const made = await connectionsOf(given.origin, detour, async (near) => {
        for (let call = 0; call < 5; call += 1)
          assert.equal(await near.head(key, BOUNDS), undefined);
      });
      assert.equal(made, 1);
    });

    const failures: [StoreFailure, string, () => Detour][] = [
      [
        'bucket_missing',
        'the bucket is missing',
        () => ({ location: { bucketName: `missing-${randomUUID()}` } }),
      ],
      [
        'access_denied',
        'the secret is wrong',
        () => ({ credentials: { secretAccessKey: 'wrong-secret-wrong-secret' } }),
      ],
      [
        'access_denied',
        'the access key is unknown',
        () => ({ credentials: { accessKeyId: 'AKIAUNKNOWNUNKNOWN00' } }),
      ],
      ['wrong_region', 'the region is wrong', () => ({ location: { region: 'eu-west-1' } })],
    ];
    for (const [failure, situation, make] of failures) {
      for (const method of ['head', 'get', 'put', 'delete'] as const) {
        it(`${method} fails with ${failure} where ${situation}`, async () => {
          const key = freshKey();
          const way = make();
          const error = await failureOf(callOf(detour(way), method, key, BOUNDS));
          assert.equal(error.failure, failure);
          assertNoSecrets(error, [
            key,
            given.origin,
            given.location.bucketName,
            ...Object.values(given.credentials),
            ...Object.values(way.credentials ?? {}),
            ...Object.values(way.location ?? {}),
          ]);
        });
      }
    }

    it('fails with timed_out, in time, where the store hangs', async () => {
      const silent = await startSilentServer();
      for (const method of ['head', 'get', 'put', 'delete'] as const) {
        const startedAt = performance.now();
        const error = await failureOf(
          callOf(detour({ origin: silent.origin }), method, freshKey(), { timeoutMs: 150 }),
        );
        const tookMs = performance.now() - startedAt;
        assert.equal(error.failure, 'timed_out');
        assert.ok(tookMs >= 145 && tookMs < 5_000, `${method} took ${tookMs} ms`);
        assertNoSecrets(error, [silent.origin]);
      }
      await silent.close();
    });

    it('fails with unreachable where no server listens', async () => {
      const origin = await findClosedOrigin();
      for (const method of ['head', 'get', 'put', 'delete'] as const) {
        const error = await failureOf(callOf(detour({ origin }), method, freshKey(), BOUNDS));
        assert.equal(error.failure, 'unreachable');
        assertNoSecrets(error, [origin, 'ECONNREFUSED']);
      }
    });
  });
}

async function connectionsOf(
  origin: string,
  open: OpenDetour,
  work: (near: ObjectStore) => Promise<void>,
): Promise<number> {
  const proxy = await startProxy(origin);
  try {
    await work(open({ origin: proxy.origin }));
    return proxy.connections();
  } finally {
    await proxy.close();
  }
}

function callOf(
  store: ObjectStore,
  method: 'head' | 'get' | 'put' | 'delete',
  key: string,
  options: { timeoutMs: number },
): Promise<unknown> {
  return method === 'put' ? store.put(key, Buffer.from('x'), options) : store[method](key, options);
}

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    (value) => assert.fail(`it answered ${String(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error;
}

/** The message is shown to a customer and contains no text of the store. */
function assertNoSecrets(error: StoreError, secrets: readonly string[]): void {
  for (const secret of secrets) assert.ok(!error.message.includes(secret), error.message);
  assert.match(error.message, /^[a-z ,]+$/);
}
