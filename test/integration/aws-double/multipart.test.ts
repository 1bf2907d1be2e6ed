import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../../../dev/aws-double/index.ts';
import { failsWith, s3Client, startDouble } from '../../harness/aws-double.ts';

const Bucket = 'parts';
const MIB = 1024 * 1024;

describe('multipart uploads to the AWS double', () => {
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

  async function create(Key: string, options: object = {}): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket, Key, ...options });
    return (await s3.send(command)).UploadId ?? '';
  }
  async function part(
    Key: string,
    UploadId: string,
    PartNumber: number,
    Body: Buffer,
  ): Promise<CompletedPart> {
    const { ETag } = await s3.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
    );
    return { PartNumber, ETag };
  }
  function complete(Key: string, UploadId: string, Parts: CompletedPart[]): Promise<unknown> {
    const MultipartUpload = { Parts };
    return s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
  }

  it('concatenates parts, with the ETag of S3', async () => {
    const bytes = [randomBytes(5 * MIB), randomBytes(6 * MIB), randomBytes(10)];
    const UploadId = await create('k', { ContentType: 'a/b', Metadata: { m: '1' } });
    const parts = await Promise.all(bytes.map((body, at) => part('k', UploadId, at + 1, body)));
    await complete('k', UploadId, parts);
    const md5s = bytes.map((body) => createHash('md5').update(body).digest());
    const md5 = createHash('md5').update(Buffer.concat(md5s)).digest('hex');
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    assert.equal(head.ETag, `"${md5}-3"`);
    assert.deepEqual([head.ContentType, head.Metadata], ['a/b', { m: '1' }]);
    const whole = await s3.send(new GetObjectCommand({ Bucket, Key: 'k' }));
    const read = Buffer.from((await whole.Body?.transformToByteArray()) ?? []);
    assert.ok(read.equals(Buffer.concat(bytes)));
    const Range = `bytes=${5 * MIB - 3}-${5 * MIB + 2}`;
    const seam = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    assert.deepEqual(
      Buffer.from((await seam.Body?.transformToByteArray()) ?? []),
      Buffer.concat(bytes).subarray(5 * MIB - 3, 5 * MIB + 3),
    );
  });

  it('refuses small, missing, misplaced and wrong parts', async () => {
    const UploadId = await create('k');
    const one = await part('k', UploadId, 1, Buffer.alloc(10));
    const two = await part('k', UploadId, 2, Buffer.alloc(11));
    const refused = (parts: CompletedPart[], code: string): Promise<void> =>
      assert.rejects(complete('k', UploadId, parts), failsWith(code, 400));
    await refused([one, two], 'EntityTooSmall');
    await refused([two, one], 'InvalidPartOrder');
    await refused([one, { ...two, PartNumber: 3 }], 'InvalidPart');
    await refused([{ ...two, PartNumber: 3 }], 'InvalidPart');
    await refused([{ ...one, ETag: '"wrong"' }], 'InvalidPart');
    await refused([], 'MalformedXML');
    await assert.rejects(
      part('k', UploadId, 10_001, Buffer.alloc(1)),
      failsWith('InvalidArgument', 400),
    );
    await complete('k', UploadId, [two]);
    await assert.rejects(complete('k', UploadId, [two]), failsWith('NoSuchUpload', 404));
  });

  it('lists parts in pages, a replaced one once', async () => {
    const UploadId = await create('k');
    for (const PartNumber of [3, 1, 2, 2]) {
      await part('k', UploadId, PartNumber, Buffer.alloc(PartNumber));
    }
    const upload = { Bucket, Key: 'k', UploadId };
    const first = await s3.send(new ListPartsCommand({ ...upload, MaxParts: 2 }));
    assert.deepEqual(
      first.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]),
      [
        [1, 1],
        [2, 2],
      ],
    );
    assert.equal(first.IsTruncated, true);
    const rest = await s3.send(
      new ListPartsCommand({ ...upload, PartNumberMarker: first.NextPartNumberMarker }),
    );
    assert.deepEqual([rest.Parts?.length, rest.IsTruncated], [1, false]);
  });

  it('removes an aborted upload', async () => {
    const UploadId = await create('k');
    await part('k', UploadId, 1, Buffer.alloc(5 * MIB));
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key: 'k', UploadId }));
    await assert.rejects(part('k', UploadId, 1, Buffer.alloc(1)), failsWith('NoSuchUpload', 404));
    const left = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
    assert.equal(left.Uploads, undefined);
  });

  it('lists seeded uploads with their dates, by prefix, delimiter and page', async () => {
    const uploads = ['a/1', 'a/2', 'b', 'b', 'c'].map((key, at) => ({
      key,
      initiated: `2024-01-0${at + 1}T00:00:00Z`,
      partSizes: [5 * MIB, 7],
    }));
    double.seed({ bucket: Bucket, uploads });
    const keys: string[] = [];
    let markers = {};
    for (let more = true; more;) {
      const page = await s3.send(
        new ListMultipartUploadsCommand({ Bucket, MaxUploads: 2, ...markers }),
      );
      keys.push(
        ...(page.Uploads ?? []).map(({ Key, Initiated }) => `${Key} ${Initiated?.getUTCDate()}`),
      );
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      more = page.IsTruncated === true;
    }
    assert.deepEqual(keys, ['a/1 1', 'a/2 2', 'b 3', 'b 4', 'c 5']);
    const grouped = await s3.send(new ListMultipartUploadsCommand({ Bucket, Delimiter: '/' }));
    assert.deepEqual([grouped.Uploads?.length, grouped.CommonPrefixes], [3, [{ Prefix: 'a/' }]]);
    const narrow = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'c' }));
    const UploadId = narrow.Uploads?.[0]?.UploadId;
    const { Parts } = await s3.send(new ListPartsCommand({ Bucket, Key: 'c', UploadId }));
    assert.deepEqual(
      Parts?.map(({ Size }) => Size),
      [5 * MIB, 7],
    );
  });
});
