import assert from 'node:assert/strict';

import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  GetBucketAccelerateConfigurationCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketLoggingCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetObjectTaggingCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  paginateListBuckets,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketTaggingCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';

import type { AwsDouble } from '../src/index.ts';
import { failsWith, s3Client, startDouble } from './fixture.ts';

describe('buckets of the AWS double', () => {
  let double: AwsDouble;
  let s3: S3Client;

  beforeEach(async () => {
    double = await startDouble();
    s3 = s3Client(double);
  });
  afterEach(async () => {
    s3.destroy();
    await double.close();
  });

  it('creates and removes buckets', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'new-bucket' }));
    const head = await s3.send(new HeadBucketCommand({ Bucket: 'new-bucket' }));
    assert.equal(head.BucketRegion, 'us-east-1');
    await assert.rejects(
      s3.send(new CreateBucketCommand({ Bucket: 'new-bucket' })),
      failsWith('BucketAlreadyOwnedByYou', 409),
    );
    await s3.send(new PutObjectCommand({ Bucket: 'new-bucket', Key: 'k', Body: '' }));
    await assert.rejects(
      s3.send(new DeleteBucketCommand({ Bucket: 'new-bucket' })),
      failsWith('BucketNotEmpty', 409),
    );
    await s3.send(new DeleteObjectCommand({ Bucket: 'new-bucket', Key: 'k' }));
    await s3.send(new DeleteBucketCommand({ Bucket: 'new-bucket' }));
    await assert.rejects(
      s3.send(new HeadBucketCommand({ Bucket: 'new-bucket' })),
      failsWith('NotFound', 404),
    );
  });

  it('refuses invalid names and names of other accounts', async () => {
    for (const Bucket of ['UPPER', 'a', '1.2.3.4', 'two..dots']) {
      await assert.rejects(
        s3.send(new CreateBucketCommand({ Bucket })),
        failsWith('InvalidBucketName', 400),
      );
    }
    double.putBucket({ name: 'foreign', accountId: '222222222222' });
    await assert.rejects(
      s3.send(new CreateBucketCommand({ Bucket: 'foreign' })),
      failsWith('BucketAlreadyExists', 409),
    );
  });

  it('answers the location of a bucket at every endpoint', async () => {
    const frankfurt = s3Client(double, { region: 'eu-central-1' });
    await frankfurt.send(new CreateBucketCommand({ Bucket: 'in-frankfurt' }));
    for (const client of [s3, frankfurt]) {
      const location = await client.send(new GetBucketLocationCommand({ Bucket: 'in-frankfurt' }));
      assert.equal(location.LocationConstraint, 'eu-central-1');
    }
    double.putBucket({ name: 'in-virginia' });
    const virginia = await s3.send(new GetBucketLocationCommand({ Bucket: 'in-virginia' }));
    assert.ok(!virginia.LocationConstraint);
  });

  it('lists own buckets with region, by prefix, by region and in pages', async () => {
    for (let at = 0; at < 7; at += 1) {
      double.putBucket({ name: `b-${at}`, region: at % 2 ? 'eu-west-1' : 'us-east-1' });
    }
    double.putBucket({ name: 'other' });
    double.putBucket({ name: 'b-foreign', accountId: '222222222222' });
    const all = await s3.send(new ListBucketsCommand({ Prefix: 'b-' }));
    assert.deepEqual(
      all.Buckets?.map(({ Name, BucketRegion }) => [Name, BucketRegion]).slice(0, 2),
      [
        ['b-0', 'us-east-1'],
        ['b-1', 'eu-west-1'],
      ],
    );
    const names: (string | undefined)[] = [];
    let pages = 0;
    for await (const page of paginateListBuckets({ client: s3, pageSize: 3 }, { Prefix: 'b-' })) {
      pages += 1;
      names.push(...(page.Buckets ?? []).map(({ Name }) => Name));
    }
    assert.deepEqual([pages, names.length, new Set(names).size], [3, 7, 7]);
    const west = await s3.send(new ListBucketsCommand({ BucketRegion: 'eu-west-1' }));
    assert.equal(west.Buckets?.length, 3);
  });

  it("answers AWS's code for each absent setting", async () => {
    double.putBucket({ name: 'bare' });
    const Bucket = 'bare';
    const absent = [
      [new GetBucketLifecycleConfigurationCommand({ Bucket }), 'NoSuchLifecycleConfiguration'],
      [new GetBucketTaggingCommand({ Bucket }), 'NoSuchTagSet'],
      [
        new GetBucketEncryptionCommand({ Bucket }),
        'ServerSideEncryptionConfigurationNotFoundError',
      ],
      [new GetBucketPolicyCommand({ Bucket }), 'NoSuchBucketPolicy'],
      [new GetBucketCorsCommand({ Bucket }), 'NoSuchCORSConfiguration'],
      [new GetBucketOwnershipControlsCommand({ Bucket }), 'OwnershipControlsNotFoundError'],
      [new GetPublicAccessBlockCommand({ Bucket }), 'NoSuchPublicAccessBlockConfiguration'],
      [new GetObjectLockConfigurationCommand({ Bucket }), 'ObjectLockConfigurationNotFoundError'],
      [new GetBucketReplicationCommand({ Bucket }), 'ReplicationConfigurationNotFoundError'],
    ] as const;
    for (const [command, code] of absent) {
      await assert.rejects(s3.send(command as never), failsWith(code, 404));
    }
    const versioning = await s3.send(new GetBucketVersioningCommand({ Bucket }));
    assert.equal(versioning.Status, undefined);
    const fast = await s3.send(new GetBucketAccelerateConfigurationCommand({ Bucket }));
    assert.equal(fast.Status, undefined);
    const log = await s3.send(new GetBucketLoggingCommand({ Bucket }));
    assert.equal(log.LoggingEnabled, undefined);
    const pays = await s3.send(new GetBucketRequestPaymentCommand({ Bucket }));
    assert.equal(pays.Payer, 'BucketOwner');
  });

  it('stores lifecycle rules, tags and policies, and deletes them on request', async () => {
    const Bucket = 'rules';
    double.putBucket({ name: Bucket });
    const Rules = [
      {
        ID: 'abort',
        Status: 'Enabled' as const,
        Filter: { Prefix: 'a/' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
        Transitions: [{ Days: 30, StorageClass: 'GLACIER' as const }],
      },
    ];
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }),
    );
    const kept = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    assert.deepEqual(kept.Rules, Rules);
    await s3.send(new DeleteBucketLifecycleCommand({ Bucket }));
    await assert.rejects(
      s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
      failsWith('NoSuchLifecycleConfiguration', 404),
    );
    const TagSet = [{ Key: 'team', Value: 'a & b' }];
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    assert.deepEqual((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet, TagSet);
    await assert.rejects(
      s3.send(new PutBucketPolicyCommand({ Bucket, Policy: 'no json' })),
      failsWith('MalformedPolicy', 400),
    );
  });

  it('enforces an explicit Deny of the bucket policy', async () => {
    const Bucket = 'guarded';
    double.putBucket({ name: Bucket });
    const Statement = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:PutObject',
      Resource: 'arn:aws:s3:::guarded/locked/*',
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    assert.equal((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy, Policy);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'open/a', Body: '' }));
    await assert.rejects(
      s3.send(new PutObjectCommand({ Bucket, Key: 'locked/a', Body: '' })),
      failsWith('AccessDenied', 403),
    );
  });

  it('tags objects', async () => {
    double.putBucket({ name: 'tagged' });
    const object = { Bucket: 'tagged', Key: 'k' };
    await s3.send(new PutObjectCommand({ ...object, Body: 'x', Tagging: 'a=1' }));
    const TagSet = [{ Key: 'b', Value: 'ä' }];
    await s3.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
    assert.deepEqual((await s3.send(new GetObjectTaggingCommand(object))).TagSet, TagSet);
  });
});
