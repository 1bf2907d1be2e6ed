import assert from 'node:assert/strict';

import {
  DeleteBucketCorsCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  type CORSRule,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import type { AwsDouble } from '../src/index.ts';
import { codeOf, failsWith, s3Client, startDouble } from './fixture.ts';

const ORIGIN = 'https://app.example.com';
const RULE = {
  AllowedOrigins: [ORIGIN],
  AllowedMethods: ['PUT', 'GET'],
  AllowedHeaders: ['Content-Type'],
  ExposeHeaders: ['ETag'],
  MaxAgeSeconds: 600,
} satisfies CORSRule;
const Bucket = 'pages';

describe('CORS of the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  beforeEach(async () => {
    double = await startDouble();
    s3 = s3Client(double, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    double.putBucket({ name: Bucket });
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  const put = (...CORSRules: CORSRule[]) =>
    s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
  const preflight = (headers: Record<string, string>, path = `/${Bucket}/some/key`) =>
    fetch(`${double.s3Endpoint}${path}`, { method: 'OPTIONS', headers });
  const ask = (origin = ORIGIN, method = 'PUT', names = 'content-type') =>
    preflight({
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names,
    });
  const corsOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => /^(?:access-control-|vary)/.test(name)));

  it('answers the preflight of a request that a rule allows, without a signature', async () => {
    await put(RULE);
    const answer = await ask();
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), '');
    assert.deepEqual(corsOf(answer), {
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'PUT, GET',
      'access-control-allow-headers': 'content-type',
      'access-control-expose-headers': 'ETag',
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    });
    assert.equal(
      (await preflight({ origin: ORIGIN, 'access-control-request-method': 'GET' })).status,
      200,
    );
  });

  it('refuses what no rule allows: origin, method or header', async () => {
    await put(RULE);
    for (const answer of [
      await ask('https://evil.example.com'),
      await ask('http://app.example.com'),
      await ask(ORIGIN, 'DELETE'),
      await ask(ORIGIN, 'PUT', 'content-type, x-other'),
    ]) {
      const text = await answer.text();
      assert.deepEqual([answer.status, codeOf(text)], [403, 'AccessForbidden']);
      assert.match(text, /CORSResponse: This CORS request is not allowed/);
      assert.deepEqual(corsOf(answer), {});
    }
  });

  it('refuses every preflight of a bucket without rules, and of no bucket', async () => {
    const answer = await ask();
    const text = await answer.text();
    assert.deepEqual([answer.status, codeOf(text)], [403, 'AccessForbidden']);
    assert.match(text, /CORSResponse: CORS is not enabled for this bucket/);
    await put(RULE);
    await s3.send(new DeleteBucketCorsCommand({ Bucket }));
    assert.equal((await ask()).status, 403);
    const headers = { origin: ORIGIN, 'access-control-request-method': 'PUT' };
    const missing = await preflight(headers, '/no-such-bucket/key');
    assert.deepEqual([missing.status, codeOf(await missing.text())], [404, 'NoSuchBucket']);
  });

  it('refuses a preflight without origin or method', async () => {
    await put(RULE);
    for (const headers of [
      { 'access-control-request-method': 'PUT' },
      { origin: ORIGIN },
      { origin: ORIGIN, 'access-control-request-method': 'PATCH' },
    ] as Record<string, string>[]) {
      const answer = await preflight(headers);
      assert.deepEqual([answer.status, codeOf(await answer.text())], [400, 'BadRequest']);
    }
  });

  it('takes one wildcard in an origin and in a header, and compares headers without case', async () => {
    await put({
      AllowedOrigins: ['https://*.example.com'],
      AllowedMethods: ['PUT'],
      AllowedHeaders: ['X-Amz-*', 'content-md5'],
    });
    assert.equal((await ask(ORIGIN, 'PUT', 'Content-MD5,x-amz-meta-a')).status, 200);
    assert.equal((await ask('https://example.com', 'PUT', 'content-md5')).status, 403);
    assert.equal((await ask('https://.example.com', 'PUT', '')).status, 200);
    assert.equal((await ask(ORIGIN, 'PUT', 'content-type')).status, 403);
    await put({ AllowedOrigins: ['*'], AllowedMethods: ['PUT'], AllowedHeaders: ['*'] });
    const any = await ask('null', 'PUT', 'content-type, x-other');
    assert.deepEqual(
      [
        any.headers.get('access-control-allow-origin'),
        any.headers.get('access-control-allow-headers'),
      ],
      ['*', 'content-type, x-other'],
    );
    assert.equal(any.headers.get('access-control-allow-credentials'), null);
  });

  it('takes the first rule that allows the request as a whole', async () => {
    await put(
      { AllowedOrigins: ['*'], AllowedMethods: ['GET'], AllowedHeaders: ['*'] },
      {
        AllowedOrigins: [ORIGIN],
        AllowedMethods: ['PUT'],
        AllowedHeaders: ['*'],
        MaxAgeSeconds: 5,
      },
    );
    assert.equal((await ask()).headers.get('access-control-max-age'), '5');
    assert.equal((await ask('https://other.example.com')).status, 403);
  });

  it('lets the page of an allowed origin read the answer, also a refusal', async () => {
    await put(RULE);
    const url = await getSignedUrl(
      s3,
      new PutObjectCommand({ Bucket, Key: 'k', ContentType: 'text/plain' }),
      { signableHeaders: new Set(['content-type']) },
    );
    const send = (origin: string, type = 'text/plain') =>
      fetch(url, { method: 'PUT', body: 'x', headers: { origin, 'content-type': type } });
    const { 'access-control-allow-headers': _asked, ...expected } = corsOf(await ask());
    const sent = await send(ORIGIN);
    assert.equal(sent.status, 200);
    assert.deepEqual(corsOf(sent), expected);
    const refused = await send(ORIGIN, 'text/html');
    assert.equal(refused.status, 403);
    assert.deepEqual(corsOf(refused), expected);
    const foreign = await send('https://evil.example.com');
    assert.equal(foreign.status, 200);
    assert.deepEqual(corsOf(foreign), {});
  });

  it('refuses rules that S3 refuses', async () => {
    const refused: [Partial<CORSRule>, string][] = [
      [{ AllowedMethods: ['PATCH'] }, 'InvalidRequest'],
      [{ AllowedOrigins: ['https://*.*.com'] }, 'InvalidRequest'],
      [{ AllowedHeaders: ['*-*'] }, 'InvalidRequest'],
      [{ AllowedOrigins: [] }, 'MalformedXML'],
    ];
    for (const [change, code] of refused)
      await assert.rejects(put({ ...RULE, ...change }), failsWith(code, 400));
    await assert.rejects(put(), failsWith('MalformedXML', 400));
  });

  it('counts preflights, and takes faults for them', async () => {
    await put(RULE);
    double.addFault({ effect: 'internal_error', operation: 'OptionsObject', times: 1 });
    assert.equal((await ask()).status, 500);
    assert.equal((await ask()).status, 200);
    const counted = double.requests().filter(({ operation }) => operation === 'OptionsObject');
    assert.deepEqual(
      counted.map(({ status, caller }) => [status, caller]),
      [
        [500, null],
        [200, null],
      ],
    );
  });
});
