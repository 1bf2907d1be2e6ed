import assert from 'node:assert/strict';
import { putAsTold, type Started } from './store.ts';
import { endpointOverride, storeAccess, type Provider } from './target.ts';
import { one, withStores } from './tenant.ts';
import { requireMoment } from './wire.ts';

const URL_SECONDS = 3600;
const BY_PRIORITY = { hot: 'r2', cold: 'b2', archive: 'b2' } as const;
const SAFE_NAMES: readonly [fileName: string, safe: string][] = [
  ['photo.png', 'photo.png'],
  ['A-Z_0.9', 'A-Z_0.9'],
  ['a b.png', 'a_b.png'],
  ['reports/2026/a.csv', 'a.csv'],
  ['../../etc/passwd', 'passwd'],
  ['.env', 'env'],
  ['...', 'file'],
  ['..', 'file'],
  ['directory/', 'file'],
  ['日本.txt', '__.txt'],
  ['😀.txt', '_.txt'],
  ['cafe\u0301.txt', 'caf_.txt'],
  ['a?b#c&d=e%2f+g', 'a_b_c_d_e_2f_g'],
  ['x'.repeat(500), 'x'.repeat(128)],
];

/** The parts of a URL that a provider's address may put into host or path. */
function parts({ presignedUrl, provider }: Started) {
  const url = new URL(presignedUrl);
  const { bucketName } = storeAccess(provider);
  const override = endpointOverride(provider);
  const inPath = override !== undefined || !url.hostname.startsWith(`${bucketName}.`);
  const [prefix, ...key] = inPath
    ? url.pathname.slice(1).split('/')
    : ['', ...url.pathname.slice(1).split('/')];
  return { url, override, inPath, prefix, key: key.join('/'), bucketName };
}

const OWN_HOST: Readonly<Record<Provider, RegExp>> = {
  aws: /\.amazonaws\.com$/,
  r2: /\.r2\.cloudflarestorage\.com$/,
  b2: /\.backblazeb2\.com$/,
};

describe('The presigned URL of an upload', () => {
  withStores(one, 'aws', 'r2', 'b2');

  // spec: service.no-bytes-pass-through, upload-sequence.decrypts-and-signs
  // spec: upload-sequence.never-receives
  it('leads to the bucket of the chosen store, signed for its region with the stored key, without the secret', async () => {
    for (const [priority, provider] of Object.entries(BY_PRIORITY)) {
      const started = await one.start({ priority });
      assert.equal(started.provider, provider);
      const { url, override, inPath, prefix, bucketName } = parts(started);
      if (override === undefined) assert.match(url.hostname, OWN_HOST[provider]);
      else assert.equal(url.origin, new URL(override).origin);
      if (inPath) assert.equal(prefix, bucketName);
      assert.equal(url.hash + url.username + url.password, '');
      const { accessKeyId, region } = storeAccess(provider);
      const [key, day, ...scope] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
      assert.equal(key, accessKeyId);
      assert.match(day ?? '', /^\d{8}$/);
      assert.deepEqual(scope, [region, 's3', 'aws4_request']);
    }
  });

  for (const [fileName, safe] of SAFE_NAMES) {
    // spec: file.holds
    it(`names the object uploads/<fileId>/${safe.slice(0, 40)} for ${JSON.stringify(fileName.slice(0, 40))}`, async () => {
      const started = await one.start({ fileName });
      assert.equal(parts(started).key, `uploads/${started.fileId}/${safe}`);
    });
  }

  it('signs host, type and length, and carries nothing else', async () => {
    const started = await one.start({ contentType: 'image/png', fileSizeBytes: 5 });
    const query = parts(started).url.searchParams;
    const signed = query.get('X-Amz-SignedHeaders')?.split(';').sort();
    assert.deepEqual(signed, ['content-length', 'content-type', 'host']);
    // The payload parameter is optional; stores accept it in either case.
    const sum = [...query].find(([name]) => name.toLowerCase() === 'x-amz-content-sha256');
    const names = [...query.keys()].filter((name) => name !== sum?.[0]).sort();
    assert.deepEqual(names, [
      'X-Amz-Algorithm',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-Expires',
      'X-Amz-Signature',
      'X-Amz-SignedHeaders',
    ]);
    assert.equal(query.get('X-Amz-Algorithm'), 'AWS4-HMAC-SHA256');
    assert.ok(!sum || sum[1] === 'UNSIGNED-PAYLOAD', 'no checksum of a body is in it');
    assert.doesNotMatch(started.presignedUrl, /checksum|crc32|x-id/i);
  });

  // spec: endpoint.upload-init, init-result.fields, limits.url-lifetime, router.url-lifetime
  it('lives for an hour, as expiresAt says', async () => {
    const started = await one.start();
    const query = parts(started).url.searchParams;
    assert.equal(query.get('X-Amz-Expires'), String(URL_SECONDS));
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
    const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    const endsAt = Date.parse(started.expiresAt);
    assert.ok(Math.abs(endsAt - signedAt - URL_SECONDS * 1000) < 1000, 'both ends are the same');
    requireMoment(started.expiresAt, Date.now() + URL_SECONDS * 1000);
  });

  it('comes with the one header that the PUT must send, as it was announced', async () => {
    for (const contentType of [
      'image/png',
      'text/plain; charset=utf-8',
      'Text/HTML;charset="UTF-8"',
    ]) {
      const started = await one.start({ contentType, fileSizeBytes: 3 });
      assert.deepEqual(started.requiredHeaders, { 'Content-Type': contentType });
      await putAsTold(started, Buffer.from('abc'));
    }
  });
});
