import type { AwsDouble } from './aws-double/index.ts';
import type { BillRowSpec } from './aws-double/store/usage.ts';
import { generateObjects, parseDate } from './aws-double/store/generated.ts';
import { sampleBuckets, type SampleAccount, type SampleBucket } from './sample-buckets.ts';

const GIB = 2 ** 30;
const DAY_MS = 86_400_000;
const SMALL_BYTES = 128 * 2 ** 10;
/** What the agreement of the sample account leaves of the list price. */
const AGREED = 0.82;
const WHOLE_BUCKET = '<MetricsConfiguration><Id>EntireBucket</Id></MetricsConfiguration>';
const MEASURED_DAYS = 40;

/** Calls that look at objects and read none, in 30 days and a region. */
const HEADS = 410_000;
/** How the bill names the storage of a class. */
const STORAGE_TYPES: Readonly<Record<string, string>> = {
  STANDARD: 'TimedStorage-ByteHrs',
  STANDARD_IA: 'TimedStorage-SIA-ByteHrs',
  INTELLIGENT_TIERING: 'TimedStorage-INT-FA-ByteHrs',
  GLACIER_IR: 'TimedStorage-GIR-ByteHrs',
  DEEP_ARCHIVE: 'TimedStorage-GDA-ByteHrs',
};
/** The classes that bill an object as 128 KiB at least. */
const PADDED = new Set(['STANDARD_IA', 'GLACIER_IR']);

interface RegionPrices {
  readonly billPrefix: string;
  readonly storage: Readonly<Record<string, number>>;
  readonly get: number;
  readonly put: number;
}

/** List prices in USD, per GB and month, and per request; those of the first band. */
const AMERICA = {
  storage: {
    STANDARD: 0.023,
    STANDARD_IA: 0.0125,
    INTELLIGENT_TIERING: 0.023,
    GLACIER_IR: 0.004,
    DEEP_ARCHIVE: 0.00099,
  },
  get: 0.0004 / 1_000,
  put: 0.005 / 1_000,
} as const;
const PRICES: Readonly<Record<string, RegionPrices>> = {
  'us-east-1': { ...AMERICA, billPrefix: '' },
  'us-west-2': { ...AMERICA, billPrefix: 'USW2-' },
  'eu-central-1': {
    billPrefix: 'EUC1-',
    storage: {
      STANDARD: 0.0245,
      STANDARD_IA: 0.0135,
      INTELLIGENT_TIERING: 0.0245,
      GLACIER_IR: 0.005,
      DEEP_ARCHIVE: 0.0018,
    },
    get: 0.00043 / 1_000,
    put: 0.0054 / 1_000,
  },
};
/** Egress by bands: up to so many GB, USD per GB. */
const EGRESS = [
  [10_240, 0.09],
  [51_200, 0.085],
  [Number.POSITIVE_INFINITY, 0.07],
] as const;

/** A line of the bill: usage type, quantity, unit, list price of the quantity in USD, operation. */
type Line = readonly [string, number, string, number, string?];

/** What no bucket of the account explains. */
const ELSEWHERE: readonly Line[] = [
  ['TimedStorage-XZ-ByteHrs', 40, 'GB-Month', 40 * 0.11],
  ['APS1-TimedStorage-ByteHrs', 210, 'GB-Month', 210 * 0.025],
];

/** Gives the sample account a bill of the last month with a discount of 18 %, and the request metrics of some buckets. */
export function seedSampleUsage(double: AwsDouble, sample: SampleAccount): void {
  const { accountId, now } = sample;
  const lastDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  const month = lastDay.toISOString().slice(0, 7);
  const months = lastDay.getUTCDate() / 30;
  const buckets = sampleBuckets(sample).map((bucket) => sumContent(bucket, now));
  const lines = Object.entries(PRICES).flatMap(([region, prices]) =>
    linesOf(
      buckets.filter((bucket) => bucket.region === region),
      prices,
      months,
    ),
  );
  double.putBill({
    accountId,
    rows: [
      ...[...lines, ...ELSEWHERE].map(
        ([usageType, quantity, unit, unblendedUsd, operation = '']) => ({
          month,
          linkedAccount: accountId,
          usageType,
          operation,
          quantity,
          unit,
          unblendedUsd,
          netUnblendedUsd: unblendedUsd * AGREED,
        }),
      ),
      ...foreignRows(month, accountId),
    ],
  });
  for (const bucket of buckets.filter(({ isMeasured }) => isMeasured)) {
    const { name, region, reads, written } = bucket;
    double.putBucket({ name, settings: { 'metrics/EntireBucket': WHOLE_BUCKET } });
    const dimensions = { BucketName: name, FilterId: 'EntireBucket' };
    const common = { accountId, region, dimensions };
    double.putMetrics([
      { ...common, name: 'GetRequests', values: everyDay(now, (reads?.gets ?? 0) / 30) },
      { ...common, name: 'BytesDownloaded', values: everyDay(now, ((reads?.gb ?? 0) * GIB) / 30) },
      { ...common, name: 'PutRequests', values: everyDay(now, written.objects / 30) },
    ]);
  }
}

function everyDay(now: Date, value: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Array.from({ length: MEASURED_DAYS }, (_, days) => [
      new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10),
      value,
    ]),
  );
}

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

/** A bucket with what it holds as its storage is billed, and what was written in the last 30 days. */
interface SummedBucket extends SampleBucket {
  /** Of each storage class. */
  readonly billedGb: Readonly<Record<string, number>>;
  readonly written: { readonly objects: number; readonly gb: number };
}

function sumContent(bucket: SampleBucket, now: Date): SummedBucket {
  const { content } = bucket;
  const billedGb: Record<string, number> = {};
  const written = { objects: 0, gb: 0 };
  const since = now.getTime() - 30 * DAY_MS;
  const add = (storageClass: string, bytes: number, atMs: number) => {
    const billed = PADDED.has(storageClass) ? Math.max(bytes, SMALL_BYTES) : bytes;
    billedGb[storageClass] = (billedGb[storageClass] ?? 0) + billed / GIB;
    if (atMs < since) return;
    written.objects += 1;
    written.gb += bytes / GIB;
  };
  for (const spec of content.generated ?? [])
    generateObjects(spec, now.getTime(), (_key, make) => {
      const { storageClass, body, lastModifiedMs } = make();
      add(storageClass, body?.sizeBytes ?? 0, lastModifiedMs);
    });
  for (const { size = 0, storageClass = 'STANDARD', lastModified } of content.objects ?? [])
    add(storageClass, size, parseDate(lastModified, now.getTime()));
  for (const { partSizes = [], initiated } of content.uploads ?? [])
    for (const bytes of partSizes) add('STANDARD', bytes, parseDate(initiated, now.getTime()));
  return { ...bucket, billedGb, written };
}

function linesOf(
  buckets: readonly SummedBucket[],
  { billPrefix, storage, get, put }: RegionPrices,
  months: number,
): readonly Line[] {
  type Amount = (bucket: (typeof buckets)[number]) => number;
  const sum = (amount: Amount, isInside?: boolean) =>
    buckets
      .filter(({ isUsedInside = false }) => isInside === undefined || isUsedInside === isInside)
      .reduce((total, bucket) => total + amount(bucket), 0);
  const requests = (tier: string, operation: string, count: number, price: number): Line => [
    `${billPrefix}Requests-${tier}`,
    count * months,
    'Requests',
    count * months * price,
    operation,
  ];
  const transfer = (way: string, gb: number, toUsd = (_gb: number) => 0): Line => [
    `${billPrefix}${way}-Bytes`,
    gb * months,
    'GB',
    toUsd(gb * months),
  ];
  const readGb: Amount = ({ reads }) => reads?.gb ?? 0;
  const writtenGb: Amount = ({ written }) => written.gb;
  const lines: Line[] = [
    ...Object.entries(storage).map(([storageClass, price]): Line => {
      const gb = sum(({ billedGb }) => billedGb[storageClass] ?? 0);
      return [`${billPrefix}${STORAGE_TYPES[storageClass]}`, gb, 'GB-Month', gb * price];
    }),
    requests(
      'Tier1',
      'PutObject',
      sum(({ written }) => written.objects),
      put,
    ),
    requests(
      'Tier2',
      'GetObject',
      sum(({ reads }) => reads?.gets ?? 0),
      get,
    ),
    requests('Tier2', 'HeadObject', HEADS, get),
    transfer('DataTransfer-Out', sum(readGb, false), egressUsd),
    transfer('DataTransfer-In', sum(writtenGb, false)),
    transfer('C3DataTransfer-Out', sum(readGb, true)),
    transfer('C3DataTransfer-In', sum(writtenGb, true)),
  ];
  return lines.filter(([, quantity]) => quantity > 0);
}

function egressUsd(gb: number): number {
  let from = 0;
  return EGRESS.reduce((usd, [to, price]) => {
    const inBand = Math.max(0, Math.min(gb, to) - from);
    from = to;
    return usd + inBand * price;
  }, 0);
}
