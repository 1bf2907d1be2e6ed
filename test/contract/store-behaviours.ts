import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as sdk from '@aws-sdk/client-s3';
import { endpointsAt } from '../harness/catalogue.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import * as stores from '../../dev/aws-double/behaviour.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { ADMIN, s3Client, startDouble } from '../harness/aws-double.ts';
import { MIB } from './store-under-test.ts';

const Bucket = 'bucket';
const OBJECT = { Bucket, Key: 'key' };
const FIRST_PAGE = { prefix: '', after: null };
const CODES = { honoured: 'PreconditionFailed', refused: 'NotImplemented', ignored: 'none' };

type Page = Omit<sdk.ListObjectsV2CommandInput, 'Bucket'>;

/** Tests each setting of the double's behaviour, with the SDK. */
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
  async function putParts(sizes: number[], condition: { IfNoneMatch?: string } = {}) {
    const { UploadId } = await s3.send(new sdk.CreateMultipartUploadCommand(OBJECT));
    const Parts: sdk.CompletedPart[] = [];
    for (const [index, size] of sizes.entries()) {
      const PartNumber = index + 1;
      const part = { ...OBJECT, UploadId, PartNumber, Body: Buffer.alloc(size) };
      Parts.push({ PartNumber, ETag: (await s3.send(new sdk.UploadPartCommand(part))).ETag });
    }
    const input = { ...OBJECT, UploadId, ...condition, MultipartUpload: { Parts } };
    await s3.send(new sdk.CompleteMultipartUploadCommand(input));
  }

  it('has one region under several names, and its own code for any other name', async () => {
    const r2 = await start(stores.R2_BEHAVIOUR);
    for (const region of ['auto', 'us-east-1', 'weur', 'eu-west-1']) {
      s3 = s3Client(r2, { region });
      const code = region === 'eu-west-1' ? 'InvalidRegionName' : 'none';
      assert.equal(await codeOf(lifecycle()), code, region);
    }
    assert.throws(() => r2.putBucket({ name: 'other', region: 'eu-west-1' }), TypeError);
    // The SDK does not sign without a region.
    const http = createStoreHttp();
    const deps = {
      http,
      findEndpoint: endpointsAt({ r2: r2.s3Endpoint }),
      clocks: createStoreClocks(),
      idleMs: 5_000,
    };
    const location = { provider: 'r2', bucketName: Bucket, region: '', accountId: 'a' } as const;
    const { entries } = await createObjectStores(deps)(location, ADMIN).list(FIRST_PAGE);
    assert.deepEqual(entries, []);
    http.close();
    s3 = s3Client(await start(stores.MINIO_BEHAVIOUR), { region: 'anywhere' });
    assert.equal(await codeOf(put()), 'none');
  });

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

  for (const condition of ['honoured', 'refused', 'ignored'] as const)
    it(`has the conditions of a PUT, a completion and a delete ${condition}`, async () => {
      await start({ conditionalPut: condition, conditionalDelete: condition });
      await put();
      assert.equal(await codeOf(put({ IfNoneMatch: '*' })), CODES[condition]);
      assert.equal(await codeOf(put({ IfMatch: '"other"' })), CODES[condition]);
      assert.equal(await codeOf(putParts([1], { IfNoneMatch: '*' })), CODES[condition]);
      const removal = new sdk.DeleteObjectCommand({ ...OBJECT, IfMatch: '"other"' });
      assert.equal(await codeOf(s3.send(removal)), CODES[condition]);
      assert.equal(await codeOf(get()), condition === 'ignored' ? 'NoSuchKey' : 'none');
    });

  it('stores a body of another MD5 if it ignores Content-MD5', async () => {
    const ContentMD5 = Buffer.alloc(16).toString('base64');
    await start({ contentMd5: 'checked' });
    assert.equal(await codeOf(put({ ContentMD5 })), 'BadDigest');
    await start({ contentMd5: 'ignored' });
    assert.equal(await codeOf(put({ ContentMD5 })), 'none');
  });

  it('demands a digest of objects and parts where a default retention is set', async () => {
    const locked = await start({});
    const document =
      '<ObjectLockConfiguration><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>';
    locked.putBucket({
      name: Bucket,
      versioning: 'Enabled',
      settings: { 'object-lock': document },
    });
    assert.equal(await codeOf(put()), 'InvalidRequest');
    assert.equal(await codeOf(putParts([1])), 'InvalidRequest');
    const ContentMD5 = createHash('md5').update('one').digest('base64');
    assert.equal(await codeOf(put({ ContentMD5 })), 'none');
    assert.equal(await codeOf(put({ ChecksumAlgorithm: 'SHA256' })), 'none');
  });

  it('has ETags of parts and objects that are no MD5s where a key of KMS encrypts', async () => {
    const encrypting = await start({});
    const encryption = '<SSEAlgorithm>aws:kms</SSEAlgorithm>';
    encrypting.putBucket({ name: Bucket, settings: { encryption } });
    const { UploadId } = await s3.send(new sdk.CreateMultipartUploadCommand(OBJECT));
    const part = { ...OBJECT, UploadId, PartNumber: 1, Body: 'one' };
    for (const written of [await put(), await s3.send(new sdk.UploadPartCommand(part))]) {
      assert.equal(written.ServerSideEncryption, 'aws:kms');
      assert.notEqual(written.ETag, `"${createHash('md5').update('one').digest('hex')}"`);
    }
    assert.equal(await codeOf(putParts([5 * MIB, 1])), 'none');
  });

  it('holds a key or one below it, as a store on files does', async () => {
    await start({ keyAndFolder: 'one' });
    await put({ Key: 'k' });
    assert.equal(await codeOf(put({ Key: 'k/x' })), 'InvalidRequest');
    await put({ Key: 'f/x' });
    assert.equal(await codeOf(put({ Key: 'f' })), 'InvalidRequest');
    await start({});
    await put({ Key: 'k' });
    assert.equal(await codeOf(put({ Key: 'k/x' })), 'none');
  });

  it('completes an object of equal parts only', async () => {
    await start(stores.R2_BEHAVIOUR);
    assert.equal(await codeOf(putParts([5 * MIB, 5 * MIB, 1])), 'none');
    assert.equal(await codeOf(putParts([5 * MIB, 6 * MIB])), 'InvalidPart');
    assert.equal(await codeOf(putParts([6 * MIB, 5 * MIB, 1])), 'InvalidPart');
  });

  it('lists each key once in an order of its own, by tokens and by start-after', async () => {
    await start(stores.STORJ_BEHAVIOUR);
    const keys = 'a b c d e f g h d/1 d/2 d/e/1'.split(' ').sort();
    for (const Key of keys) await put({ Key });
    const list = async (input: Page) => {
      const page = await s3.send(new sdk.ListObjectsV2Command({ Bucket, MaxKeys: 2, ...input }));
      const listed = (page.Contents ?? []).map(({ Key = '' }) => Key);
      return { listed, ContinuationToken: page.NextContinuationToken };
    };
    const [byToken, byKey] = [[] as string[], [] as string[]];
    let token: Page = {};
    for (let page = 0; page < keys.length / 2; page += 1) {
      const { listed, ContinuationToken } = await list(token);
      byToken.push(...listed);
      token = { ContinuationToken };
      byKey.push(...(await list({ StartAfter: byKey.at(-1) })).listed);
    }
    assert.deepEqual(token, { ContinuationToken: undefined });
    assert.deepEqual(byKey, byToken);
    assert.deepEqual(byKey.toSorted(), keys);
    assert.notDeepEqual(byKey, keys);
    assert.equal((await list({ Prefix: 'd/', MaxKeys: 10 })).listed.length, 3);
    assert.equal(await codeOf(list({ Prefix: 'd' })), 'NotImplemented');
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
