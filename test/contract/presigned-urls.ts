import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BOUNDS, md5Of, type StoreFixture } from './store-under-test.ts';
import { sendRaw } from './raw-http.ts';

const BODY = randomBytes(100);

/**
 * Tests that a presigned URL is taken by the store, under any key. Its time, and what it refuses otherwise, is in
 * presigned-url.test.ts, parts.test.ts and file.test.ts of test/acceptance.
 */
export function presignedUrlContract(fixture: () => StoreFixture): void {
  const presign = (key: string) =>
    fixture().store.presignUpload({
      key,
      contentType: 'image/png',
      sizeBytes: BODY.length,
      expiresInSeconds: 60,
      signedAt: new Date(),
    });
  const put = (url: string) =>
    sendRaw(url, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', 'content-length': String(BODY.length) },
      body: BODY,
    });
  const download = async (key: string) => {
    const given = { key, fileName: 'a.png', expiresInSeconds: 60, signedAt: new Date() };
    return await sendRaw(await fixture().store.presignDownload(given), { method: 'GET' });
  };

  it('accepts a PUT of the announced type and size, and a download, under any key', async () => {
    for (const key of [fixture().freshKey(), ...fixture().given.oddKeys]) {
      assert.equal((await put(await presign(`put-${key}`))).status, 200, key);
      assert.deepEqual(await fixture().store.get(`put-${key}`, BOUNDS), BODY, key);
      const got = await download(`put-${key}`);
      assert.deepEqual([got.headers['content-type'], got.body], ['image/png', BODY], key);
    }
  });

  it('accepts a part of each odd key, as one of its own upload', async () => {
    const { given, store } = fixture();
    const begun: { key: string; uploadId: string; body: Buffer }[] = [];
    for (const oddKey of given.oddKeys) {
      const [key, body] = [`part-${oddKey}`, Buffer.from(oddKey)];
      const uploadId = await store.beginUpload(key, {});
      const part = { key, uploadId, partNumber: 1, sizeBytes: body.length };
      const url = await store.presignPart({ ...part, expiresInSeconds: 60, signedAt: new Date() });
      const headers = { 'content-length': String(body.length) };
      assert.equal((await sendRaw(url, { method: 'PUT', headers, body })).status, 200, oddKey);
      begun.push({ key, uploadId, body });
    }
    // Completed after all were sent: no two keys share an upload.
    for (const { key, uploadId, body } of begun) {
      await store.completeUpload(key, uploadId, [md5Of(body).toString('hex')]);
      assert.deepEqual(await store.get(key, BOUNDS), body, key);
    }
  });
}
