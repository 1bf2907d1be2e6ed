import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { StoreFailure } from '../../adapters/object-store/errors.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import type { ObjectHeaders, TransferStore } from '../../adapters/object-store/transfer-store.ts';
import { createTransferStores } from '../../adapters/object-store/transfer-stores.ts';
import { startProxy, startSilentServer } from './connections.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import type { Detour } from './object-store.ts';
import { failureOf, md5Of, onTheWire, readAll } from './transfer-objects.ts';
import { transferUploadsContract } from './transfer-uploads.ts';

export interface TransferStoreUnderTest extends StoreUnderTest {
  /** Whether objects of the bucket may have ACLs. */
  readonly aclsMatter: boolean | undefined;
}

const MIB = 2 ** 20;
const HEADERS: ObjectHeaders = {
  'content-type': 'text/x-test; charset=utf-8',
  'content-encoding': 'gzip',
  'content-language': 'de-CH, fr',
  'content-disposition': `attachment; filename="a  b.txt"; filename*=UTF-8''%C3%A0.txt`,
  'cache-control': 'private,  max-age=60',
  expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
  'x-amz-meta-plain': 'a  value, with "marks" = &',
  'x-amz-meta-unicode': onTheWire('à la carte: 日本語 😀 é'),
};

/** Tests the contract of `TransferStore` against a real server. */
export function transferStoreContract(
  name: string,
  open: () => Promise<TransferStoreUnderTest>,
): void {
  describe(`a transfer store: ${name}`, () => {
    const http = createStoreHttp();
    let given: TransferStoreUnderTest;
    let store: TransferStore;
    before(async () => {
      given = await open();
      store = detour();
    });
    after(() => http.close());

    const detour = (
      { origin = given.origin, location, credentials }: Detour = {},
      idleMs = 5_000,
    ): TransferStore =>
      createTransferStores({
        http,
        endpoints: { [given.location.provider]: origin },
        now: () => new Date(),
        idleMs,
      })({ ...given.location, ...location }, { ...given.credentials, ...credentials });
    const freshKey = () => `transfer/${randomUUID()}/object`;
    const write = (key: string, body: Buffer, headers: ObjectHeaders = {}) =>
      store.write(key, { headers, sizeBytes: body.length, md5: md5Of(body), body });

    transferUploadsContract(() => ({ given, store, freshKey }));

    it('returns each byte and each header that was written', async () => {
      const key = freshKey();
      const body = randomBytes(70_000);
      assert.equal(await write(key, body, HEADERS), md5Of(body).toString('hex'));
      const found = await store.head(key);
      assert.ok(found);
      assert.equal(found.sizeBytes, body.length);
      assert.equal(found.etag, md5Of(body).toString('hex'));
      assert.deepEqual(found.headers, HEADERS);
      assert.deepEqual(found.notCarried, []);
      assert.ok(Math.abs(Date.parse(found.lastModified) - Date.now()) < 60_000);
      const opened = await store.open(key, { ifMatch: found.etag });
      assert.deepEqual(await readAll(opened), body);
      assert.deepEqual(opened.headers, HEADERS);
      assert.equal(opened.bodyBytes, body.length);
      await store.delete(key);
      await store.delete(key);
      assert.equal(await store.head(key), undefined);
    });

    it('stores an empty object', async () => {
      const key = freshKey();
      const etag = await write(key, Buffer.alloc(0));
      assert.equal((await store.head(key))?.sizeBytes, 0);
      assert.equal((await readAll(await store.open(key, { ifMatch: etag }))).length, 0);
    });

    it('stores each odd key as its own object, also in a listing', async () => {
      const prefix = `odd-${randomUUID()}/`;
      const keys = given.oddKeys.map((key) => prefix + key);
      for (const key of keys) await write(key, Buffer.from(key));
      for (const key of keys) {
        const etag = md5Of(Buffer.from(key)).toString('hex');
        const opened = await store.open(key, { ifMatch: etag });
        assert.equal((await readAll(opened)).toString(), key);
      }
      const { entries, isTruncated } = await store.list({ prefix, after: null });
      assert.equal(isTruncated, false);
      assert.deepEqual(new Set(entries.map(({ key }) => key)), new Set(keys));
      for (const { key, etag } of entries)
        assert.equal(etag, md5Of(Buffer.from(key)).toString('hex'));
    });

    it('lists page by page', async () => {
      const prefix = `pages-${randomUUID()}/`;
      for (const name of ['a', 'b', 'c']) await write(prefix + name, Buffer.from(name));
      const first = await store.list({ prefix, after: null, maxKeys: 2 });
      assert.deepEqual(
        [first.entries.map(({ key }) => key), first.isTruncated],
        [[`${prefix}a`, `${prefix}b`], true],
      );
      const second = await store.list({ prefix, after: `${prefix}b`, maxKeys: 2 });
      assert.deepEqual(
        [second.entries.map(({ key }) => key), second.isTruncated],
        [[`${prefix}c`], false],
      );
      const none = await store.list({ prefix: `${prefix}nothing`, after: null });
      assert.deepEqual(none, { entries: [], isTruncated: false });
    });

    it('reads a range of an object, and drops the rest', async () => {
      const key = freshKey();
      const body = randomBytes(3 * MIB);
      const etag = await write(key, body);
      const range = { first: MIB, last: 2 * MIB - 1 };
      const opened = await store.open(key, { ifMatch: etag, range });
      assert.equal(opened.sizeBytes, body.length);
      assert.equal(opened.bodyBytes, MIB);
      assert.deepEqual(await readAll(opened), body.subarray(MIB, 2 * MIB));
      const left = await store.open(key, { ifMatch: etag });
      left.close();
      assert.equal((await store.head(key))?.sizeBytes, body.length);
    });

    it('fails with missing or changed', async () => {
      const key = freshKey();
      const ifMatch = '0'.repeat(32);
      assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'missing');
      await write(key, Buffer.from('one'));
      assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'changed');
    });

    it('streams in both directions', async () => {
      const [from, to] = [freshKey(), freshKey()];
      const body = randomBytes(20 * MIB);
      const etag = await write(from, body);
      const opened = await store.open(from, { ifMatch: etag });
      const request = { headers: {}, sizeBytes: body.length, body: opened.body };
      assert.equal(await store.write(to, request), etag);
      assert.deepEqual(await readAll(await store.open(to, { ifMatch: etag })), body);
    });

    it('refuses bytes that are not those of the announced MD5', async () => {
      const key = freshKey();
      const body = randomBytes(1_000);
      const request = {
        headers: {},
        sizeBytes: body.length,
        md5: md5Of(Buffer.from('other')),
        body,
      };
      const error = await failureOf(store.write(key, request));
      assert.deepEqual([error.failure, error.isTransient], ['rejected', true]);
      assert.equal(await store.head(key), undefined);
    });

    it('throws the error of a body unchanged, and stores nothing', async () => {
      const key = freshKey();
      const broken = new Error('the source broke');
      async function* body(): AsyncGenerator<Buffer> {
        yield randomBytes(MIB);
        throw broken;
      }
      const request = { headers: {}, sizeBytes: 2 * MIB, body: body() };
      await assert.rejects(store.write(key, request), (error) => error === broken);
      assert.equal(await store.head(key), undefined);
    });

    it('reads whether ACLs matter', async () => {
      assert.equal(await store.aclsMatter(), given.aclsMatter);
    });

    const refusals: [StoreFailure, string, () => Detour][] = [
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
    ];
    for (const [failure, situation, way] of refusals) {
      it(`fails with ${failure} where ${situation}, also while a body is sent`, async () => {
        const far = detour(way());
        const large = randomBytes(MIB);
        async function* body(): AsyncGenerator<Buffer> {
          for (let sent = 0; sent < 24; sent += 1) yield await Promise.resolve(large);
        }
        const buffered = { headers: {}, sizeBytes: 10, body: randomBytes(10) };
        const streamed = { headers: {}, sizeBytes: 24 * MIB, body: body() };
        const whole = { headers: {}, sizeBytes: 8 * MIB, body: randomBytes(8 * MIB) };
        const calls: Record<string, () => Promise<unknown>> = {
          list: () => far.list({ prefix: '', after: null }),
          head: () => far.head(freshKey()),
          open: () => far.open(freshKey(), { ifMatch: 'x' }),
          write: () => far.write(freshKey(), buffered),
          'write a stream': () => far.write(freshKey(), streamed),
          'write 8 MiB': () => far.write(freshKey(), whole),
          beginUpload: () => far.beginUpload(freshKey(), {}),
          parts: () => far.parts(freshKey(), randomUUID(), 0),
          delete: () => far.delete(freshKey()),
        };
        for (const [call, make] of Object.entries(calls))
          assert.equal((await failureOf(make())).failure, failure, call);
      });
    }

    it('fails with timed_out where the store hangs', async () => {
      const silent = await startSilentServer();
      const far = detour({ origin: silent.origin }, 100);
      const body = { headers: {}, sizeBytes: 16 * MIB, body: randomBytes(16 * MIB) };
      for (const call of [
        () => far.head('k'),
        () => far.open('k', { ifMatch: 'x' }),
        () => far.write('k', body),
      ])
        assert.equal((await failureOf(call())).failure, 'timed_out');
      await silent.close();
    });

    it('throws the reason of an aborted signal', async () => {
      const silent = await startSilentServer();
      const far = detour({ origin: silent.origin });
      const reason = new Error('called off');
      const stop = new AbortController();
      const calls = Array.from({ length: 20 }, () => far.head('k', { signal: stop.signal }));
      stop.abort(reason);
      for (const call of calls) await assert.rejects(call, (error) => error === reason);
      await assert.rejects(far.head('k', { signal: stop.signal }), (error) => error === reason);
      await silent.close();
    });

    it('uses one connection for sequential calls', async () => {
      const proxy = await startProxy(given.origin);
      const near = detour({ origin: proxy.origin });
      const key = freshKey();
      for (let call = 0; call < 5; call += 1) {
        const body = randomBytes(5_000);
        const etag = await near.write(key, { headers: {}, sizeBytes: body.length, body });
        assert.deepEqual(await readAll(await near.open(key, { ifMatch: etag })), body);
        assert.equal((await failureOf(near.open(key, { ifMatch: 'x' }))).failure, 'changed');
      }
      assert.equal(proxy.connections(), 1);
      await proxy.close();
    });
  });
}
