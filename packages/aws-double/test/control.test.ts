import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';

import type { AwsDouble } from '../src/index.ts';
import { ADMIN, failsWith, s3Client, startDouble, stsClient } from './fixture.ts';

const Bucket = 'steered';

describe('control over the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  beforeEach(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = s3Client(double);
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  async function read(Key: string): Promise<Buffer> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }
  function put(Key: string): Promise<unknown> {
    return s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  }

  it('fails the given number of times, then succeeds', async () => {
    double.addFault({ effect: 'slow_down', operation: 'PutObject', times: 2 });
    await assert.rejects(put('k'), failsWith('SlowDown', 503));
    await assert.rejects(put('k'), failsWith('SlowDown', 503));
    await put('k');
  });

  it('fails matching requests only, until cleared', async () => {
    double.addFault({ effect: 'internal_error', operation: 'Put*', key: 'bad/*' });
    double.addFault({ effect: 'access_denied', bucket: 'other' });
    await assert.rejects(put('bad/1'), failsWith('InternalError', 500));
    await put('good/1');
    double.clearFaults();
    await put('bad/1');
  });

  it('skips a number of requests', async () => {
    double.addFault({ effect: 'access_denied', skip: 1, times: 1 });
    await put('1');
    await assert.rejects(put('2'), failsWith('AccessDenied', 403));
    await put('3');
  });

  it('cuts a download in the middle', async () => {
    double.seed({ bucket: Bucket, objects: [{ key: 'k', size: 1_000_000 }] });
    double.addFault({ effect: 'cut', operation: 'GetObject', times: 1 });
    await assert.rejects(read('k'), /aborted|reset|terminated|hang up/i);
    assert.equal((await read('k')).length, 1_000_000);
  });

  it('cuts an upload before anything is stored, or after all of it', async () => {
    double.addFault({ effect: 'cut', operation: 'PutObject', times: 1 });
    await assert.rejects(put('lost'));
    await assert.rejects(s3.send(new HeadObjectCommand({ Bucket, Key: 'lost' })));
    double.addFault({ effect: 'cut', operation: 'PutObject', at: 'response', times: 1 });
    await assert.rejects(put('done'));
    await s3.send(new HeadObjectCommand({ Bucket, Key: 'done' }));
  });

  it('answers a well-formed truncated body', async () => {
    double.seed({ bucket: Bucket, objects: [{ key: 'k', size: 1000 }] });
    double.addFault({ effect: 'truncate', times: 1 });
    assert.equal((await read('k')).length, 500);
  });

  it('hangs until the client disconnects', async () => {
    double.addFault({ effect: 'hang', times: 1 });
    const abort = new AbortController();
    const hanging = s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }), {
      abortSignal: abort.signal,
    });
    const refused = assert.rejects(hanging, { name: 'AbortError' });
    while (double.counts().byOperation['PutObject'] === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    abort.abort();
    await refused;
  });

  it('matches STS too', async () => {
    double.addFault({ effect: 'internal_error', service: 'sts', times: 1 });
    const sts = stsClient(double);
    await assert.rejects(
      sts.send(new GetCallerIdentityCommand({})),
      failsWith('InternalError', 500),
    );
    await sts.send(new GetCallerIdentityCommand({}));
  });

  it('counts requests by operation and caller', async () => {
    await put('a');
    await put('b');
    await s3.send(new ListObjectsV2Command({ Bucket }));
    await fetch(`${double.s3Endpoint}/${Bucket}`).then((answer) => answer.text());
    const { total, byOperation, byCaller } = double.counts();
    assert.equal(total, 4);
    assert.deepEqual(byOperation, { PutObject: 2, ListObjectsV2: 1, ListObjects: 1 });
    assert.deepEqual(byCaller, {
      'arn:aws:iam::111122223333:user/admin': { PutObject: 2, ListObjectsV2: 1 },
      anonymous: { ListObjects: 1 },
    });
    assert.deepEqual(
      double.requests().map(({ operation, key, status }) => [operation, key, status]),
      [
        ['PutObject', 'a', 200],
        ['PutObject', 'b', 200],
        ['ListObjectsV2', null, 200],
        ['ListObjects', null, 403],
      ],
    );
    double.resetCounters();
    assert.equal(double.counts().total, 0);
  });

  it('is controlled by other processes over HTTP', async () => {
    const call = async (method: string, path: string, body?: object): Promise<unknown> => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const answer = await fetch(`${double.controlEndpoint}${path}`, init);
      assert.equal(answer.status, 200, path);
      return answer.json();
    };
    const user = { accessKeyId: 'AKIAFARAWAY', secretAccessKey: 'far' };
    await call('POST', '/users', user);
    await call('POST', '/buckets', { name: 'by-http', region: 'eu-west-1' });
    await call('POST', '/seed', {
      bucket: 'by-http',
      objects: [{ key: 'k', text: 'hello' }],
      generated: [{ count: 5, keyPattern: 'g/{i:3}', size: 10 }],
    });
    const far = s3Client(double, { credentials: user, region: 'eu-west-1' });
    const list = await far.send(new ListObjectsV2Command({ Bucket: 'by-http' }));
    assert.equal(list.KeyCount, 6);
    await call('POST', '/faults', { effect: 'slow_down', times: 1 });
    await assert.rejects(
      far.send(new ListObjectsV2Command({ Bucket: 'by-http' })),
      failsWith('SlowDown', 503),
    );
    const counts = (await call('GET', '/requests')) as { total: number; requests: unknown[] };
    assert.deepEqual([counts.total, counts.requests.length], [2, 2]);
    await call('POST', '/reset-counters');
    await call('DELETE', '/users', user);
    await assert.rejects(
      far.send(new ListObjectsV2Command({ Bucket: 'by-http' })),
      failsWith('InvalidAccessKeyId', 403),
    );
    const wrong = await fetch(`${double.controlEndpoint}/seed`, {
      method: 'POST',
      body: JSON.stringify({ bucket: 'absent' }),
    });
    assert.equal(wrong.status, 400);
  });
});

describe('seeded objects of the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  before(async () => {
    double = await startDouble();
    double.putBucket({ name: Bucket });
    s3 = s3Client(double);
  });
  after(async () => {
    s3.destroy();
    await double.close();
  });

  async function read(Key: string, Range?: string): Promise<Buffer> {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  it('have the MD5 of their bytes as ETag, and the same bytes at every read', async () => {
    const sizes = [0, 1, 31, 32, 33, 1000, 262_144, 262_176, 1_000_001];
    double.seed({
      bucket: Bucket,
      objects: sizes.map((size) => ({ key: `size-${size}`, size })),
      generated: [{ count: 20, keyPattern: 'g/{i}', size: [10, 5000, 300_000] }],
    });
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    assert.equal(Contents.length, sizes.length + 20);
    const seen = new Set<string>();
    for (const { Key = '', ETag, Size = 0 } of Contents) {
      const bytes = await read(Key);
      assert.equal(bytes.length, Size);
      assert.equal(ETag, `"${createHash('md5').update(bytes).digest('hex')}"`);
      seen.add(bytes.toString('latin1'));
    }
    assert.equal(seen.size, Contents.length, 'no two objects are alike');
    const whole = await read('size-1000001');
    assert.deepEqual(
      await read('size-1000001', 'bytes=262140-262150'),
      whole.subarray(262_140, 262_151),
    );
    assert.deepEqual(await read('size-1000001', 'bytes=-40'), whole.subarray(-40));
    assert.deepEqual(await read('size-1000001', 'bytes=17-999999'), whole.subarray(17, 1_000_000));
  });

  it('may be a terabyte, of which a range is read', async () => {
    double.seed({ bucket: Bucket, objects: [{ key: 'huge', size: 2 ** 40 }] });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'huge' }));
    assert.equal(head.ContentLength, 2 ** 40);
    assert.match(head.ETag ?? '', /^"[0-9a-f]{32}-131072"$/);
    const Range = `bytes=${2 ** 40 - 100}-`;
    assert.equal((await read('huge', Range)).length, 100);
  });

  it('are a million by one call, listed, read and overwritten like any other', async () => {
    const bucket = 'million';
    double.putBucket({ name: bucket });
    const lastModified = { from: '2024-01-01T00:00:00Z', to: '2024-12-31T00:00:00Z' };
    const keyPattern = 'd{i%7}/{i/1000}/{i}.log';
    const generated = [{ count: 1_000_000, keyPattern, size: { from: 1, to: 1000 }, lastModified }];
    double.seed({ bucket, generated });
    const input = { Bucket: bucket, Prefix: 'd3/5', StartAfter: 'd3/55/' };
    const { Contents = [] } = await s3.send(new ListObjectsV2Command(input));
    assert.equal(Contents.length, 1000);
    const keys = Contents.map(({ Key = '' }) => Key);
    assert.deepEqual(keys, [...keys].sort());
    const groups = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Delimiter: '/' }));
    assert.equal(groups.CommonPrefixes?.length, 7);
    const [Key = ''] = keys;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'mine' }));
    const again = await s3.send(new ListObjectsV2Command(input));
    assert.deepEqual([again.Contents?.[0]?.Key, again.Contents?.[0]?.Size], [Key, 4]);
    assert.equal(again.Contents?.[1]?.Key, keys[1]);
  });

  it('refuses a pattern that gives a key twice', () => {
    const generated = [{ count: 10, keyPattern: 'k{i%3}' }];
    assert.throws(() => double.seed({ bucket: Bucket, generated }), /repeats the key/);
  });
});

describe('users without policies', () => {
  it('may do everything in their account, and users with policies only what these allow', async () => {
    const double = await startDouble();
    try {
      double.putBucket({ name: Bucket });
      const Statement = [
        { Effect: 'Allow', Action: 's3:PutObject', Resource: `arn:aws:s3:::${Bucket}/in/*` },
      ] as const;
      const writer = { accessKeyId: 'AKIAWRITER', secretAccessKey: 'w' };
      double.putUser({ ...writer, policies: [{ Statement }] });
      const admin = s3Client(double, { credentials: ADMIN });
      const narrow = s3Client(double, { credentials: writer });
      await narrow.send(new PutObjectCommand({ Bucket, Key: 'in/a', Body: '' }));
      await assert.rejects(
        narrow.send(new PutObjectCommand({ Bucket, Key: 'out/a', Body: '' })),
        failsWith('AccessDenied', 403),
      );
      await admin.send(new GetObjectCommand({ Bucket, Key: 'in/a' }));
    } finally {
      await double.close();
    }
  });
});
