import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { isUnsupported } from '../../adapters/object-store/errors.ts';
import type { ObjectHeaders, ObjectStore } from '../../adapters/object-store/object-store.ts';
import { startProxy } from './connections.ts';
import * as stores from './store-under-test.ts';
import { BOUNDS, failureOf, md5Of, MIB, readAll, write } from './store-under-test.ts';

const HEADERS: ObjectHeaders = {
  'content-type': 'text/x-test; charset=utf-8',
  'content-encoding': 'gzip',
  'content-language': 'de-CH, fr',
  'content-disposition': `attachment; filename="a  b.txt"; filename*=UTF-8''%C3%A0.txt`,
  'cache-control': 'private,  max-age=60',
  expires: 'Thu, 01 Jan 2032 00:00:00 GMT',
  'x-amz-meta-plain': 'a  value, with "marks" = &',
  'x-amz-meta-unicode': stores.onTheWire('à la carte: 日本語 😀 é'),
};

export function storedObjectContract(fixture: () => stores.StoreFixture): void {
  const fresh = () => ({ store: fixture().store, key: fixture().freshKey() });

  it('returns each byte and each header that was written', async () => {
    const { store, key } = fresh();
    const body = randomBytes(70_000);
    assert.equal(await write(store, key, body, HEADERS), md5Of(body).toString('hex'));
    const { lastModified, ...found } = (await store.head(key, BOUNDS)) ?? assert.fail();
    const etag = md5Of(body).toString('hex');
    const expected = { sizeBytes: body.length, etag, headers: HEADERS, notCarried: [] };
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(found[name as keyof typeof found], value);
    assert.ok(Math.abs(Date.parse(lastModified) - Date.now()) < 60_000);
    const opened = await store.open(key, { ifMatch: etag });
    assert.deepEqual(await readAll(opened), body);
    assert.deepEqual(opened.headers, HEADERS);
    assert.equal(opened.bodyBytes, body.length);
    assert.deepEqual(await store.get(key, BOUNDS), body);
  });

  it('deletes an object, and counts a missing one as deleted', async () => {
    const { store, key } = fresh();
    await write(store, key, randomBytes(10));
    for (let call = 0; call < 3; call += 1) {
      await store.delete(key, BOUNDS);
      assert.equal(await store.head(key, BOUNDS), undefined);
      assert.equal(await store.get(key, BOUNDS), undefined);
    }
  });

  it('stores an empty object', async () => {
    const { store, key } = fresh();
    const etag = await write(store, key, Buffer.alloc(0));
    assert.equal((await store.head(key, BOUNDS))?.sizeBytes, 0);
    assert.deepEqual(await store.get(key, BOUNDS), Buffer.alloc(0));
    assert.equal((await readAll(await store.open(key, { ifMatch: etag }))).length, 0);
  });

  it('stores each odd key as its own object, also in a listing', async () => {
    const { given, store } = fixture();
    const prefix = `odd-${randomUUID()}/`;
    const keys = given.oddKeys.map((key) => prefix + key);
    for (const key of keys) await write(store, key, Buffer.from(key));
    // Read after all were written: no two keys are the same object.
    for (const key of keys) {
      const etag = md5Of(Buffer.from(key)).toString('hex');
      const opened = await store.open(key, { ifMatch: etag });
      assert.equal((await readAll(opened)).toString(), key);
    }
    const { entries, isTruncated } = await store.list({ prefix, after: null }, BOUNDS);
    assert.equal(isTruncated, false);
    assert.deepEqual(new Set(entries.map(({ key }) => key)), new Set(keys));
    for (const { key, etag } of entries)
      assert.equal(etag, md5Of(Buffer.from(key)).toString('hex'));
  });

  it('lists page by page', async () => {
    const { store } = fixture();
    const prefix = `pages-${randomUUID()}/`;
    for (const name of ['a', 'b', 'c']) await write(store, prefix + name, Buffer.from(name));
    for (const [below, after, ...listed] of [
      [prefix, null, 'a', 'b', true],
      [prefix, `${prefix}b`, 'c', false],
      [`${prefix}nothing`, null, false],
    ] as const) {
      const { entries, isTruncated } = await store.list({ prefix: below, after, maxKeys: 2 });
      const names = entries.map(({ key }) => key.slice(prefix.length));
      assert.deepEqual([...names, isTruncated], listed);
    }
  });

  it('reads a range of an object, and drops the rest', async () => {
    const { store, key } = fresh();
    const body = randomBytes(3 * MIB);
    const etag = await write(store, key, body);
    const range = { first: MIB, last: 2 * MIB - 1 };
    const opened = await store.open(key, { ifMatch: etag, range });
    assert.equal(opened.sizeBytes, body.length);
    assert.equal(opened.bodyBytes, MIB);
    assert.deepEqual(await readAll(opened), body.subarray(MIB, 2 * MIB));
    const left = await store.open(key, { ifMatch: etag });
    left.close();
    assert.equal((await store.head(key, BOUNDS))?.sizeBytes, body.length);
  });

  it('opens only the object with the given ETag', async () => {
    const { store, key } = fresh();
    const ifMatch = '0'.repeat(32);
    assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'missing');
    await write(store, key, Buffer.from('one'));
    assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'changed');
  });

  it('streams in both directions', async () => {
    const { store, freshKey } = fixture();
    const [from, to] = [freshKey(), freshKey()];
    const body = randomBytes(20 * MIB);
    const etag = await write(store, from, body);
    const opened = await store.open(from, { ifMatch: etag });
    const request = { headers: {}, sizeBytes: body.length, body: opened.body };
    assert.deepEqual(await store.write(to, request), { etag, isOpaque: false });
    assert.deepEqual(await readAll(await store.open(to, { ifMatch: etag })), body);
  });

  it('refuses bytes that are not those of the announced MD5', async () => {
    const { store, key } = fresh();
    const body = randomBytes(1_000);
    const md5 = md5Of(Buffer.from('other'));
    const refused = store.write(key, { headers: {}, sizeBytes: body.length, md5, body });
    const error = await failureOf(refused);
    assert.deepEqual([error.failure, error.isTransient], ['rejected', true]);
    assert.equal(await store.head(key, BOUNDS), undefined);
  });

  it('throws the error of a body unchanged, and stores nothing', async () => {
    const { store, key } = fresh();
    const broken = new Error('the source broke');
    async function* body(): AsyncGenerator<Buffer> {
      yield randomBytes(MIB);
      throw broken;
    }
    const request = { headers: {}, sizeBytes: 2 * MIB, body: body() };
    await assert.rejects(store.write(key, request), (error) => error === broken);
    assert.equal(await store.head(key, BOUNDS), undefined);
  });

  it('writes only where no object is, or refuses the condition with the write', async () => {
    const { store, key } = fresh();
    const ifAbsent = { 'if-none-match': '*' };
    const writeIfAbsent = (text: string) => write(store, key, Buffer.from(text), ifAbsent);
    if (fixture().given.refusesConditionalPut) {
      const { failure, isTransient, refusal } = await failureOf(writeIfAbsent('one'));
      assert.deepEqual([failure, isTransient, refusal?.status], ['rejected', false, 501]);
      assert.equal(await store.head(key, BOUNDS), undefined);
      return;
    }
    await writeIfAbsent('one');
    assert.equal((await failureOf(writeIfAbsent('two'))).failure, 'changed');
    assert.deepEqual(await store.get(key, BOUNDS), Buffer.from('one'));
  });

  it('knows that objects may have ACLs, unless the store does not say', async () => {
    const expected = fixture().given.lacksOwnershipControls ? undefined : true;
    assert.equal(await fixture().store.allowsAcls(BOUNDS), expected);
  });

  it('knows whether the bucket keeps versions', async () => {
    const { store, given } = fixture();
    assert.equal(await store.keepsVersions(BOUNDS), given.keepsVersions);
  });

  it('deletes versions and delete markers for good', async () => {
    const { store, given, freshKey } = fixture();
    const key = freshKey();
    await store.write(key, { headers: {}, sizeBytes: 1, body: Buffer.from('x') });
    await store.delete(key, BOUNDS);
    const list = async () => {
      const page = await store.versions(key, BOUNDS).catch((error: unknown) => {
        if (!isUnsupported(error)) throw error;
      });
      return page?.entries ?? [];
    };
    const listed = await list();
    assert.equal(listed.length, given.keepsVersions ? 2 : 0);
    for (const { versionId } of listed) await store.delete(key, { ...BOUNDS, versionId });
    assert.deepEqual(await list(), []);
  });

  it('uses one connection for sequential calls, and one for the bytes of objects, also where one is missing or has changed', async () => {
    const { freshKey } = fixture();
    const key = freshKey();
    const made = await countConnections(fixture(), async (near) => {
      for (let call = 0; call < 5; call += 1) {
        assert.equal(await near.head(key, BOUNDS), undefined);
        const body = randomBytes(5_000);
        const { etag } = await near.write(key, { headers: {}, sizeBytes: body.length, body });
        assert.equal((await near.head(key, BOUNDS))?.sizeBytes, body.length);
        assert.deepEqual(await near.get(key, BOUNDS), body);
        assert.deepEqual(await readAll(await near.open(key, { ifMatch: etag })), body);
        assert.equal((await failureOf(near.open(key, { ifMatch: 'x' }))).failure, 'changed');
        await near.delete(key, BOUNDS);
      }
    });
    assert.equal(made, 2);
  });
}

async function countConnections(
  { given, open }: stores.StoreFixture,
  work: (near: ObjectStore) => Promise<void>,
): Promise<number> {
  const proxy = await startProxy(given.origin);
  try {
    await work(open({ origin: proxy.origin }));
    return proxy.connections();
  } finally {
    await proxy.close();
  }
}
