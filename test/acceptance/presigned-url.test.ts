import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { keyOf, objectAt, putAsTold, putTo, readObject, type Put, type Started } from './store.ts';
import { PROVIDERS } from './target.ts';
import { one, withStores } from './tenant.ts';
import { bodyOf, requireInvalid, requireMoment, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const MD5 = createHash('md5').update(BODY).digest('base64');
const TYPE = { 'content-type': 'text/plain' };
const NONE = Buffer.alloc(0);
const URL_SECONDS = 3600;
const SAFE_NAMES: readonly [fileName: string, safe: string][] = [
  ['A-Z_0.9', 'A-Z_0.9'],
  ['reports/2026/a b.csv', 'a_b.csv'],
  ['../../etc/passwd', 'passwd'],
  ['.env', 'env'],
  ['..', 'file'],
  ['directory/', 'file'],
  ['日本-cafe\u0301-😀.txt', '__-caf_-_.txt'],
  ['a?b#c&d=e%2f+g', 'a_b_c_d_e_2f_g'],
  ['x'.repeat(500), 'x'.repeat(128)],
];

/**
 * What is wrong with a PUT. That the URL is the official SDK's, whose signature no store lets be changed:
 * `unit/adapters/presigned-urls`.
 */
const WRONG: readonly [what: string, put: Partial<Put>][] = [
  ['another type', { headers: { 'content-type': 'text/html' } }],
  ['a type with another parameter', { headers: { 'content-type': 'text/plain; charset=utf-8' } }],
  ['no type', { headers: {} }],
  ['one byte less', { body: BODY.subarray(1) }],
  ['one byte more', { body: Buffer.concat([BODY, BODY.subarray(0, 1)]) }],
  ['nothing', { body: NONE }],
  ['chunks instead of a length', { chunked: true }],
  ['another method', { method: 'DELETE', body: NONE }],
  ['a reading method', { method: 'GET', body: NONE }],
];
const requireRefused = ({ status }: { status: number }) =>
  assert.ok(status >= 400 && status < 500, `answered with ${status}`);

describe('The presigned URL of an upload', () => {
  withStores(one, 'aws', 'r2', 'b2');

  const start = (more: object = {}) =>
    one.start({ contentType: 'text/plain', fileSizeBytes: BODY.length, ...more });

  // spec: file.holds
  it('names the object by the file and the last part of its name, in safe characters', async () => {
    for (const [fileName, safe] of SAFE_NAMES) {
      const started = await one.start({ fileName });
      assert.equal(keyOf(started), `uploads/${started.fileId}/${safe}`);
    }
  });

  // spec: endpoint.upload-init, init-result.fields, limits.url-lifetime, router.url-lifetime
  it('lives for an hour, as expiresAt says', async () => {
    const { presignedUrl, expiresAt } = await start();
    const query = new URL(presignedUrl).searchParams;
    assert.equal(query.get('X-Amz-Expires'), String(URL_SECONDS));
    const signedAt = Date.parse(expiresAt) - URL_SECONDS * 1_000;
    const digits = new Date(signedAt).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    assert.equal(query.get('X-Amz-Date'), digits, 'both ends are the same');
    requireMoment(expiresAt, Date.now() + URL_SECONDS * 1_000);
  });

  for (const [priority, provider, body, contentType] of [
    ['hot', 'r2', BODY, 'text/plain'],
    ['cold', 'b2', BODY, 'text/plain; charset=utf-8'],
    ['archive', 'b2', BODY, 'Text/HTML;charset="UTF-8"'],
    ['hot', 'r2', BODY, 'video/webm;codecs=vp9,opus'],
    ['hot', 'r2', NONE, 'image/png'],
  ] as const) {
    // spec: router.bytes-go-to-the-store, router.presigned-url, service.no-bytes-pass-through
    // spec: state.none-pending-url, upload-sequence.init
    // spec: upload-sequence.decrypts-and-signs, upload-sequence.never-receives, upload-sequence.put
    it(`puts ${body.length} bytes of ${priority} ${contentType} to ${provider}, with one header`, async () => {
      const started = await start({ fileSizeBytes: body.length, priority, contentType });
      assert.equal(started.provider, provider);
      assert.deepEqual(started.requiredHeaders, { 'Content-Type': contentType });
      await putAsTold(started, body);
      const object = { sizeBytes: body.length, contentType };
      assert.deepEqual(await objectAt(provider, keyOf(started)), object);
    });
  }

  // spec: retries.put
  it('may be used again while it lives, with further unsigned headers', async () => {
    const started = await start();
    await putAsTold(started, BODY);
    const further = { 'user-agent': 'any-client', accept: '*/*', 'cache-control': 'no-cache' };
    const put = { headers: { ...TYPE, ...further }, body: Buffer.from('HELLO WORLD') };
    assert.equal((await putTo(started.presignedUrl, put)).status, 200);
    await one.completed(started.fileId);
  });

  for (const [what, put] of WRONG) {
    it(`refuses a PUT with ${what}, which leaves no object`, async () => {
      const started = await start();
      requireRefused(await putTo(started.presignedUrl, { headers: TYPE, body: BODY, ...put }));
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
      // A refused PUT does not use up the URL.
      await putAsTold(started, BODY);
    });
  }
});

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
    requireRefused(await putTo(fresh.presignedUrl, { headers, body: Buffer.alloc(5) }));
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
      const put = (body: Buffer, headers = started.requiredHeaders) =>
        putTo(started.presignedUrl, { headers, body });
      requireRefused(await put(Buffer.from('hello w0rld')));
      requireRefused(await put(BODY, without));
      requireRefusal(await one.complete(started.fileId), 409, 'file_not_on_provider');
      const url = bodyOf(await one.url(started.fileId), 200) as Started;
      assert.deepEqual(url.requiredHeaders, started.requiredHeaders);
      assert.equal((await put(BODY)).status, 200);
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
