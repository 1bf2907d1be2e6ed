import assert from 'node:assert/strict';
import { rolePolicy, SCAN_PERMISSIONS } from '../../../adapters/cloud-account/permissions.ts';
import { cloudCustomerPerTest } from '../customers.ts';

const MIB = 2 ** 20;

/** The permission that each logged operation needs. */
const PERMISSION_OF: Readonly<Record<string, string>> = {
  ListBuckets: 's3:ListAllMyBuckets',
  ListObjectsV2: 's3:ListBucket',
  ListObjectVersions: 's3:ListBucketVersions',
  GetBucketVersioning: 's3:GetBucketVersioning',
  GetBucketLifecycleConfiguration: 's3:GetLifecycleConfiguration',
  GetBucketTagging: 's3:GetBucketTagging',
  GetObjectLockConfiguration: 's3:GetBucketObjectLockConfiguration',
  GetBucketReplication: 's3:GetReplicationConfiguration',
  GetBucketNotificationConfiguration: 's3:GetBucketNotification',
  GetBucketWebsite: 's3:GetBucketWebsite',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  ListParts: 's3:ListMultipartUploadParts',
};

describe('what a scan reads', () => {
  const customer = cloudCustomerPerTest();

  function seedEverything(name = 'everything'): string {
    const bucket = customer.bucket(name);
    customer.double.putBucket({ name: bucket, versioning: 'Enabled' });
    customer.double.seed({
      bucket,
      objects: [
        { key: 'a/one.txt', size: MIB, lastModified: '2026-01-01T00:00:00Z' },
        { key: 'a/one.txt', size: 2 * MIB, lastModified: '2026-01-02T00:00:00Z' },
        { key: 'gone.txt', size: MIB, lastModified: '2026-01-01T00:00:00Z' },
        { key: 'gone.txt', deleteMarker: true, lastModified: '2026-01-02T00:00:00Z' },
      ],
      uploads: [{ key: 'never.bin', partSizes: [5 * MIB, 5 * MIB] }],
    });
    return bucket;
  }

  it('of an account without a bucket in its regions recommends nothing', async () => {
    customer.bucket('there', 'ap-southeast-1');
    const scan = await customer.scan();
    assert.deepEqual([scan.status, scan.progress.percent, scan.buckets], ['completed', 100, []]);
    assert.equal(scan.decisionReport?.verdict, 'stay');
  });

  // spec: scanner.read-only-role
  it('makes exactly the calls that the role allows, each of them', async () => {
    seedEverything();
    const plain = customer.bucket('plain');
    customer.double.seed({ bucket: plain, objects: [{ key: 'x', size: 1 }] });
    customer.double.resetCounters();
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.deepEqual(scan.summary.coverage, []);
    const asked = customer.double
      .requests()
      .filter(({ service, caller }) => service === 's3' && caller?.includes(customer.awsAccount));
    assert.ok(asked.every(({ status }) => status === 200 || status === 404));
    const used = new Set(asked.map(({ operation }) => PERMISSION_OF[operation] ?? operation));
    const allowed = Object.values(SCAN_PERMISSIONS).map(({ action }) => action);
    assert.deepEqual([...used].sort(), allowed.sort());
    // Connecting has asked for the buckets once, and the scan once more.
    const lists = asked.filter(({ operation }) => operation.startsWith('List')).length - 1;
    assert.deepEqual(scan.requests.list, lists);
    assert.equal(scan.requests.other, asked.length - 1 - lists);
    assert.equal(
      scan.requests.costUsd,
      // And a page of the bill.
      Number(
        ((scan.requests.list * 0.005 + scan.requests.other * 0.0004) / 1000 + 0.01).toFixed(6),
      ),
    );
  });

  for (const { action, withoutIt } of Object.values(SCAN_PERMISSIONS)) {
    if (withoutIt === null) continue;
    it(`continues without ${action}, and reports what is unknown`, async () => {
      const bucket = seedEverything();
      const isListing = action === 's3:ListBucket';
      if (isListing) customer.double.putBucket({ name: bucket, versioning: 'Suspended' });
      const denied = { Effect: 'Deny', Action: action, Resource: '*' } as const;
      const denial = { Version: '2012-10-17', Statement: [denied] };
      customer.putRole({ policies: [rolePolicy(), denial] });
      const other = customer.bucket('other');
      customer.double.seed({ bucket: other, objects: [{ key: 'x', size: 7 }] });
      const { scanId, status, progress, summary, buckets } = await customer.scan();
      assert.deepEqual([status, progress.bucketsDone], ['completed', 2]);
      const found = (wanted: string) => buckets.find(({ name }) => name === wanted);
      const gap = { bucket: isListing ? other : bucket, missing: action, effect: withoutIt };
      assert.deepEqual(
        summary.coverage.filter((each) => isListing || each.bucket === bucket),
        [gap],
      );
      assert.deepEqual([found(bucket)?.objects, found(bucket)?.error], [1, null]);
      if (!isListing) return;
      // The bucket that cannot be read is reported with its reason.
      const { error, findings } = found(other) ?? assert.fail();
      assert.deepEqual([error?.code, findings], ['provider_error', []]);
      assert.match(error?.message ?? '', /refused/);
      assert.match(await customer.client.scanner.report(scanId), /not read/);
    });
  }
});
