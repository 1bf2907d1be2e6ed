import assert from 'node:assert/strict';
import { rolePolicy, SCAN_PERMISSIONS } from '../../../adapters/cloud-account/permissions.ts';
import { newCloudCustomer } from '../customers.ts';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';

const MIB = 2 ** 20;

/** The permission that each logged operation needs. */
const PERMISSION_OF: Readonly<Record<string, string>> = {
  ListBuckets: 's3:ListAllMyBuckets',
  ListObjectsV2: 's3:ListBucket',
  ListObjectVersions: 's3:ListBucketVersions',
  GetBucketVersioning: 's3:GetBucketVersioning',
  GetBucketLifecycleConfiguration: 's3:GetLifecycleConfiguration',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  ListParts: 's3:ListMultipartUploadParts',
};

const codesOf = (findings: readonly { code: string }[]) => findings.map(({ code }) => code);

describe('what a scan reads', () => {
  let customer: CloudCustomer;
  beforeEach(async () => {
    customer = await newCloudCustomer();
  });
  afterEach(() => customer.double.clearFaults());

  /** A bucket with one of everything that a scan reads. */
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

  it('of an empty account recommends nothing', async () => {
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.equal(scan.source, 'stored');
    assert.deepEqual(scan.buckets, []);
    assert.equal(scan.decisionReport?.verdict, 'stay');
    assert.equal(scan.progress.percent, 100);
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

  for (const permission of Object.values(SCAN_PERMISSIONS)) {
    const { action, withoutIt } = permission;
    if (withoutIt === null) continue;
    it(`continues without ${action}, and reports what is unknown`, async () => {
      const bucket = seedEverything();
      if (action === 's3:ListBucket') {
        customer.double.putBucket({ name: bucket, versioning: 'Suspended' });
      }
      const allowed = rolePolicy();
      customer.putRole({
        policies: [
          allowed,
          { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Action: action, Resource: '*' }] },
        ],
      });
      const other = customer.bucket('other');
      customer.double.seed({ bucket: other, objects: [{ key: 'x', size: 7 }] });
      const scan = await customer.scan();
      assert.equal(scan.status, 'completed');
      assert.equal(scan.progress.bucketsDone, 2);
      const gaps = scan.summary.coverage.filter((gap) => gap.bucket === bucket) ?? [];
      if (action === 's3:ListBucket') {
        const unread = scan.buckets.find(({ name }) => name === other);
        assert.equal(unread?.error?.code, 'provider_error');
        assert.deepEqual(scan.summary.coverage, [
          { bucket: other, missing: action, effect: withoutIt },
        ]);
        return;
      }
      assert.deepEqual(gaps, [{ bucket, missing: action, effect: withoutIt }]);
      assert.equal(scan.buckets.find(({ name }) => name === bucket)?.objects, 1);
      assert.equal(scan.buckets.find(({ name }) => name === bucket)?.error, null);
    });
  }

  it('reports a bucket that cannot be read with its reason, and reads the rest', async () => {
    const broken = customer.bucket('broken');
    const fine = customer.bucket('fine');
    customer.double.seed({ bucket: fine, objects: [{ key: 'x', size: 7 }] });
    customer.double.addFault({ effect: 'access_denied', bucket: broken });
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    const [first, second] = scan.buckets;
    assert.equal(first?.name, broken);
    assert.equal(first?.error?.code, 'provider_error');
    assert.match(first?.error?.message ?? '', /refused/);
    assert.deepEqual(first?.findings, []);
    assert.equal(second?.objects, 1);
    assert.match(await customer.client.scanner.report(scan.scanId), /not read/);
  });

  it('leaves out the buckets of other regions', async () => {
    customer.bucket('here', 'us-west-2');
    customer.bucket('there', 'ap-southeast-1');
    const scan = await customer.scan();
    assert.deepEqual(
      scan.buckets.map(({ name, region }) => [name, region]),
      [[customer.bucketName('here'), 'us-west-2']],
    );
  });

  it('finds old versions, delete markers and incomplete uploads', async () => {
    const bucket = seedEverything();
    const scan = await customer.scan();
    const found = scan.buckets[0];
    assert.deepEqual(codesOf(found?.findings ?? []), [
      'incomplete_multipart_uploads',
      'old_versions',
      'no_abort_multipart_rule',
      'no_lifecycle_rule',
    ]);
    assert.equal(found?.name, bucket);
    assert.equal(found?.objects, 1);
    assert.equal(found?.bytes, 2 * MIB);
    const [uploads, versions] = found?.findings ?? [];
    assert.deepEqual([uploads?.objects, uploads?.bytes], [1, 10 * MIB]);
    assert.deepEqual([versions?.objects, versions?.bytes], [2, 2 * MIB]);
  });
});
