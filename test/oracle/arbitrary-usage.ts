import * as fc from 'fast-check';
import type { AccountUsage, BillRow, BucketMetrics } from '../../domain/bill/bill.ts';
import type { ListedBucket } from './listing.ts';

/** Bills and metrics whose quantities are near to what is listed: that, and a part or a multiple of it. */

/** Of 31, 30, 29 and 28 days. */
const PERIODS = ['2026-10', '2026-09', '2024-02', '2026-02'];
/** A region that no list knows. */
export const UNKNOWN_REGION = 'xx-nowhere-9';
/** Of the regions of listings; the others have none that the rules name. */
const CODES = new Map(
  Object.entries({
    'us-west-2': 'USW2-',
    'eu-west-1': 'EU-',
    'eu-central-1': 'EUC1-',
    'eu-south-1': 'EUS1-',
    'eu-west-2': 'EUW2-',
    'ap-south-1': 'APS3-',
    'ap-southeast-1': 'APS1-',
    'sa-east-1': 'SAE1-',
    'me-central-1': 'MEC1-',
    'eu-central-2': 'EUC2-',
  }),
);
const TYPES = [
  'TimedStorage-ByteHrs TimedStorage-RRS-ByteHrs TimedStorage-SIA-ByteHrs TimedStorage-ZIA-ByteHrs',
  'TimedStorage-GIR-ByteHrs TimedStorage-GlacierByteHrs TimedStorage-GDA-ByteHrs',
  'TimedStorage-INT-FA-ByteHrs TimedStorage-INT-IA-ByteHrs TimedStorage-INT-AIA-ByteHrs',
  'TimedStorage-INT-AA-ByteHrs TimedStorage-INT-DAA-ByteHrs TimedStorage-SIA-SmObjects',
  'TimedStorage-ZIA-SmObjects TimedStorage-GIR-SmObjects TimedStorage-GlacierStaging TimedStorage-GDA-Staging',
  'Requests-Tier1 Requests-SIA-Tier1 Requests-GIR-Tier1 Requests-INT-Tier1 Requests-GLACIER-Tier1',
  'Requests-ZIA-Tier2 Requests-GIR-Tier2 Requests-INT-Tier2 Requests-GLACIER-Tier2',
  'Requests-ZIA-Tier1 Requests-GDA-Tier1 Requests-GDA-Tier2',
  'Requests-Tier3 Requests-GDA-Tier3 Requests-Tier4 Retrieval-SIA Retrieval-ZIA Retrieval-GIR',
  'Monitoring-Automation-INT EarlyDelete-SIA StorageLens-ObjCount TimedStorage-XYZ-ByteHrs',
  'CloudFront-Out-Bytes C3DataTransfer-Out-Bytes C3DataTransfer-In-Bytes DataTransfer-In-Bytes',
  'USW2-AWS-Out-Bytes EUC1-AWS-In-Bytes',
].flatMap((line) => line.split(' '));
const READ_TYPES = [
  'Requests-Tier2',
  'Requests-SIA-Tier2',
  'Retrieval-SIA',
  'DataTransfer-Out-Bytes',
  'C3DataTransfer-Out-Bytes',
  'USW2-AWS-In-Bytes',
  'DataTransfer-In-Bytes',
];
const MULTIPLES = [0, 0.1, 0.3, 0.6, 1, 7, 100];
/** What is transferred stays below 10,000 USD a month, where the last digit of sums is beyond doubt. */
const MOST_GB = 100_000;
/** Below, at and above a cent, the least that a factor is taken from. */
const LIST_USD = [0, 0.004, 0.006, 0.01, 0.25, 12.5, 1000.75];

const multiple = fc.constantFrom(...MULTIPLES);
const row = fc.record({
  /** The bucket whose region pays; none of them where it is above all. */
  at: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 9),
  unknown: fc.nat(9).map((chance) => chance === 0),
  usageType: fc.oneof(
    fc.constantFrom('TimedStorage-ByteHrs', ...READ_TYPES),
    fc.constantFrom(...READ_TYPES, ...TYPES),
  ),
  operation: fc.constantFrom('GetObject', 'WebsiteGetObject', 'HeadObject', 'StandardStorage'),
  multiple,
  listUsd: fc.constantFrom(...LIST_USD),
});
const bill = fc.record({
  period: fc.constantFrom(...PERIODS),
  estimated: fc.boolean(),
  discount: fc.constantFrom([1], [1], [0.9], [0], [0, 0.5, 0.75, 1, 1.1], [0.25, 0.8]),
  rows: fc.array(row, { minLength: 1, maxLength: 14 }),
});
const metrics = fc.record({
  reads: fc.option(
    fc.record({ gets: multiple, bytes: multiple, days: fc.constantFrom(0, 13, 14, 30, 30) }),
  ),
  tiers: fc.option(fc.array(fc.constantFrom(0, 0, 0.1, 0.6), { minLength: 5, maxLength: 5 })),
});
/** Who reads all buckets: to the internet so many times a month what is stored, and from AWS. */
const readers = fc.record({
  times: fc.constantFrom(2, 10, 30),
  gets: fc.constantFrom(0, 1, 1, 50),
  inside: fc.constantFrom(0, 0, 0.1, 3),
  measured: fc.boolean(),
});
const some = fc.record({
  bill: fc.option(bill, { freq: 3 }),
  metrics: fc.oneof(fc.constant([]), fc.array(metrics, { minLength: 4, maxLength: 4 })),
  readers: fc.constant(null),
});
const read = fc.record({ bill, metrics: fc.constant([]), readers });
type Found<A> = A extends fc.Arbitrary<infer Some> ? Some : never;

const heldIn = ({ objects = [] }: Partial<ListedBucket>) => ({
  objects: objects.reduce((total, { times = 1 }) => total + times, 0),
  bytes: objects.reduce((total, { size, times = 1 }) => total + size * times, 0),
});

/** What names another region behind its own needs its own. */
const codeOf = (bucket: ListedBucket | undefined, usageType: string): string =>
  CODES.get(bucket?.region ?? '') ?? (usageType.includes('-AWS-') ? 'USE1-' : '');

const isStored = (usageType: string) => usageType.startsWith('TimedStorage');
const unitOf = (usageType: string) => (isStored(usageType) ? 'GB-Month' : 'Other');

function rowsOf(
  { rows, discount }: Found<typeof bill>,
  buckets: readonly ListedBucket[],
): BillRow[] {
  return rows.map(({ at, unknown, multiple, listUsd, usageType, operation }, index) => {
    const { [at]: bucket } = buckets;
    const { objects, bytes } = heldIn(bucket ?? {});
    const isStorage = isStored(usageType);
    const many = usageType.startsWith('Requests') ? objects : bytes / 2 ** 30;
    const most = usageType.includes('-Bytes') && !isStorage ? MOST_GB : Infinity;
    const { [index % discount.length]: factor = 1 } = discount;
    const quantity = Math.min(most, Math.floor(many * multiple)) + Number(isStorage);
    // Every other one at the price of a list.
    const isListed = usageType === 'DataTransfer-Out-Bytes' && index % 2 === 0;
    const paid = isListed ? Math.round(quantity * 9) / 100 : listUsd;
    return {
      usageType: (unknown ? 'XYZ9-' : codeOf(bucket, usageType)) + usageType,
      operation,
      quantity,
      unit: unitOf(usageType),
      listUsd: paid,
      netUsd: Number((paid * factor).toFixed(4)),
    };
  });
}

/** What the bill says of the readers of a bucket, and of what is stored there. */
function readerRows(
  { times, gets, inside }: Found<typeof readers>,
  [factor = 1]: readonly number[],
  bucket: ListedBucket,
): BillRow[] {
  const { objects, bytes } = heldIn(bucket);
  const gb = Math.floor(bytes / 2 ** 30);
  const row = (usageType: string, operation: string, quantity: number, usd: number): BillRow => ({
    usageType: codeOf(bucket, usageType) + usageType,
    operation,
    quantity,
    unit: unitOf(usageType),
    listUsd: usd,
    netUsd: Number((usd * factor).toFixed(4)),
  });
  const out = Math.min(MOST_GB, gb * times);
  return [
    row('TimedStorage-ByteHrs', 'StandardStorage', gb, gb / 50),
    row('DataTransfer-Out-Bytes', 'GetObject', out, Math.round(out * 9) / 100),
    row('C3DataTransfer-Out-Bytes', 'GetObject', Math.floor(out * inside), 0),
    row('Requests-Tier2', 'GetObject', objects * gets, 0.01),
  ];
}

function metricsOf({ reads, tiers }: Found<typeof metrics>, bucket: ListedBucket): BucketMetrics {
  const { objects, bytes } = heldIn(bucket);
  const part = (share = 0) => Math.floor(bytes * share);
  return {
    reads: reads && {
      gets: Math.floor(objects * reads.gets),
      bytes: Math.min(MOST_GB * 2 ** 30, part(reads.bytes)),
      days: reads.days,
    },
    // Where tiers hold nothing, only monitoring costs something: the price book has it for every region that there may be.
    tiers:
      bucket.region !== UNKNOWN_REGION && tiers
        ? {
            frequent: part(tiers[0]),
            infrequent: part(tiers[1]),
            archiveInstant: part(tiers[2]),
            archive: part(tiers[3]),
            deepArchive: part(tiers[4]),
          }
        : null,
  };
}

/** Of readers, where they are measured. */
function readerMetrics(
  { times, gets, inside, measured }: Found<typeof readers>,
  bucket: ListedBucket,
): BucketMetrics {
  const { objects, bytes } = heldIn(bucket);
  const most = Math.min(MOST_GB * 2 ** 30, Math.floor(bytes * times * (1 + inside)));
  return { reads: measured ? { gets: objects * gets, bytes: most, days: 30 } : null, tiers: null };
}

/** What may be known of some buckets beside their listing: often nothing. */
export const arbitraryUsage: fc.Arbitrary<(buckets: readonly ListedBucket[]) => AccountUsage> = fc
  .oneof(fc.constant({ bill: null, metrics: [], readers: null }), some, read)
  .map((found) => (buckets) => {
    const { bill: billed, readers: who, metrics: measured } = found;
    const more = who && billed ? { who, discount: billed.discount } : null;
    return {
      bill: billed && {
        period: billed.period,
        estimated: billed.estimated,
        rows: [
          ...rowsOf(billed, buckets),
          ...(more ? buckets.flatMap((one) => readerRows(more.who, more.discount, one)) : []),
        ],
      },
      metrics: new Map(
        buckets.flatMap((bucket, index) => {
          if (who) return [[bucket.name, readerMetrics(who, bucket)] as const];
          const { [index]: of } = measured;
          return of ? [[bucket.name, metricsOf(of, bucket)] as const] : [];
        }),
      ),
    };
  });
