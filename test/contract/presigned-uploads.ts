import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { BOUNDS, write, type StoreFixture } from './store-under-test.ts';
import { sendRaw } from './raw-http.ts';

const BODY = randomBytes(100);
const SECOND_MS = 1_000;

/** Tests that a presigned URL permits one request and no other. */
export function presignedUploadContract(fixture: () => StoreFixture): void {
  const presign = (key: string, overrides: { signedAt?: Date; sizeBytes?: number } = {}) =>
    fixture().store.presignUpload({
      key,
      contentType: 'image/png',
      sizeBytes: BODY.length,
      expiresInSeconds: 60,
      signedAt: new Date(),
      ...overrides,
    });
  const put = (url: string, body = BODY, contentType = 'image/png') =>
    sendRaw(url, {
      method: 'PUT',
      headers: { 'content-type': contentType, 'content-length': String(body.length) },
      body,
    });
  const download = (key: string, fileName: string, signedAt = new Date()) =>
    fixture().store.presignDownload({ key, fileName, expiresInSeconds: 60, signedAt });
  const isMissing = async (key: string) => (await fixture().store.head(key, BOUNDS)) === undefined;

  async function refuses(key: string, answer: ReturnType<typeof put>): Promise<void> {
    const { status } = await answer;
    assert.ok(status === 400 || status === 403, `answered ${status}`);
    assert.ok(await isMissing(key), 'nothing was stored');
  }

  it('accepts one PUT of the announced type and size', async () => {
    const key = fixture().freshKey();
    assert.equal((await put(await presign(key))).status, 200);
    assert.deepEqual(await fixture().store.get(key, BOUNDS), BODY);
    const got = await sendRaw(await download(key, 'a.png'), { method: 'GET' });
    assert.equal(got.headers['content-type'], 'image/png');
    assert.deepEqual(got.body, BODY);
  });

  it('accepts a PUT of zero bytes', async () => {
    const key = fixture().freshKey();
    const answer = await put(await presign(key, { sizeBytes: 0 }), Buffer.alloc(0));
    assert.equal(answer.status, 200, answer.body.toString());
    assert.equal((await fixture().store.head(key, BOUNDS))?.sizeBytes, 0);
  });

  it('accepts a PUT under each odd key', async () => {
    for (const key of fixture().given.oddKeys) {
      assert.equal((await put(await presign(`put-${key}`))).status, 200, key);
      assert.deepEqual(await fixture().store.get(`put-${key}`, BOUNDS), BODY, key);
    }
  });

  it('refuses another type', async () => {
    const key = fixture().freshKey();
    await refuses(key, put(await presign(key), BODY, 'text/html'));
  });

  it('refuses one byte more and one byte less', async () => {
    const key = fixture().freshKey();
    await refuses(key, put(await presign(key), Buffer.concat([BODY, BODY.subarray(0, 1)])));
    await refuses(key, put(await presign(key), BODY.subarray(1)));
    await refuses(key, put(await presign(key), Buffer.alloc(0)));
  });

  it('refuses a URL with a changed, a missing or an added parameter', async () => {
    const key = fixture().freshKey();
    const url = await presign(key);
    for (const other of tamperedUrls(url)) {
      assert.notEqual(other, url);
      await refuses(key, put(other));
    }
  });

  it('refuses another key, another method and another bucket', async () => {
    const key = fixture().freshKey();
    const url = await presign(key);
    const other = `${key}-other`;
    await refuses(other, put(url.replace(key, other)));
    assert.equal((await sendRaw(url, { method: 'GET' })).status, 403);
    assert.equal((await sendRaw(url, { method: 'DELETE' })).status, 403);
    const { bucketName } = fixture().given.location;
    const elsewhere = await put(url.replace(`/${bucketName}/`, `/${bucketName}-x/`));
    assert.ok(elsewhere.status >= 400 && elsewhere.status < 500, String(elsewhere.status));
  });

  // spec: limits.url-lifetime
  it('refuses once its time is over', async () => {
    const key = fixture().freshKey();
    const signedAt = new Date(Date.now() - 61 * SECOND_MS);
    await refuses(key, put(await presign(key, { signedAt })));
    await write(fixture().store, key, BODY);
    const late = await sendRaw(await download(key, 'a.png', signedAt), { method: 'GET' });
    assert.equal(late.status, 403);
    assert.ok(!late.body.includes(BODY));
  });

  it('serves a download under the original name', async () => {
    const key = fixture().freshKey();
    await write(fixture().store, key, BODY);
    const names: [name: string, header: string][] = [
      ['report.pdf', 'attachment; filename=report.pdf'],
      ['a "b".txt', String.raw`attachment; filename="a \"b\".txt"`],
      ['日本.txt', `attachment; filename=__.txt; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`],
      ['folder/last.txt', 'attachment; filename=last.txt'],
    ];
    for (const [name, header] of names) {
      const { status, headers, body } = await sendRaw(await download(key, name), { method: 'GET' });
      assert.equal(status, 200);
      assert.equal(headers['content-disposition'], header);
      assert.deepEqual(body, BODY);
    }
  });

  it('refuses a download with a changed name', async () => {
    const key = fixture().freshKey();
    await write(fixture().store, key, BODY);
    const url = (await download(key, 'report.pdf')).replace('report.pdf', 'report.exe');
    assert.equal((await sendRaw(url, { method: 'GET' })).status, 403);
  });
}

export function withoutParameters(url: string, ...names: string[]): string {
  return names.reduce((left, name) => left.replace(new RegExp(`&${name}=[^&]*`), ''), url);
}

/** URLs whose signature no longer fits, of one that expires after 60 seconds and signs its length. */
export function tamperedUrls(url: string): string[] {
  return [
    url.replace('X-Amz-Expires=60', 'X-Amz-Expires=6000'),
    url.replace(/X-Amz-Signature=(.)/, (_match, digit) =>
      digit === 'a' ? 'X-Amz-Signature=b' : 'X-Amz-Signature=a',
    ),
    url.replace('content-length%3B', ''),
    withoutParameters(url, 'X-Amz-Signature'),
    withoutParameters(url, 'X-Amz-Date'),
    withoutParameters(url, 'X-Amz-SignedHeaders'),
    `${url}&x-amz-acl=public-read`,
  ];
}
