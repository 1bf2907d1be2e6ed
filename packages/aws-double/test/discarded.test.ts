import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../src/index.ts';
import { failsWith, s3Client, startDouble } from './fixture.ts';

const Bucket = 'sizes-only';
const MIB = 1024 * 1024;
const KEPT_BYTES = 1000;

describe('bodies that the AWS double does not keep', () => {
  let double: AwsDouble;
  let s3: S3Client;
  let dataDirectory: string;

  beforeEach(async () => {
    dataDirectory = join(tmpdir(), `aws-double-${randomUUID()}`);
    double = await startDouble({ dataDirectory, memoryLimitBytes: 0 });
    double.putBucket({ name: Bucket, keepBodiesUpToBytes: KEPT_BYTES });
    s3 = s3Client(double);
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  const md5 = (...bytes: Buffer[]): Buffer =>
    createHash('md5').update(Buffer.concat(bytes)).digest();
  const etagOf = (body: Buffer): string => `"${md5(body).toString('hex')}"`;
  const put = (Key: string, Body: Buffer, options: object = {}): Promise<unknown> =>
    s3.send(new PutObjectCommand({ Bucket, Key, Body, ...options }));
  async function read(Key: string, range?: [first: number, last: number]): Promise<Buffer> {
    const Range = range === undefined ? undefined : `bytes=${range.join('-')}`;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, Range }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }
  async function head(Key: string): Promise<[size: number | undefined, etag: string | undefined]> {
    const { ContentLength, ETag } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    return [ContentLength, ETag];
  }
  const notKept = failsWith('NotImplemented', 501);

  it('have their size and ETag, and cannot be read', async () => {
    const body = randomBytes(KEPT_BYTES + 1);
    await put('k', body);
    assert.deepEqual(await head('k'), [body.length, etagOf(body)]);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    assert.deepEqual(
      Contents.map(({ Key, Size, ETag }) => [Key, Size, ETag]),
      [['k', body.length, etagOf(body)]],
    );
    await assert.rejects(read('k'), notKept);
    await assert.rejects(read('k', [0, 0]), notKept);
    assert.ok(!existsSync(dataDirectory));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
  });

  it('are verified', async () => {
    const body = randomBytes(2 * KEPT_BYTES);
    const ContentMD5 = md5(Buffer.from('other')).toString('base64');
    await assert.rejects(put('k', body, { ContentMD5 }), failsWith('BadDigest', 400));
    const ChecksumSHA256 = createHash('sha256').update('other').digest('base64');
    await assert.rejects(put('k', body, { ChecksumSHA256 }), failsWith('BadDigest', 400));
    await assert.rejects(head('k'), failsWith('NotFound', 404));
  });

  it('are those above the limit of their bucket, from the moment it is set', async () => {
    const atLimit = randomBytes(KEPT_BYTES);
    await put('at limit', atLimit);
    assert.deepEqual(await read('at limit'), atLimit);
    const large = randomBytes(2 * KEPT_BYTES);
    await put('replaced', large);
    double.putBucket({ name: Bucket, keepBodiesUpToBytes: large.length });
    await put('kept', large);
    await assert.rejects(read('replaced'), notKept);
    await put('replaced', large);
    double.putBucket({ name: Bucket, keepBodiesUpToBytes: 0 });
    assert.deepEqual(await read('replaced'), large);
    assert.deepEqual(await read('kept'), large);
    await put('empty', Buffer.alloc(0));
    assert.deepEqual(await read('empty'), Buffer.alloc(0));
  });

  it('are the larger parts of a multipart upload, and the ranges with bytes of them', async () => {
    const bodies = [randomBytes(5 * MIB), randomBytes(5 * MIB), randomBytes(KEPT_BYTES)];
    const [Key, whole] = ['k', Buffer.concat(bodies)];
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const target = { Bucket, Key, UploadId };
    for (const [index, Body] of bodies.entries())
      await s3.send(new UploadPartCommand({ ...target, PartNumber: index + 1, Body }));
    const { Parts = [] } = await s3.send(new ListPartsCommand(target));
    assert.deepEqual(
      Parts.map(({ PartNumber, Size, ETag }) => [PartNumber, Size, ETag]),
      bodies.map((body, index) => [index + 1, body.length, etagOf(body)]),
    );
    const MultipartUpload = {
      Parts: Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
    };
    await s3.send(new CompleteMultipartUploadCommand({ ...target, MultipartUpload }));
    const etag = `"${md5(...bodies.map((body) => md5(body))).toString('hex')}-3"`;
    assert.deepEqual(await head(Key), [whole.length, etag]);
    await assert.rejects(read(Key), notKept);
    const tail = 10 * MIB;
    await assert.rejects(read(Key, [tail - 1, tail + 1]), notKept);
    const last = whole.length - 1;
    assert.deepEqual(await read(Key, [tail, last]), bodies[2]);
    assert.deepEqual(await read(Key, [last - 1, last]), whole.subarray(last - 1));
  });

  it('stay unreadable in copies', async () => {
    const body = randomBytes(2 * KEPT_BYTES);
    await put('k', body);
    double.putBucket({ name: Bucket, keepBodiesUpToBytes: MIB });
    const CopySource = `${Bucket}/k`;
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
    assert.deepEqual(await head('copy'), [body.length, etagOf(body)]);
    await assert.rejects(read('copy'), notKept);
  });
});
