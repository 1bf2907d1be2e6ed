import assert from 'node:assert/strict';
import { request } from 'node:http';

import {
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import type { AwsDouble } from '../src/index.ts';
import { ADMIN, codeOf, failsWith, s3Client, startDouble } from './fixture.ts';

const Bucket = 'presigned';
const BODY = 'twelve bytes';

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly text: string;
}

async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, code: codeOf(text), text };
}

function put(url: string, body = BODY, type = 'text/plain'): Promise<Answer> {
  return send(url, { method: 'PUT', body, headers: { 'content-type': type } });
}

function swap(url: string, from: string, to: string): string {
  const swapped = url.replace(from, to);
  assert.notEqual(swapped, url);
  return swapped;
}

describe('presigned URLs at the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  before(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    double.putBucket({ name: 'far', region: 'eu-west-1' });
    s3 = presigner();
  });
  after(async () => {
    s3.destroy();
    await double.close();
  });

  function presigner(config: Parameters<typeof s3Client>[1] = {}): S3Client {
    return s3Client(double, {
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...config,
    });
  }
  function putUrl(Key = 'k', options: object = {}, client = s3): Promise<string> {
    const command = new PutObjectCommand({
      Bucket,
      Key,
      ContentType: 'text/plain',
      ContentLength: BODY.length,
    });
    const signableHeaders = new Set(['content-type', 'content-length', 'host']);
    return getSignedUrl(client, command, { expiresIn: 60, signableHeaders, ...options });
  }
  function getUrl(Key = 'k', options: object = {}, input: object = {}): Promise<string> {
    return getSignedUrl(s3, new GetObjectCommand({ Bucket, Key, ...input }), options);
  }

  it('accepts a PUT and a GET as signed', async () => {
    const Key = 'a/../b//c ä.txt';
    assert.deepEqual(await rawPut(await putUrl(Key)), 200);
    const object = await s3.send(new GetObjectCommand({ Bucket, Key }));
    assert.equal(await object.Body?.transformToString(), BODY);
  });

  // fetch would resolve the dots in the path.
  function rawPut(url: string): Promise<number> {
    const { host, port, search } = new URL(url);
    const path = url.slice(url.indexOf('/', 'http://'.length), url.indexOf('?')) + search;
    const headers = { host, 'content-type': 'text/plain', 'content-length': BODY.length };
    return new Promise((resolve, reject) => {
      const outgoing = request({ port, path, method: 'PUT', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      outgoing.on('error', reject).end(BODY);
    });
  }

  it('refuses another type, another size, no type and an added header', async () => {
    const url = await putUrl('refused');
    assert.equal((await put(url, BODY, 'text/html')).code, 'SignatureDoesNotMatch');
    assert.equal((await put(url, `${BODY}!`)).code, 'SignatureDoesNotMatch');
    const bytes = new TextEncoder().encode(BODY);
    assert.equal((await send(url, { method: 'PUT', body: bytes })).code, 'SignatureDoesNotMatch');
    const headers = { 'content-type': 'text/plain', 'x-amz-acl': 'public-read' };
    const added = await send(url, { method: 'PUT', body: BODY, headers });
    assert.deepEqual([added.status, added.code], [403, 'AccessDenied']);
    assert.match(added.text, /<HeadersNotSigned>x-amz-acl</);
    assert.equal((await send(await getUrl('refused'))).code, 'NoSuchKey');
  });

  it('refuses another key, method, query and signature', async () => {
    const url = await putUrl('mine');
    assert.equal((await put(swap(url, '/mine?', '/yours?'))).code, 'SignatureDoesNotMatch');
    assert.equal((await put(`${url}&versionId=x`)).code, 'SignatureDoesNotMatch');
    assert.equal((await send(url)).code, 'SignatureDoesNotMatch');
    assert.equal(
      (await put(swap(url, 'X-Amz-Expires=60', 'X-Amz-Expires=61'))).code,
      'SignatureDoesNotMatch',
    );
    const flipped = url.replace(
      /(X-Amz-Signature=.)(.)/,
      (_all, head: string, digit: string) => head + (digit === '0' ? '1' : '0'),
    );
    assert.equal((await put(flipped)).code, 'SignatureDoesNotMatch');
  });

  it('refuses a URL that is expired or not yet valid', async () => {
    const hour = 3_600_000;
    const past = await put(await putUrl('k', { signingDate: new Date(Date.now() - hour) }));
    assert.deepEqual([past.status, past.code], [403, 'AccessDenied']);
    assert.match(past.text, /<Message>Request has expired<\/Message>/);
    const future = await put(await putUrl('k', { signingDate: new Date(Date.now() + hour) }));
    assert.deepEqual([future.status, future.code], [403, 'AccessDenied']);
    assert.match(future.text, /not yet valid/);
  });

  it('refuses an expiry above a week or not a number', async () => {
    const url = await putUrl();
    const week = await put(swap(url, 'X-Amz-Expires=60', 'X-Amz-Expires=604801'));
    assert.deepEqual([week.status, week.code], [400, 'AuthorizationQueryParametersError']);
    const word = await put(swap(url, 'X-Amz-Expires=60', 'X-Amz-Expires=soon'));
    assert.equal(word.code, 'AuthorizationQueryParametersError');
  });

  it('refuses unknown and wrong keys', async () => {
    const unknown = { ...ADMIN, accessKeyId: 'AKIAUNKNOWN' };
    const first = await put(await putUrl('k', {}, presigner({ credentials: unknown })));
    assert.deepEqual([first.status, first.code], [403, 'InvalidAccessKeyId']);
    const wrong = { ...ADMIN, secretAccessKey: 'wrong' };
    const second = await put(await putUrl('k', {}, presigner({ credentials: wrong })));
    assert.deepEqual([second.status, second.code], [403, 'SignatureDoesNotMatch']);
  });

  it("names the right region for an unknown one, and redirects to the bucket's", async () => {
    const auto = await put(await putUrl('k', {}, presigner({ region: 'auto' })));
    assert.deepEqual([auto.status, auto.code], [400, 'AuthorizationQueryParametersError']);
    assert.match(auto.text, /<Region>us-east-1<\/Region>/);
    const far = await fetch(await getUrl('k', {}, { Bucket: 'far' }), { redirect: 'manual' });
    assert.equal(far.status, 301);
    assert.equal(far.headers.get('x-amz-bucket-region'), 'eu-west-1');
    assert.equal(codeOf(await far.text()), 'PermanentRedirect');
  });

  it('is reached by an SDK client that follows region redirects', async () => {
    const plain = s3Client(double);
    await assert.rejects(plain.send(new HeadBucketCommand({ Bucket: 'far' })), (error) => {
      const { $metadata } = error as { $metadata: { httpStatusCode?: number } };
      return $metadata.httpStatusCode === 301;
    });
    const following = s3Client(double, { followRegionRedirects: true });
    await following.send(new PutObjectCommand({ Bucket: 'far', Key: 'k', Body: 'x' }));
    const header = s3Client(double, { region: 'auto' });
    await assert.rejects(
      header.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' })),
      failsWith('AuthorizationHeaderMalformed', 400),
    );
  });

  it('verifies the body against a checksum in the presigned URL', async () => {
    const defaultClient = s3Client(double);
    const url = await getSignedUrl(defaultClient, new PutObjectCommand({ Bucket, Key: 'crc' }));
    assert.match(url, /x-amz-checksum-crc32/);
    assert.equal((await send(url, { method: 'PUT', body: BODY })).code, 'BadDigest');
  });

  it('overrides headers by query', async () => {
    await s3.send(new PutObjectCommand({ Bucket, Key: 'named', Body: 'x' }));
    const disposition = "attachment; filename*=UTF-8''%C3%A4.txt";
    const url = await getUrl('named', {}, { ResponseContentDisposition: disposition });
    const answer = await fetch(url);
    assert.equal(answer.headers.get('content-disposition'), disposition);
    await answer.text();
  });

  it('refuses anonymous requests', async () => {
    const answer = await send(`${double.s3Endpoint}/${Bucket}/k`);
    assert.deepEqual([answer.status, answer.code], [403, 'AccessDenied']);
  });

  it('serves virtual-hosted clients', async () => {
    const url = new URL(double.s3Endpoint);
    const endpoint = `http://s3.localhost:${url.port}`;
    const virtual = s3Client(double, { endpoint, forcePathStyle: false });
    // No name server need know the host: the test itself leads the connection home.
    const signed = await getSignedUrl(virtual, new GetObjectCommand({ Bucket, Key: 'virtual' }));
    assert.equal(new URL(signed).hostname, `${Bucket}.s3.localhost`);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'virtual', Body: 'here' }));
    const { pathname, search, host } = new URL(signed);
    const text = await new Promise<string>((resolve, reject) => {
      const options = { port: url.port, path: pathname + search, headers: { host } };
      request(options, (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
        answer.on('end', () => resolve(body));
      })
        .on('error', reject)
        .end();
    });
    assert.equal(text, 'here');
  });

  it('refuses header-signed requests with a clock 16 minutes off', async () => {
    const late = await startDouble({ now: () => Date.now() + 16 * 60_000 });
    try {
      // Without retries the SDK does not get to correct its clock.
      const skewed = s3Client(late);
      await assert.rejects(
        skewed.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' })),
        failsWith('RequestTimeTooSkewed', 403),
      );
    } finally {
      await late.close();
    }
  });
});
