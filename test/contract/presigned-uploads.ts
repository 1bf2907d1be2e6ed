import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BOUNDS, write, type StoreFixture } from './store-under-test.ts';
import { sendRaw } from './raw-http.ts';

const BODY = randomBytes(100);
const SECOND_MS = 1_000;

/**
 * Tests that a presigned URL is taken by the store, under any key and for its time. What it refuses otherwise is in
 * test/acceptance/presigned-url.test.ts; the names of downloads are in file.test.ts there.
 */
export function presignedUploadContract(fixture: () => StoreFixture): void {
  const presign = (key: string, signedAt = new Date()) =>
    fixture().store.presignUpload({
      key,
      contentType: 'image/png',
      sizeBytes: BODY.length,
      expiresInSeconds: 60,
      signedAt,
    });
  const put = (url: string) =>
    sendRaw(url, {
      method: 'PUT',
      headers: { 'content-type': 'image/png', 'content-length': String(BODY.length) },
      body: BODY,
    });
  const download = async (key: string, signedAt = new Date()) => {
    const given = { key, fileName: 'a.png', expiresInSeconds: 60, signedAt };
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

  // spec: limits.url-lifetime
  it('refuses once its time is over', async () => {
    const key = fixture().freshKey();
    const signedAt = new Date(Date.now() - 61 * SECOND_MS);
    const { status } = await put(await presign(key, signedAt));
    assert.ok(status === 400 || status === 403, `answered ${status}`);
    assert.equal(await fixture().store.head(key, BOUNDS), undefined, 'nothing was stored');
    await write(fixture().store, key, BODY);
    const late = await download(key, signedAt);
    assert.equal(late.status, 403);
    assert.ok(!late.body.includes(BODY));
  });
}
