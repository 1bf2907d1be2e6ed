import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import type { AwsDouble } from '../src/index.ts';
import { s3Client, startDouble } from './fixture.ts';

const Bucket = 'files';
const MIB = 1024 * 1024;

describe('body files of the AWS double', () => {
  let double: AwsDouble;
  let dataDirectory: string;

  beforeEach(async () => {
    dataDirectory = join(tmpdir(), `aws-double-${randomUUID()}`);
    double = await startDouble({ dataDirectory, memoryLimitBytes: MIB });
    double.putBucket({ name: Bucket });
  });
  afterEach(() => double.close());

  async function files(): Promise<number> {
    return existsSync(dataDirectory) ? (await readdir(dataDirectory)).length : 0;
  }

  it('are removed with their object, and all of them on close', async () => {
    const s3 = s3Client(double);
    const put = (Key: string, size: number): Promise<unknown> =>
      s3.send(new PutObjectCommand({ Bucket, Key, Body: randomBytes(size) }));
    await put('small', 1000);
    assert.equal(await files(), 0);
    await put('a', 2 * MIB);
    await put('b', 2 * MIB);
    assert.equal(await files(), 2);
    await put('a', 3 * MIB);
    assert.equal(await files(), 2);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    assert.equal(await files(), 1);
    await double.close();
    assert.ok(!existsSync(dataDirectory));
  });

  it('are removed when an upload is aborted', async () => {
    const s3 = s3Client(double, { requestChecksumCalculation: 'WHEN_REQUIRED' });
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'broken' }));
    const headers = { 'content-length': 10 * MIB };
    const outgoing = request(url, { method: 'PUT', headers });
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(3 * MIB));
    const until = async (count: number): Promise<void> => {
      while ((await files()) !== count) await new Promise((resolve) => setImmediate(resolve));
    };
    await until(1);
    outgoing.destroy();
    await until(0);
  });
});
