import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { keyOf, putAsTold, putTo, readObject, type Started } from './store.ts';
import { PROVIDERS } from './target.ts';
import { one, withStores } from './tenant.ts';
import { bodyOf, requireInvalid, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const MD5 = createHash('md5').update(BODY).digest('base64');

describe('A fresh URL', () => {
  withStores(one, 'aws', 'r2', 'b2');

  it('puts the same object: key, type and size', async () => {
    const started = await one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length });
    const { fileId } = started;
    const fresh = bodyOf(await one.url(fileId), 200) as Started;
    assert.deepEqual(fresh.requiredHeaders, { 'Content-Type': 'text/plain' });
    assert.equal(keyOf({ ...started, ...fresh }), keyOf(started));
    assert.ok(Date.parse(fresh.expiresAt) >= Date.parse(started.expiresAt));
    const headers = fresh.requiredHeaders;
    const other = await putTo(fresh.presignedUrl, { headers, body: Buffer.alloc(5) });
    assert.ok(other.status === 403 || other.status === 400, `${other.status}`);
    await putAsTold({ ...started, ...fresh }, BODY);
    await one.completed(fileId);
    requireRefusal(await one.url(fileId), 409, 'file_already_active');
  });

  it('is refused for a deleted file, and for none', async () => {
    const { fileId } = await one.start();
    bodyOf(await one.delete(fileId), 200);
    requireRefusal(await one.url(fileId), 410, 'file_deleted');
    requireRefusal(await one.url(crypto.randomUUID()), 404, 'file_not_found');
  });
});

describe('An announced MD5', () => {
  withStores(one, 'aws', 'r2', 'b2');

  for (const provider of PROVIDERS) {
    it(`makes ${provider} refuse other bytes, and bytes without it`, async () => {
      await one.configure(provider);
      const started = await one.start({ fileSizeBytes: BODY.length, contentMd5: MD5 });
      assert.deepEqual(started.requiredHeaders, {
        'Content-Type': 'application/octet-stream',
        'Content-MD5': MD5,
      });
      const { 'Content-MD5': _, ...without } = started.requiredHeaders;
      const put = async (body: Buffer, headers = started.requiredHeaders) =>
        (await putTo(started.presignedUrl, { headers, body })).status;
      assert.ok((await put(Buffer.from('hello w0rld'))) >= 400);
      assert.ok((await put(BODY, without)) >= 400);
      requireRefusal(await one.complete(started.fileId), 409, 'file_not_on_provider');
      const url = bodyOf(await one.url(started.fileId), 200) as Started;
      assert.deepEqual(url.requiredHeaders, started.requiredHeaders);
      assert.equal(await put(BODY), 200);
      await one.completed(started.fileId);
      assert.deepEqual(Buffer.from((await readObject(provider, keyOf(started))).bytes), BODY);
      await one.clear();
    });
  }

  it('is base64 of 16 bytes, and not for an upload in parts', async () => {
    const announcement = { fileName: 'a', contentType: 'a/b', fileSizeBytes: 1 };
    for (const contentMd5 of ['', 'abc', MD5.slice(1), `${MD5}=`, MD5.replace('==', 'AA'), 5])
      requireInvalid(await one.announce({ ...announcement, contentMd5 }), '/contentMd5');
    const both = await one.announce({ ...announcement, contentMd5: MD5, multipart: true });
    requireInvalid(both, '/contentMd5');
    requireInvalid(await one.announce({ ...announcement, multipart: 1 }), '/multipart');
  });
});
