import assert from 'node:assert/strict';

import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../src/index.ts';
import { failsWith, s3Client, startDouble } from './fixture.ts';

const Bucket = 'ruled';
const KIB = 1024;
const DAY_MS = 86_400_000;

describe('lifecycle rules of the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;
  const nowMs = Date.now();

  beforeEach(async () => {
    double = await startDouble();
    s3 = s3Client(double);
    double.putBucket({ name: Bucket, versioning: 'Enabled' });
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  const put = (...Rules: Partial<LifecycleRule>[]) =>
    s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        LifecycleConfiguration: {
          Rules: Rules.map((rule) =>
            Object.assign({ Status: 'Enabled', Filter: { Prefix: '' } }, rule),
          ),
        },
      }),
    );
  const days = (count: number) => new Date(nowMs - count * DAY_MS).toISOString();
  const versions = async () => {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket }),
    );
    return [
      ...Versions.map(({ Key, StorageClass, IsLatest }) => [Key, StorageClass, IsLatest]),
      ...DeleteMarkers.map(({ Key }) => [Key, 'marker']),
    ];
  };

  it('keeps the minimum size beside the rules, and a put without it sets the default', async () => {
    const rule = { Expiration: { Days: 9_000 } };
    const minimum = async () =>
      (await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })))
        .TransitionDefaultMinimumObjectSize;
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        TransitionDefaultMinimumObjectSize: 'varies_by_storage_class',
        LifecycleConfiguration: { Rules: [{ Status: 'Enabled', Filter: { Prefix: '' }, ...rule }] },
      }),
    );
    assert.equal(await minimum(), 'varies_by_storage_class');
    await put(rule);
    assert.equal(await minimum(), 'all_storage_classes_128K');
  });

  it('refuses what S3 refuses', async () => {
    const expires = { Expiration: { Days: 1 } };
    await assert.rejects(put(), failsWith('MalformedXML', 400));
    await assert.rejects(put({}), failsWith('InvalidRequest', 400));
    await assert.rejects(
      put({ ID: 'a', ...expires }, { ID: 'a', ...expires }),
      failsWith('InvalidArgument', 400),
    );
    await assert.rejects(
      put({ Transitions: [{ Days: 29, StorageClass: 'STANDARD_IA' }] }),
      failsWith('InvalidArgument', 400),
    );
    await assert.rejects(
      s3.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket,
          LifecycleConfiguration: {
            Rules: [
              { Status: 'Enabled', Prefix: 'a/', ...expires },
              { Status: 'Enabled', Filter: { Prefix: 'b/' }, ...expires },
            ],
          },
        }),
      ),
      failsWith('InvalidRequest', 400),
    );
    await assert.rejects(
      s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
      failsWith('NoSuchLifecycleConfiguration', 404),
    );
  });

  it('aborts uploads from the midnight after their days', async () => {
    double.seed({
      bucket: Bucket,
      uploads: [
        { key: 'old', initiated: days(9), partSizes: [5 * 1024 * KIB] },
        { key: 'young', initiated: days(5), partSizes: [5 * 1024 * KIB] },
      ],
    });
    await put({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } });
    await double.applyLifecycle(Bucket);
    const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket }));
    assert.deepEqual(
      Uploads.map(({ Key }) => Key),
      ['young'],
    );
  });

  it('deletes noncurrent versions by the date of their successor, then lone delete markers', async () => {
    double.seed({
      bucket: Bucket,
      objects: [
        { key: 'a', size: 1, lastModified: days(90) },
        { key: 'a', size: 2, lastModified: days(40) },
        { key: 'b', size: 1, lastModified: days(90) },
        { key: 'b', size: 2, lastModified: days(10) },
        { key: 'gone', size: 1, lastModified: days(90) },
        { key: 'gone', deleteMarker: true, lastModified: days(40) },
      ],
    });
    await put({
      NoncurrentVersionExpiration: { NoncurrentDays: 30 },
      Expiration: { ExpiredObjectDeleteMarker: true },
    });
    await double.applyLifecycle(Bucket);
    assert.deepEqual(await versions(), [
      ['a', 'STANDARD', true],
      ['b', 'STANDARD', true],
      ['b', 'STANDARD', false],
    ]);
  });

  it('changes the class by age, size, prefix and tags, and never to a dearer one', async () => {
    const old = { size: 200 * KIB, lastModified: days(100) };
    const tags = [{ key: 'to', value: 'x' }];
    double.seed({
      bucket: Bucket,
      objects: [
        { key: 'p/archived', ...old, storageClass: 'GLACIER' },
        { key: 'p/ia', ...old, storageClass: 'STANDARD_IA' },
        { key: 'p/old', ...old },
        { key: 'p/small', ...old, size: 100 * KIB },
        { key: 'p/young', ...old, lastModified: days(80) },
        { key: 'q/other', ...old },
        { key: 'q/tagged', ...old, tags },
      ],
    });
    await put(
      { Filter: { Prefix: 'p/' }, Transitions: [{ Days: 90, StorageClass: 'GLACIER_IR' }] },
      {
        Filter: { And: { Prefix: 'q/', Tags: [{ Key: 'to', Value: 'x' }] } },
        Transitions: [{ Days: 30, StorageClass: 'STANDARD_IA' }],
      },
    );
    await double.applyLifecycle(Bucket);
    assert.deepEqual(Object.fromEntries(await versions()), {
      'p/archived': 'GLACIER',
      'p/ia': 'GLACIER_IR',
      'p/old': 'GLACIER_IR',
      'p/small': 'STANDARD',
      'p/young': 'STANDARD',
      'q/other': 'STANDARD',
      'q/tagged': 'STANDARD_IA',
    });
  });

  it('takes the cheapest of several classes that are due', async () => {
    double.seed({
      bucket: Bucket,
      objects: [{ key: 'a', size: 200 * KIB, lastModified: days(100) }],
    });
    await put(
      { Transitions: [{ Days: 30, StorageClass: 'STANDARD_IA' }] },
      { Transitions: [{ Days: 90, StorageClass: 'GLACIER_IR' }] },
    );
    await double.applyLifecycle(Bucket);
    assert.deepEqual(await versions(), [['a', 'GLACIER_IR', true]]);
  });

  it('expires current objects, with a marker in a versioned bucket, and nothing by a disabled rule', async () => {
    double.seed({ bucket: Bucket, objects: [{ key: 'a', size: 1, lastModified: days(3) }] });
    await put({ Status: 'Disabled', Expiration: { Days: 1 } });
    await double.applyLifecycle(Bucket);
    assert.deepEqual(await versions(), [['a', 'STANDARD', true]]);
    await put({ Expiration: { Days: 1 } });
    await double.applyLifecycle(Bucket);
    assert.deepEqual(await versions(), [
      ['a', 'STANDARD', false],
      ['a', 'marker'],
    ]);
    await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await double.applyLifecycle(Bucket);
  });
});
