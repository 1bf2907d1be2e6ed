import type { AwsDouble } from './aws-double/index.ts';
import type { BillRowSpec } from './aws-double/store/usage.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
/** What the agreement of the sample account leaves of the list price. */
const AGREED = 0.82;
const WHOLE_BUCKET = '<MetricsConfiguration><Id>EntireBucket</Id></MetricsConfiguration>';

/** A line of the bill: usage type, quantity, unit, list price of the quantity in USD, operation. */
type Line = readonly [string, number, string, number, string?];

/**
 * The list prices of the last month for what `sample-account.ts` seeds, and a little that was deleted since. Read
 * from the internet is what leaves us-east-1; all of eu-west-1 is read through a content network in front of it.
 */
const LINES: readonly Line[] = [
  ['TimedStorage-ByteHrs', 99_400, 'GB-Month', 51_200 * 0.023 + 48_200 * 0.022],
  ['TimedStorage-SIA-ByteHrs', 0.08, 'GB-Month', 0.001],
  ['TimedStorage-SIA-SmObjects', 0.53, 'GB-Month', 0.006_6],
  ['TimedStorage-INT-FA-ByteHrs', 0.04, 'GB-Month', 0.001],
  ['Requests-Tier1', 1_950_000, 'Requests', 9.75, 'PutObject'],
  ['Requests-Tier2', 5_200, 'Requests', 0.002_1, 'GetObject'],
  ['Requests-Tier2', 410_000, 'Requests', 0.164, 'HeadObject'],
  ['DataTransfer-Out-Bytes', 1_240, 'GB', 1_240 * 0.09],
  ['EUC1-TimedStorage-SIA-ByteHrs', 24_000, 'GB-Month', 24_000 * 0.0135],
  ['EUC1-TimedStorage-GDA-ByteHrs', 36_864, 'GB-Month', 36_864 * 0.0018],
  ['EUC1-Requests-SIA-Tier1', 60, 'Requests', 0.000_6, 'PutObject'],
  ['EUC1-Inventory-ObjectsListed', 96, 'Objects', 0.000_3],
  ['EU-TimedStorage-ByteHrs', 0.4, 'GB-Month', 0.4 * 0.023],
  ['EU-Requests-Tier2', 640_000, 'Requests', 0.256, 'GetObject'],
  ['EU-CloudFront-Out-Bytes', 1_600, 'GB', 0],
];

/** Lines that no audit may take: other services, other accounts, credits and tax. */
function foreignRows(month: string, linkedAccount: string): BillRowSpec[] {
  const row = { month, linkedAccount, usageType: 'TimedStorage-ByteHrs', quantity: 1_000_000 };
  const costs = { unblendedUsd: 23_000, netUnblendedUsd: 23_000 };
  return [
    { ...row, ...costs, service: 'Amazon Simple Queue Service' },
    { ...row, ...costs, linkedAccount: '777788889999' },
    { ...row, recordType: 'Tax', unblendedUsd: 480, netUnblendedUsd: 480 },
    { ...row, recordType: 'Credit', unblendedUsd: -300, netUnblendedUsd: -300 },
  ];
}

/**
 * Gives the sample account a bill of the last month with a discount of 18 %, and request metrics of two buckets:
 * `avatars` is read all day, nothing reads `logs`.
 */
export function seedSampleUsage(
  double: AwsDouble,
  { accountId, now, prefix }: { accountId: string; now: Date; prefix: string },
): void {
  const monthBefore = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  const month = monthBefore.toISOString().slice(0, 7);
  double.putBill({
    accountId,
    rows: [
      ...LINES.map(([usageType, quantity, unit, unblendedUsd, operation = '']) => ({
        month,
        linkedAccount: accountId,
        usageType,
        operation,
        quantity,
        unit,
        unblendedUsd,
        netUnblendedUsd: unblendedUsd * AGREED,
      })),
      ...foreignRows(month, accountId),
    ],
  });
  const daily = (value: number) =>
    Object.fromEntries(
      Array.from({ length: 40 }, (_, days) => [
        new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10),
        value,
      ]),
    );
  for (const [name, gets, gb] of [
    ['avatars', 40, 0.008],
    ['logs', 0, 0],
  ] as const) {
    const bucket = `${prefix}${name}`;
    double.putBucket({ name: bucket, settings: { 'metrics/EntireBucket': WHOLE_BUCKET } });
    const common = {
      accountId,
      region: 'us-east-1',
      dimensions: { BucketName: bucket, FilterId: 'EntireBucket' },
    };
    double.putMetrics([
      { ...common, name: 'GetRequests', values: daily(gets) },
      { ...common, name: 'BytesDownloaded', values: daily(gb * GIB) },
    ]);
  }
}
