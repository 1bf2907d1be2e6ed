import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { ObjectHeaders } from '../../adapters/object-store/object-store.ts';
import { BOUNDS, failureOf, md5Of, MIB, onTheWire, readAll } from './store-under-test.ts';
import { write, type StoreFixture } from './store-under-test.ts';

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

export function storedObjectContract(fixture: () => StoreFixture): void {
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

  it('opens only the object with the given ETag', async () => {
    const { store, key } = fresh();
    const ifMatch = '0'.repeat(32);
    assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'missing');
    await write(store, key, Buffer.from('one'));
    assert.equal((await failureOf(store.open(key, { ifMatch }))).failure, 'changed');
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

  it('knows that objects may have ACLs, unless the store does not say', async () => {
    const expected = fixture().given.lacksOwnershipControls ? undefined : true;
    assert.equal(await fixture().store.allowsAcls(BOUNDS), expected);
  });

  it('knows whether the bucket keeps versions', async () => {
    const { store, given } = fixture();
    assert.equal(await store.keepsVersions(BOUNDS), given.keepsVersions);
  });
}
