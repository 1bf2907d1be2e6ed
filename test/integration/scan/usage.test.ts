import assert from 'node:assert/strict';
import type { BillRowSpec, BillSpec } from '../../../dev/aws-double/store/usage.ts';
import type { ScanResult } from '../../../sdk/src/index.ts';
import { rolePolicy, USAGE_PERMISSIONS } from '../../../adapters/cloud-account/permissions.ts';
import { lastMonth } from '../../harness/bill-rows.ts';
import { cloudCustomerPerTest } from '../customers.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
const { month, days } = lastMonth();
const WHOLE = '<MetricsConfiguration><Id>EntireBucket</Id></MetricsConfiguration>';
const PART =
  '<MetricsConfiguration><Id>Part</Id><Filter><Prefix>a/</Prefix></Filter></MetricsConfiguration>';

/** The day so many days before today, as `2026-11-24`. */
const dayBefore = (count: number) =>
  new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
const daily = (value: number, from = 1, to = 30) =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, at) => [dayBefore(from + at), value]),
  );

describe('the bill and the reads of a scan', () => {
  const customer = cloudCustomerPerTest();

  const line = (usageType: string, quantity: number, unblendedUsd: number, more = {}) => ({
    month,
    linkedAccount: customer.awsAccount,
    usageType,
    quantity,
    unblendedUsd,
    netUnblendedUsd: unblendedUsd,
    ...more,
  });
  const putBill = (rows: readonly BillRowSpec[], more: Partial<BillSpec> = {}) =>
    customer.double.putBill({ accountId: customer.awsAccount, rows, ...more });
  /** Young objects, of which a scan lists so many GB. */
  function seed(name: string, gb: number, storageClass = 'STANDARD'): string {
    const bucket = customer.bucket(name);
    const object = {
      key: 'a/x',
      size: gb * GIB,
      storageClass,
      lastModified: `${dayBefore(2)}T00:00:00Z`,
    };
    customer.double.seed({ bucket, objects: [object] });
    return bucket;
  }
  function putReads(bucket: string, filterId: string, gets: number, gb: number, of = daily): void {
    const { awsAccount: accountId, double } = customer;
    const common = {
      accountId,
      region: 'us-east-1',
      dimensions: { BucketName: bucket, FilterId: filterId },
    };
    double.putMetrics([
      { ...common, name: 'GetRequests', values: of(gets) },
      { ...common, name: 'BytesDownloaded', values: of(gb * GIB) },
    ]);
  }
  const readsOf = ({ buckets }: ScanResult, bucket: string) =>
    buckets.find(({ name }) => name === bucket)?.reads;

  it('are those of S3 in this account, without credits, tax and other services', async () => {
    seed('plain', 100);
    putBill(
      [
        line('TimedStorage-ByteHrs', 100, 2.3, { netUnblendedUsd: 1.84 }),
        line('Requests-Tier1', 1_000, 0.005),
        line('Requests-Tier2', 3 * days, 0.5, { operation: 'GetObject', netUnblendedUsd: 0.4 }),
        line('Requests-Tier2', 1_000_000, 0.4, { operation: 'HeadObject', netUnblendedUsd: 0.32 }),
        line('EUC1-TimedStorage-SIA-ByteHrs', 8, 0.1),
        line('XYZ9-TimedStorage-ByteHrs', 5, 0.2),
        line('Inventory-ObjectsListed', 7, 0.3),
        line('TimedStorage-ByteHrs', 900, 900, { recordType: 'Credit' }),
        line('TimedStorage-ByteHrs', 900, 900, { recordType: 'Tax' }),
        line('TimedStorage-ByteHrs', 900, 900, { linkedAccount: '000000000001' }),
        line('TimedStorage-ByteHrs', 900, 900, { service: 'Amazon Simple Queue Service' }),
        line('TimedStorage-ByteHrs', 900, 900, { month: '2020-01' }),
      ],
      { groupsPerPage: 3, estimatedMonths: [month] },
    );
    customer.double.addFault({ effect: 'slow_down', service: 'ce', times: 1 });
    const scan = await customer.scan();
    const { bill } = scan.summary;
    assert.deepEqual(scan.summary.coverage, []);
    assert.equal(bill?.period, month);
    assert.equal(bill.estimated, true);
    assert.deepEqual([bill.listUsd, bill.netUsd], [3.805, 3.165]);
    // STANDARD was found; STANDARD_IA, and a region that is not known, were not.
    assert.equal(bill.explainedShare, 0.8846);
    assert.equal(bill.unexplainedUsd, 0.3);
    assert.deepEqual(bill.unexplained, [
      { region: null, usageType: 'TimedStorage-ByteHrs', usd: 0.2 },
      { region: 'eu-central-1', usageType: 'TimedStorage-SIA-ByteHrs', usd: 0.1 },
    ]);
    assert.deepEqual(bill.factors, [
      { region: 'us-east-1', line: 'storage', storageClass: 'STANDARD', factor: 0.8 },
      { region: 'us-east-1', line: 'get', storageClass: 'STANDARD', factor: 0.8 },
    ]);
    assert.deepEqual(bill.lines[0], {
      region: 'us-east-1',
      usageType: 'TimedStorage-ByteHrs',
      line: 'storage',
      storageClass: 'STANDARD',
      quantity: 100,
      unit: 'N/A',
      listUsd: 2.3,
      netUsd: 1.84,
      listedQuantity: 100,
    });
    assert.deepEqual(
      bill.lines.map(({ region, usageType, line: of }) => [region, usageType, of]).slice(2),
      [
        ['us-east-1', 'Inventory-ObjectsListed', 'other'],
        [null, 'TimedStorage-ByteHrs', 'storage'],
        ['eu-central-1', 'TimedStorage-SIA-ByteHrs', 'storage'],
        ['us-east-1', 'Requests-Tier1', 'put'],
      ],
    );
    const reads = readsOf(scan, customer.bucketName('plain'));
    assert.deepEqual(reads, {
      source: 'apportioned',
      getsPerMonth: 90,
      bytesPerMonth: 90 * 100 * GIB,
      internetBytesPerMonth: 0,
    });
    // Stored, and read 90 times, at 80 % of the list prices.
    assert.equal(scan.summary.currentMonthlyCostUsd, 1.840029);
    assert.match(
      await customer.client.scanner.report(scan.scanId),
      /Your S3 bill of .* was \$3\.17/,
    );
  });

  it('are measured where request metrics are of the whole bucket, on 14 days or more', async () => {
    const [whole, part, short] = [seed('whole', 10), seed('part', 10), seed('short', 10)];
    const tiered = seed('tiered', 20, 'INTELLIGENT_TIERING');
    const settings = { 'metrics/EntireBucket': WHOLE, 'metrics/Part': PART };
    for (const name of [whole, part, short]) customer.double.putBucket({ name, settings });
    putReads(whole, 'Part', 1, 1);
    putReads(whole, 'EntireBucket', 2, 3);
    putReads(part, 'Part', 5, 5);
    putReads(short, 'EntireBucket', 5, 5, (value) => daily(value, 1, 13));
    customer.double.putMetrics(
      ['IntelligentTieringFAStorage', 'IntelligentTieringAAStorage'].map((StorageType) => ({
        accountId: customer.awsAccount,
        region: 'us-east-1',
        name: 'BucketSizeBytes',
        dimensions: { BucketName: tiered, StorageType },
        values: { [dayBefore(2)]: 10 * GIB, [dayBefore(9)]: 900 * GIB },
      })),
    );
    const scan = await customer.scan();
    assert.deepEqual(readsOf(scan, whole), {
      source: 'measured',
      getsPerMonth: 60,
      bytesPerMonth: 90 * GIB,
      // No bill says where they went.
      internetBytesPerMonth: 0,
    });
    assert.equal(readsOf(scan, part)?.source, 'assumed');
    assert.equal(readsOf(scan, short)?.source, 'assumed');
    // Half of it frequent at 0.023, half archived at 0.0036 USD.
    const found = scan.buckets.find(({ name }) => name === tiered);
    assert.equal(found?.currentMonthlyCostUsd, 0.266003);
    assert.deepEqual(scan.summary.coverage, []);
    const { list, other, costUsd } = scan.requests;
    // One page of the bill; six metrics of two filters, and five tiers.
    const asked = 0.01 + (2 * 6 + 5) * 0.00001;
    assert.equal(costUsd, Number(((list * 0.005 + other * 0.0004) / 1000 + asked).toFixed(6)));
  });

  it('are measured over a span in which a day without requests counts as 0', async () => {
    const [working, late, written] = [seed('working', 10), seed('late', 10), seed('written', 10)];
    for (const name of [working, late, written])
      customer.double.putBucket({ name, settings: { 'metrics/EntireBucket': WHOLE } });
    const { awsAccount: accountId, double } = customer;
    const putMetric = (bucket: string, name: string, values: Record<string, number>) =>
      double.putMetrics([
        {
          accountId,
          region: 'us-east-1',
          name,
          dimensions: { BucketName: bucket, FilterId: 'EntireBucket' },
          values,
        },
      ]);
    // Read on 22 of 30 days, as on working days; the double sends no point of the others.
    const onWorkingDays = (value: number) =>
      Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [dayBefore(at + 1), (at + 1) % 7 < 5 ? value : 0]),
      );
    putReads(working, 'EntireBucket', 100_000, 1, onWorkingDays);
    // A write opens the span of 20 days; only the last two have reads.
    putMetric(late, 'PutRequests', { [dayBefore(20)]: 1 });
    putReads(late, 'EntireBucket', 100, 1, (value) => daily(value, 1, 2));
    // Nothing was read, which AWS says by having no such metric.
    putMetric(written, 'AllRequests', daily(10));
    putMetric(written, 'PutRequests', daily(10));
    const scan = await customer.scan();
    const read = [working, late, written].map((name) => readsOf(scan, name));
    assert.deepEqual(
      read.map((found) => [found?.source, found?.getsPerMonth, found?.bytesPerMonth]),
      [
        ['measured', 2_200_000, 22 * GIB],
        ['measured', 300, 3 * GIB],
        ['measured', 0, 0],
      ],
    );
    assert.deepEqual(scan.summary.coverage, []);
  });

  for (const { action, withoutIt } of Object.values(USAGE_PERMISSIONS))
    it(`continue without ${action}, which is a line of the coverage`, async () => {
      const bucket = seed('plain', 1);
      customer.double.putBucket({ name: bucket, settings: { 'metrics/EntireBucket': WHOLE } });
      putReads(bucket, 'EntireBucket', 1, 1);
      const deny = { Effect: 'Deny', Action: action, Resource: '*' } as const;
      customer.putRole({
        policies: [rolePolicy(), { Version: '2012-10-17', Statement: [deny] }],
      });
      const scan = await customer.scan();
      assert.equal(scan.status, 'completed');
      const where = action.startsWith('s3:') ? bucket : null;
      assert.deepEqual(scan.summary.coverage, [
        { bucket: where, missing: action, effect: withoutIt },
      ]);
      assert.equal(scan.summary.bill === null, action.startsWith('ce:'));
      assert.equal(
        readsOf(scan, bucket)?.source,
        action.startsWith('ce:') ? 'measured' : 'assumed',
      );
    });

  const BAD: Readonly<Record<string, () => unknown>> = {
    'of an account that has never opened Cost Explorer': () => putBill([], { isEnabled: false }),
    'without any line of S3': () => putBill([line('X', 1, 1, { service: 'AWS Lambda' })]),
    'in another currency': () => putBill([line('TimedStorage-ByteHrs', 1, 1)], { currency: 'CNY' }),
  };
  for (const [what, put] of Object.entries(BAD))
    it(`leave out a bill ${what}`, async () => {
      const bucket = seed('plain', 1);
      put();
      const scan = await customer.scan();
      assert.equal(scan.status, 'completed');
      assert.equal(scan.summary.bill, null);
      assert.deepEqual(
        scan.summary.coverage.map((gap) => [gap.bucket, gap.missing]),
        [[null, 'cost_explorer']],
      );
      assert.equal(readsOf(scan, bucket)?.source, 'assumed');
    });

  it('take ten thousand lines, corrections among them, and no metric that is not of their time and buckets', async () => {
    const bucket = seed('plain', 1);
    customer.double.putBucket({ name: bucket, settings: { 'metrics/EntireBucket': WHOLE } });
    putReads('deleted-long-ago', 'EntireBucket', 9_999, 9_999);
    putReads(bucket, 'EntireBucket', 7, 1, (value) => ({
      ...daily(value, 1, 14),
      // Today is not over, and tomorrow is a clock that is wrong.
      [dayBefore(0)]: 1e9,
      [dayBefore(-1)]: 1e9,
      [dayBefore(31)]: 1e9,
    }));
    const many = Array.from({ length: 10_000 }, (_, index) => line(`Line-${index}`, 1, 0.0001));
    putBill([...many, line('TimedStorage-ByteHrs', 2, 3), line('TimedStorage-ByteHrs', -1, -1)]);
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.equal(scan.summary.bill?.lines.length, 10_001);
    assert.deepEqual([scan.summary.bill.listUsd, scan.summary.bill.lines[0]?.listUsd], [3, 2]);
    assert.deepEqual(scan.summary.coverage, []);
    assert.equal(readsOf(scan, bucket)?.getsPerMonth, 7 * 30);
  });

  it('are not waited for long where nothing answers, and never fail the scan', async () => {
    seed('plain', 1);
    for (const service of ['ce', 'monitoring'] as const)
      customer.double.addFault({ effect: 'hang', service });
    const scan = await customer.scan();
    assert.equal(scan.status, 'completed');
    assert.deepEqual(
      scan.summary.coverage.map(({ missing }) => missing),
      ['ce:GetCostAndUsage', 'cloudwatch:ListMetrics'],
    );
  });

  it('are forgotten with the connection', async () => {
    const bucket = seed('plain', 1);
    const scan = await customer.scan();
    assert.ok(scan.summary.bill);
    await customer.client.scanner.disconnect(scan.connectionId);
    const later = await customer.client.scanner.results(scan.scanId);
    assert.equal(later.summary.bill, null);
    assert.equal(readsOf(later, bucket), null);
    assert.match(await customer.client.scanner.report(scan.scanId), /does not know who reads/);
  });
});
