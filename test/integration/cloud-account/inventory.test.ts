import assert from 'node:assert/strict';
import * as sdk from '@aws-sdk/client-s3';
import { BSON } from 'mongodb';
import { readSlice, type BucketWork } from '../../../adapters/cloud-account/bucket-slice.ts';
import { SCAN_PERMISSIONS } from '../../../adapters/cloud-account/permissions.ts';
import { NO_USE, type BucketInventory } from '../../../domain/inventory/inventory.ts';
import { NOTHING_YET } from '../../../domain/scans/scan.ts';
import { s3Client } from '../../harness/aws-double.ts';
import { opened } from '../../harness/opened.ts';
import { leftAlonePatterns } from '../../unit/left-alone.ts';
import { openAccount, permit } from './account.ts';

const DAY_MS = 86_400_000;
const STARTED_AT = new Date('2026-06-01T12:00:00.000Z');
const name = 'read';
const region = 'eu-central-1';
const USE_ACTIONS = [
  SCAN_PERMISSIONS.getTagging,
  SCAN_PERMISSIONS.getObjectLock,
  SCAN_PERMISSIONS.getReplication,
  SCAN_PERMISSIONS.getNotification,
  SCAN_PERMISSIONS.getWebsite,
].map(({ action }) => action);

/** So many days before the scan starts. */
const daysAgo = (days: number) => new Date(STARTED_AT.getTime() - days * DAY_MS).toISOString();

type Account = Awaited<ReturnType<typeof openAccount>>;

const FRESH: BucketWork = { revision: 0, progress: NOTHING_YET, reading: null, inventory: null };

function slice({ reader }: Account, before: BucketWork, maxMs: number) {
  const planned = { name, region, createdAt: new Date('2020-01-01T00:00:00Z'), title: 'AWS S3' };
  const basis = { asOf: STARTED_AT, sizeLimits: [] };
  return readSlice(reader.bucket(planned), planned, before, basis, {
    maxMs,
    signal: () => new AbortController().signal,
    wait: async () => undefined,
    marksOf: leftAlonePatterns.marksOf,
  });
}

/** Reads a bucket, by default in slices of one page, with its state stored in between. */
async function readInventory(
  account: Account,
  maxMs = 0,
  before = FRESH,
): Promise<BucketInventory> {
  let work = before;
  for (let slices = 0; work.inventory === null; slices += 1) {
    assert.ok(slices < 500, 'no progress');
    const { failure, work: after } = await slice(account, work, maxMs);
    assert.equal(failure, null);
    work = BSON.deserialize(BSON.serialize(after)) as BucketWork;
  }
  assert.equal(work.inventory.error, null);
  return work.inventory;
}

const missingOf = ({ coverage }: BucketInventory) => coverage.map(({ missing }) => missing);

describe('the inventory of a bucket', () => {
  const account = opened(openAccount, 'test');
  let s3: sdk.S3Client;
  beforeEach(() => {
    account.double.putBucket({ name, region });
    s3 = s3Client(account.double, { region });
  });
  afterEach(() => s3.destroy());

  const putRules = (Rules: sdk.LifecycleRule[]) =>
    s3.send(
      new sdk.PutBucketLifecycleConfigurationCommand({
        Bucket: name,
        LifecycleConfiguration: { Rules },
      }),
    );

  it('has its creation, and the oldest date of an object or old version', async () => {
    account.double.putBucket({ name, versioning: 'Enabled' });
    account.double.seed({
      bucket: name,
      objects: [
        { key: 'a', lastModified: daysAgo(20) },
        { key: 'b', lastModified: daysAgo(40) },
        { key: 'b', lastModified: daysAgo(30) },
        { key: 'gone', deleteMarker: true, lastModified: daysAgo(900) },
      ],
    });
    const { createdAt, oldestAt, oldVersions } = await readInventory(account);
    assert.deepEqual(createdAt, new Date('2020-01-01T00:00:00Z'));
    assert.deepEqual(oldestAt, new Date(daysAgo(40)));
    assert.equal(oldVersions[0]?.ageBand, 1);
    account.double.removeBucket(name);
    account.double.putBucket({ name, region });
    assert.equal((await readInventory(account)).oldestAt, null);
  });

  /** Of one key so many versions that it takes several pages, one a day. */
  const MANY = 2_500;
  function seedVersions(): void {
    account.double.putBucket({ name, versioning: 'Enabled' });
    const version = (key: string, days: number, size = 0) => ({
      key,
      size,
      lastModified: daysAgo(days),
    });
    account.double.seed({
      bucket: name,
      objects: [
        version('late', 10),
        version('late', 400, 1),
        version('due', 30),
        version('due', 40, 10),
        version('ruled/a', 40),
        version('ruled/a', 41, 100),
        { ...version('gone', 31), deleteMarker: true },
        version('gone', 100, 1_000),
        { ...version('gone-late', 29), deleteMarker: true },
        version('gone-late', 100, 10_000),
        // Shadowed by a marker that is no longer the newest.
        version('again', 1),
        { ...version('again', 35), deleteMarker: true },
        version('again', 36, 100_000),
        ...Array.from({ length: MANY }, (_, at) => version('zz/many', at)),
      ],
    });
  }
  const deletable = ({ oldVersions }: BucketInventory) => {
    const wanted = oldVersions.filter(({ isDeletable }) => isDeletable);
    const sum = (of: 'objects' | 'bytes') => wanted.reduce((all, cell) => all + cell[of], 0);
    return { objects: sum('objects'), bytes: sum('bytes') };
  };

  it('counts the old versions that are noncurrent for 30 days and that no rule expires', async () => {
    seedVersions();
    await putRules([
      {
        ID: 'kept for years, and only five of them',
        Status: 'Enabled',
        Filter: { Prefix: 'ruled/' },
        NoncurrentVersionExpiration: { NoncurrentDays: 3_000, NewerNoncurrentVersions: 5 },
      },
      {
        ID: 'disabled',
        Status: 'Disabled',
        Filter: { Prefix: '' },
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      },
    ]);
    const inventory = await readInventory(account);
    // Of the many those that the 30th version, and all older ones, have replaced.
    const found = { objects: 3 + MANY - 31, bytes: 101_010 };
    assert.deepEqual(deletable(inventory), found);
    assert.deepEqual(
      inventory.oldVersions
        .filter(({ isDeletable }) => isDeletable)
        .map(({ ageBand, objects }) => [ageBand, objects])
        .toSorted(([a = 0], [b = 0]) => a - b),
      [
        [1, 2 + 59],
        [2, 1 + 275],
        [3, MANY - 365],
      ],
    );
    const all = inventory.oldVersions.reduce((sum, { objects }) => sum + objects, 0);
    assert.equal(all, 6 + MANY - 1);
    assert.deepEqual(inventory.coverage, []);
  });

  it('finds the same where many ranges of keys are read', async () => {
    account.double.putBucket({ name, versioning: 'Enabled' });
    const keys = Array.from({ length: 10_000 }, (_, at) => `${at % 16}/k${at}`);
    account.double.seed({
      bucket: name,
      objects: keys.flatMap((key, at) =>
        [at % 60, 70, 80].map((days) => ({ key, size: 1, lastModified: daysAgo(days) })),
      ),
    });
    // Without latency the double, in this process, answers one request before it reads the next.
    account.double.addFault({ effect: 'latency', latencyMs: 10 });
    const found = deletable(await readInventory(account, 1e9));
    assert.ok(account.double.counts().mostAtOnce >= 4);
    const early = keys.filter((_, at) => at % 60 >= 30).length;
    // The second version of every key is noncurrent since the first, the third since the second.
    assert.deepEqual(found, {
      objects: early + keys.length,
      bytes: early + keys.length,
    });
  });

  it('counts the uploads that began a week ago and that no rule aborts', async () => {
    const upload = (key: string, days: number, size: number) => ({
      key,
      initiated: daysAgo(days),
      partSizes: [size],
    });
    account.double.seed({
      bucket: name,
      uploads: [
        upload('hour', 1 / 24, 1),
        upload('nearly', 6.99, 10),
        upload('week', 7, 100),
        upload('year', 365, 1_000),
        upload('ruled/year', 365, 10_000),
      ],
    });
    await putRules([
      {
        ID: 'x',
        Status: 'Enabled',
        Filter: { Prefix: 'ruled/' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 400 },
      },
    ]);
    const { incompleteUploads } = await readInventory(account);
    assert.deepEqual(incompleteUploads, {
      uploads: 5,
      bytes: 11_111,
      oldestAt: new Date(daysAgo(365)),
      abortable: { uploads: 2, bytes: 1_100 },
    });
  });

  it('has nothing deletable or abortable, and no expiration, where rules may not be read', async () => {
    seedVersions();
    account.double.seed({ bucket: name, uploads: [{ key: 'old', initiated: daysAgo(90) }] });
    permit(
      account.double,
      Object.values(SCAN_PERMISSIONS)
        .map(({ action }) => action)
        .filter((action) => action !== 's3:GetLifecycleConfiguration'),
    );
    const inventory = await readInventory(account);
    assert.deepEqual(missingOf(inventory), ['s3:GetLifecycleConfiguration']);
    assert.equal(deletable(inventory).objects, 0);
    assert.deepEqual(inventory.incompleteUploads.abortable, { uploads: 0, bytes: 0 });
    assert.deepEqual([inventory.lifecycle, inventory.expirations], ['unknown', []]);
  });

  it('has the expirations of its rules, also where the rules are too many to keep', async () => {
    const expiring = (ID: string, Prefix: string, Expiration: sdk.LifecycleExpiration) => ({
      ID,
      Status: 'Enabled' as const,
      Filter: { Prefix },
      Expiration,
    });
    await putRules([
      ...Array.from({ length: 201 }, (_, at) => expiring(`r${at}`, `p${at}/`, { Days: at + 1 })),
      expiring('date', '', { Date: new Date('2026-06-02T00:00:00Z') }),
      {
        ...expiring('tagged', '', { Days: 9 }),
        Filter: { And: { Prefix: 'a/', Tags: [{ Key: 'k', Value: 'v' }] } },
      },
    ]);
    const { rules, expirations } = await readInventory(account);
    assert.equal(rules, undefined);
    assert.equal(expirations.length, 203);
    assert.deepEqual(expirations.slice(200), [
      { prefix: 'p200/', days: 201, isConditional: false },
      { prefix: '', days: 0.5, isConditional: false },
      { prefix: 'a/', days: 9, isConditional: true },
    ]);
  });

  it('has the marks of its prefixes, and of all smaller ones together', async () => {
    const large = Array.from({ length: 50 }, (_, at) => ({ key: `large-${at}/x`, size: 1_000 }));
    account.double.seed({
      bucket: name,
      objects: [
        ...large,
        { key: 'large-1/AWSLogs/1/x.gz', size: 1 },
        { key: 'large-2/t/_delta_log/0.json', size: 1 },
        { key: 'large-2/env/main.tfstate', size: 1 },
        { key: 'large-3/AWSLogs', size: 1 },
        { key: 'small/t/metadata/1.metadata.json', size: 1 },
        { key: 'main.tfstate', size: 1 },
        { key: 'tiny/.hoodie', size: 1 },
      ],
    });
    const { marks } = await readInventory(account);
    const byPrefix = new Map(marks.map(({ prefix, marks: found }) => [prefix, [...found]]));
    assert.deepEqual(Object.fromEntries(byPrefix), {
      'large-1/': ['aws_logs'],
      'large-2/': ['state', 'table'],
      '*': ['state', 'table'],
    });
  });

  const ENABLE: Readonly<Record<keyof typeof NO_USE, () => Promise<unknown>>> = {
    isKept: () =>
      s3.send(
        new sdk.PutBucketTaggingCommand({
          Bucket: name,
          Tagging: {
            TagSet: [
              { Key: 'team', Value: 'keep' },
              { Key: 'storage-routing', Value: 'keep' },
            ],
          },
        }),
      ),
    isLocked: () =>
      s3.send(
        new sdk.PutObjectLockConfigurationCommand({
          Bucket: name,
          ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' },
        }),
      ),
    isReplicated: () => putReplication('Disabled', 'Enabled'),
    hasEvents: () => putNotification({ EventBridgeConfiguration: {} }),
    hasWebsite: () =>
      s3.send(
        new sdk.PutBucketWebsiteCommand({
          Bucket: name,
          WebsiteConfiguration: { IndexDocument: { Suffix: 'index.html' } },
        }),
      ),
  };
  const putReplication = (...states: ('Enabled' | 'Disabled')[]) =>
    s3.send(
      new sdk.PutBucketReplicationCommand({
        Bucket: name,
        ReplicationConfiguration: {
          Role: 'arn:aws:iam::111122223333:role/replication',
          Rules: states.map((Status, Priority) => ({
            Status,
            Priority,
            Filter: { Prefix: '' },
            Destination: { Bucket: 'arn:aws:s3:::replica' },
          })),
        },
      }),
    );
  const putNotification = (NotificationConfiguration: sdk.NotificationConfiguration) =>
    s3.send(
      new sdk.PutBucketNotificationConfigurationCommand({
        Bucket: name,
        NotificationConfiguration,
      }),
    );

  it('has no use where no setting says one', async () => {
    assert.deepEqual((await readInventory(account)).use, NO_USE);
    await putReplication('Disabled');
    await putNotification({});
    await s3.send(
      new sdk.PutBucketTaggingCommand({
        Bucket: name,
        Tagging: { TagSet: [{ Key: 'storage-routing', Value: 'move' }] },
      }),
    );
    const inventory = await readInventory(account);
    assert.deepEqual([inventory.use, inventory.coverage], [NO_USE, []]);
  });

  for (const [setting, enable] of Object.entries(ENABLE))
    it(`has the use ${setting} where the setting says it`, async () => {
      await enable();
      assert.deepEqual((await readInventory(account)).use, { ...NO_USE, [setting]: true });
    });

  it('has events to functions, queues and topics', async () => {
    const Events: sdk.Event[] = ['s3:ObjectCreated:*'];
    const arn = (service: string) => `arn:aws:${service}:eu-central-1:111122223333:x`;
    for (const notifying of [
      { LambdaFunctionConfigurations: [{ LambdaFunctionArn: arn('lambda'), Events }] },
      { QueueConfigurations: [{ QueueArn: arn('sqs'), Events }] },
      { TopicConfigurations: [{ TopicArn: arn('sns'), Events }] },
    ]) {
      await putNotification(notifying);
      assert.equal((await readInventory(account)).use.hasEvents, true);
    }
  });

  it('is read without settings that the role may not read, each a line of the coverage', async () => {
    await Promise.all(Object.values(ENABLE).map((enable) => enable()));
    account.double.seed({ bucket: name, objects: [{ key: 'x', size: 7 }] });
    const reads = Object.values(SCAN_PERMISSIONS).map(({ action }): string => action);
    for (const [at, action] of USE_ACTIONS.entries()) {
      permit(
        account.double,
        reads.filter((each) => each !== action),
      );
      const inventory = await readInventory(account);
      assert.deepEqual(missingOf(inventory), [action]);
      const isRead = Object.values(inventory.use);
      assert.deepEqual(
        isRead,
        isRead.map((_, index) => index !== at),
      );
      assert.equal(inventory.groups[0]?.bytes, 7);
    }
  });

  it('tries again where a setting is not answered at the moment', async () => {
    await Promise.all(Object.values(ENABLE).map((enable) => enable()));
    account.double.addFault({ effect: 'slow_down', operation: 'GetBucketWebsite', times: 1 });
    const { work, failure } = await slice(account, FRESH, 0);
    assert.ok(failure?.isTransient);
    assert.equal(work.reading, null);
    assert.equal((await readInventory(account)).use.hasWebsite, true);
  });

  it('is read from the first key where an earlier version has begun without its settings', async () => {
    seedVersions();
    const whole = await readInventory(account);
    const { work } = await slice(account, FRESH, 0);
    assert.ok(work.reading);
    const { use: _use, ...earlier } = work.reading;
    const begun = { ...work, reading: earlier } as BucketWork;
    assert.deepEqual(await readInventory(account, 1e9, begun), whole);
  });

  it('is read of a store that does not have the settings, each a line of the coverage', async () => {
    const unsupported = [
      'GetBucketTagging',
      'GetObjectLockConfiguration',
      'GetBucketReplication',
      'GetBucketNotificationConfiguration',
      'GetBucketWebsite',
    ];
    const store = await openAccount({ behaviour: { unsupported } });
    try {
      store.double.putBucket({ name, region });
      store.double.seed({ bucket: name, objects: [{ key: 'x', size: 7 }] });
      const inventory = await readInventory(store);
      assert.deepEqual(missingOf(inventory), USE_ACTIONS);
      assert.deepEqual([inventory.use, inventory.groups[0]?.bytes], [NO_USE, 7]);
    } finally {
      await store.close();
    }
  });
});
