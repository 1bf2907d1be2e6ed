import assert from 'node:assert/strict';
import * as sdk from '@aws-sdk/client-s3';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import * as behaviours from '../../dev/aws-double/behaviour.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { ADMIN, s3Client, startDouble } from '../harness/aws-double.ts';
import { MIB } from './store-under-test.ts';

const { B2_BEHAVIOUR, MINIO_BEHAVIOUR, R2_BEHAVIOUR, STORJ_BEHAVIOUR } = behaviours;
const Bucket = 'bucket';
const Key = 'key';
const OBJECT = { Bucket, Key, Body: 'one' };
const NO_CHECKSUMS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

/** Tests each setting of the double's behaviour, with the SDK. */
export function storeBehaviourContract(): void {
  let double: AwsDouble;
  let s3: sdk.S3Client;
  async function start(behaviour: behaviours.StoreBehaviour): Promise<void> {
    await stop();
    double = await startDouble({ behaviour });
    double.putBucket({ name: Bucket });
    s3 = s3Client(double, { region: behaviour.region ?? 'us-east-1', ...NO_CHECKSUMS });
  }
  async function stop(): Promise<void> {
    s3?.destroy();
    await double?.close();
  }
  after(stop);

  const put = (input: Partial<sdk.PutObjectCommandInput> = {}) =>
    s3.send(new sdk.PutObjectCommand({ ...OBJECT, ...input }));
  const versions = () => s3.send(new sdk.ListObjectVersionsCommand({ Bucket }));
  const lifecycle = () => s3.send(new sdk.GetBucketLifecycleConfigurationCommand({ Bucket }));
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'none',
      (error: Error) => error.name,
    );
  async function begin(key = Key): Promise<string> {
    const command = new sdk.CreateMultipartUploadCommand({ Bucket, Key: key });
    return (await s3.send(command)).UploadId ?? assert.fail();
  }
  async function complete(sizes: readonly number[], IfNoneMatch?: string) {
    const upload = { Bucket, Key, UploadId: await begin() };
    const Parts: sdk.CompletedPart[] = [];
    for (const [index, size] of sizes.entries()) {
      const part = { ...upload, PartNumber: index + 1, Body: Buffer.alloc(size) };
      const { ETag } = await s3.send(new sdk.UploadPartCommand(part));
      Parts.push({ PartNumber: index + 1, ETag });
    }
    const condition = IfNoneMatch === undefined ? {} : { IfNoneMatch };
    const input = { ...upload, ...condition, MultipartUpload: { Parts } };
    return await s3.send(new sdk.CompleteMultipartUploadCommand(input));
  }

  it('has one region under several names, and its own code for any other name', async () => {
    await start(R2_BEHAVIOUR);
    const http = createStoreHttp();
    const endpoints = { r2: double.s3Endpoint };
    const open = createObjectStores({ http, endpoints, now: () => new Date(), idleMs: 5_000 });
    const list = (region: string) =>
      open({ provider: 'r2', bucketName: Bucket, region, accountId: 'a' }, ADMIN).list({
        prefix: '',
        after: null,
      });
    for (const region of ['auto', 'us-east-1', 'weur', ''])
      assert.deepEqual((await list(region)).entries, [], region);
    await http.close();
    s3 = s3Client(double, { region: 'eu-west-1' });
    assert.equal(await codeOf(lifecycle()), 'InvalidRegionName');
    assert.throws(() => double.putBucket({ name: 'other', region: 'eu-west-1' }), TypeError);
    await start(MINIO_BEHAVIOUR);
    s3 = s3Client(double, { region: 'anywhere-7' });
    assert.equal(await codeOf(put()), 'none');
  });

  it('never keeps versions, and does not list any', async () => {
    await start({ versions: 'never' });
    const { Status } = await s3.send(new sdk.GetBucketVersioningCommand({ Bucket }));
    assert.equal(Status, undefined);
    assert.equal(await codeOf(versions()), 'NotImplemented');
    assert.throws(() => double.putBucket({ name: Bucket, versioning: 'Enabled' }), TypeError);
  });

  it('always keeps versions: a PUT keeps the former one, and a DELETE hides', async () => {
    await start({ versions: 'always' });
    const { Status } = await s3.send(new sdk.GetBucketVersioningCommand({ Bucket }));
    assert.equal(Status, 'Enabled');
    await put();
    await put({ Body: 'two' });
    await s3.send(new sdk.DeleteObjectCommand({ Bucket, Key }));
    const { Versions = [], DeleteMarkers = [] } = await versions();
    assert.deepEqual([Versions.length, DeleteMarkers.length], [2, 1]);
    assert.equal(await codeOf(s3.send(new sdk.GetObjectCommand({ Bucket, Key }))), 'NoSuchKey');
    const configuration = { VersioningConfiguration: { Status: 'Suspended' } } as const;
    const suspend = new sdk.PutBucketVersioningCommand({ Bucket, ...configuration });
    assert.equal(await codeOf(s3.send(suspend)), 'NotImplemented');
  });

  it('honours, refuses or ignores the condition of a PUT and of a completion', async () => {
    const codes = { honoured: 'PreconditionFailed', refused: 'NotImplemented', ignored: 'none' };
    for (const conditionalPut of ['honoured', 'refused', 'ignored'] as const) {
      await start({ conditionalPut });
      await put();
      assert.equal(await codeOf(put({ IfNoneMatch: '*' })), codes[conditionalPut]);
      assert.equal(await codeOf(put({ IfMatch: '"other"' })), codes[conditionalPut]);
      assert.equal(await codeOf(complete([1], '*')), codes[conditionalPut]);
    }
  });

  it('honours, refuses or ignores the condition of a delete', async () => {
    const codes = { honoured: 'PreconditionFailed', refused: 'NotImplemented', ignored: 'none' };
    const condition = { Bucket, Key, IfMatch: '"other"' };
    for (const conditionalDelete of ['honoured', 'refused', 'ignored'] as const) {
      await start({ conditionalDelete });
      await put();
      const code = await codeOf(s3.send(new sdk.DeleteObjectCommand(condition)));
      assert.equal(code, codes[conditionalDelete]);
      const found = await codeOf(s3.send(new sdk.GetObjectCommand({ Bucket, Key })));
      assert.equal(found, code === 'none' ? 'NoSuchKey' : 'none');
    }
  });

  it('stores a body of another MD5 if it ignores Content-MD5', async () => {
    for (const contentMd5 of ['checked', 'ignored'] as const) {
      await start({ contentMd5 });
      const code = await codeOf(put({ ContentMD5: Buffer.alloc(16).toString('base64') }));
      assert.equal(code, contentMd5 === 'checked' ? 'BadDigest' : 'none');
    }
  });

  it('completes an object of equal parts only', async () => {
    await start(R2_BEHAVIOUR);
    assert.equal(await codeOf(complete([5 * MIB, 5 * MIB, 1])), 'none');
    for (const uneven of [
      [5 * MIB, 6 * MIB],
      [6 * MIB, 5 * MIB, 1],
    ])
      assert.equal(await codeOf(complete(uneven)), 'InvalidPart');
  });

  it('lists each key once in an order of its own, by tokens and by start-after', async () => {
    await start(STORJ_BEHAVIOUR);
    const keys = [...'abcdefgh', 'd/1', 'd/2', 'd/e/1'];
    for (const key of keys) await put({ Key: key });
    const list = async (input: Partial<sdk.ListObjectsV2CommandInput>) => {
      const output = await s3.send(new sdk.ListObjectsV2Command({ Bucket, MaxKeys: 2, ...input }));
      const listed = (output.Contents ?? []).map((object) => object.Key ?? '');
      return { listed, token: output.NextContinuationToken };
    };
    const [byToken, byKey]: [string[], string[]] = [[], []];
    for (let token: string | undefined, isFirst = true; isFirst || token; isFirst = false) {
      const page = await list({ ContinuationToken: token });
      byToken.push(...page.listed);
      token = page.token;
    }
    for (let page = await list({}); page.listed.length > 0;) {
      byKey.push(...page.listed);
      page = await list({ StartAfter: page.listed.at(-1) });
    }
    assert.deepEqual(byKey, byToken);
    assert.deepEqual(byToken.toSorted(), keys.toSorted());
    assert.notDeepEqual(byToken, keys.toSorted());
    assert.equal((await list({ Prefix: 'd/', MaxKeys: 10 })).listed.length, 3);
    assert.equal(await codeOf(list({ Prefix: 'd' })), 'NotImplemented');
  });

  it('lists the uploads of exactly one key', async () => {
    await start(MINIO_BEHAVIOUR);
    await begin('folder/a');
    for (const [Prefix, count] of Object.entries({ '': 0, 'folder/': 0, 'folder/a': 1 })) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix });
      assert.equal((await s3.send(command)).Uploads?.length ?? 0, count, Prefix);
    }
  });

  it('lists its buckets in one page without regions, and refuses to page', async () => {
    await start(R2_BEHAVIOUR);
    const { Buckets = [] } = await s3.send(new sdk.ListBucketsCommand({}));
    assert.deepEqual(Object.keys(Buckets[0] ?? {}).sort(), ['CreationDate', 'Name']);
    const paged = new sdk.ListBucketsCommand({ MaxBuckets: 10 });
    assert.equal(await codeOf(s3.send(paged)), 'NotImplemented');
  });

  it('gives a new bucket its settings, and lacks operations', async () => {
    await start(R2_BEHAVIOUR);
    const { Rules = [] } = await lifecycle();
    assert.equal(Rules[0]?.AbortIncompleteMultipartUpload?.DaysAfterInitiation, 7);
    await start(STORJ_BEHAVIOUR);
    assert.equal(await codeOf(lifecycle()), 'NotImplemented');
  });

  it('refuses headers of requests about objects', async () => {
    await start(B2_BEHAVIOUR);
    assert.equal(await codeOf(put({ Tagging: 'a=b' })), 'InvalidArgument');
    assert.equal(await codeOf(put({ ChecksumAlgorithm: 'SHA256' })), 'InvalidArgument');
    assert.equal(await codeOf(put()), 'none');
  });
}
