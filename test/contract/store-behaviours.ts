import assert from 'node:assert/strict';
import * as sdk from '@aws-sdk/client-s3';
import * as stores from '../../dev/aws-double/behaviour.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { s3Client, startDouble } from '../harness/aws-double.ts';
import { MIB } from './store-under-test.ts';

const Bucket = 'bucket';
const OBJECT = { Bucket, Key: 'key' };

/**
 * Tests the settings of the double's behaviour with the SDK. Regions and conditions: `object-store.ts`; the order of listings,
 * and conditions once more: `integration/migration/any-store`.
 */
export function storeBehaviourContract(): void {
  let double: AwsDouble | undefined;
  let s3: sdk.S3Client;
  async function start(behaviour: stores.StoreBehaviour): Promise<AwsDouble> {
    await double?.close();
    double = await startDouble({ behaviour });
    double.putBucket({ name: Bucket });
    const { region = 'us-east-1' } = behaviour;
    s3 = s3Client(double, { region: region ?? '', requestChecksumCalculation: 'WHEN_REQUIRED' });
    return double;
  }
  afterEach(() => s3.destroy());
  after(() => double?.close());

  const put = (input: Partial<sdk.PutObjectCommandInput> = {}) =>
    s3.send(new sdk.PutObjectCommand({ ...OBJECT, Body: 'one', ...input }));
  const get = () => s3.send(new sdk.GetObjectCommand(OBJECT));
  const versions = () => s3.send(new sdk.ListObjectVersionsCommand({ Bucket }));
  const lifecycle = () => s3.send(new sdk.GetBucketLifecycleConfigurationCommand({ Bucket }));
  const versioning = () => s3.send(new sdk.GetBucketVersioningCommand({ Bucket }));
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(() => 'none').catch(({ name }: Error) => name);
  async function putParts(sizes: number[]) {
    const { UploadId } = await s3.send(new sdk.CreateMultipartUploadCommand(OBJECT));
    const Parts: sdk.CompletedPart[] = [];
    for (const [index, size] of sizes.entries()) {
      const PartNumber = index + 1;
      const part = { ...OBJECT, UploadId, PartNumber, Body: Buffer.alloc(size) };
      Parts.push({ PartNumber, ETag: (await s3.send(new sdk.UploadPartCommand(part))).ETag });
    }
    const input = { ...OBJECT, UploadId, MultipartUpload: { Parts } };
    await s3.send(new sdk.CompleteMultipartUploadCommand(input));
  }

  it('never keeps versions, and does not list any', async () => {
    const store = await start({ versions: 'never' });
    assert.equal((await versioning()).Status, undefined);
    assert.equal(await codeOf(versions()), 'NotImplemented');
    assert.throws(() => store.putBucket({ name: Bucket, versioning: 'Enabled' }), TypeError);
  });

  it('always keeps versions: a PUT keeps the former one, and a DELETE hides', async () => {
    await start({ versions: 'always' });
    assert.equal((await versioning()).Status, 'Enabled');
    await put();
    await put({ Body: 'two' });
    await s3.send(new sdk.DeleteObjectCommand(OBJECT));
    const { Versions, DeleteMarkers } = await versions();
    assert.deepEqual([Versions?.length, DeleteMarkers?.length], [2, 1]);
    assert.equal(await codeOf(get()), 'NoSuchKey');
  });

  it('stores a body of another MD5 if it ignores Content-MD5', async () => {
    const ContentMD5 = Buffer.alloc(16).toString('base64');
    await start({ contentMd5: 'checked' });
    assert.equal(await codeOf(put({ ContentMD5 })), 'BadDigest');
    await start({ contentMd5: 'ignored' });
    assert.equal(await codeOf(put({ ContentMD5 })), 'none');
  });

  it('completes an object of equal parts only', async () => {
    await start(stores.R2_BEHAVIOUR);
    assert.equal(await codeOf(putParts([5 * MIB, 5 * MIB, 1])), 'none');
    assert.equal(await codeOf(putParts([5 * MIB, 6 * MIB])), 'InvalidPart');
    assert.equal(await codeOf(putParts([6 * MIB, 5 * MIB, 1])), 'InvalidPart');
  });

  it('lists the uploads of exactly one key', async () => {
    await start(stores.MINIO_BEHAVIOUR);
    await s3.send(new sdk.CreateMultipartUploadCommand(OBJECT));
    for (const Prefix of ['', 'ke', 'key']) {
      const { Uploads } = await s3.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix }));
      assert.equal(Uploads?.length, Prefix === 'key' ? 1 : undefined, Prefix);
    }
  });

  it('lists its buckets without regions, and refuses to do so page by page', async () => {
    await start(stores.R2_BEHAVIOUR);
    const { Buckets } = await s3.send(new sdk.ListBucketsCommand({}));
    assert.deepEqual(Object.keys(Buckets?.[0] ?? {}).sort(), ['CreationDate', 'Name']);
    const paged = new sdk.ListBucketsCommand({ MaxBuckets: 10 });
    assert.equal(await codeOf(s3.send(paged)), 'NotImplemented');
  });

  it('gives a new bucket its settings, and lacks operations', async () => {
    await start(stores.R2_BEHAVIOUR);
    const { Rules } = await lifecycle();
    assert.equal(Rules?.[0]?.AbortIncompleteMultipartUpload?.DaysAfterInitiation, 7);
    await start(stores.STORJ_BEHAVIOUR);
    assert.equal(await codeOf(lifecycle()), 'NotImplemented');
  });

  it('refuses headers of requests about objects', async () => {
    await start(stores.B2_BEHAVIOUR);
    assert.equal(await codeOf(put({ Tagging: 'a=b' })), 'InvalidArgument');
    assert.equal(await codeOf(put({ ChecksumAlgorithm: 'SHA256' })), 'InvalidArgument');
    assert.equal(await codeOf(put()), 'none');
  });
}
