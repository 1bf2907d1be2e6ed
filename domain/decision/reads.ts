import {
  LEAST_MEASURED_DAYS,
  monthScale,
  type AccountUsage,
  type Bill,
  type MeasuredReads,
} from '../bill/bill.ts';
import { readUsageType } from '../bill/usage-types.ts';
import type { BucketInventory, ObjectStatistics } from '../inventory/inventory.ts';
import { shownCount, sumBy } from './amounts.ts';
import { isArchived } from './bucket.ts';
import type { BucketReads, PricedBucket, PricedObjects } from './model.ts';
import type { ReadsOfBucket, Scenarios } from './types.ts';

/** Full reads per month by age band, where nothing else is known: LastModified is not access. */
const ASSUMED_READS = [0.5, 0.1, 0.03, 0.01] as const;

export const ASSUMED: BucketReads = {
  source: 'assumed',
  gets: 1,
  bytes: 1,
  internetBytes: 1,
  scenarios: { none: 0, expected: 1, heavy: 10 },
};
const KNOWN: Scenarios = { none: 0.5, expected: 1, heavy: 2 };
const MOST_HEAVY = 10;
const DAYS_PER_MONTH = 30;
/** A GB of AWS's bill. */
const BYTES_PER_GB = 2 ** 30;

/** Whether the objects of a class have to be restored before they can be read. */
export type IsArchived = (region: string, storageClass: string) => boolean;

/** Full reads of an object per month at an age, in a scenario. */
export function fullReads(
  { scenarios }: BucketReads,
  scenario: keyof Scenarios,
  ageBand: number,
): number {
  return (ASSUMED_READS[ageBand] ?? 0) * scenarios[scenario];
}

/** A bucket with what its reads are shared by: `requests` is Σ n E, `gb` is Σ B E in GB. */
interface ReadShares {
  readonly name: string;
  readonly requests: number;
  readonly gb: number;
  /** Measured reads of 30 days, as requests and GB; null if they were not measured. */
  readonly measured: { readonly gets: number; readonly gb: number } | null;
}

/**
 * The reads of each bucket, by its name.
 *
 * | measured on 14 days or more | the bill has a line of its region | the reads are                        |
 * |-----------------------------|-----------------------------------|--------------------------------------|
 * | yes                         | -                                 | measured                             |
 * | no                          | yes                               | its share of what is left of the bill |
 * | no                          | no                                | assumed by age                       |
 */
export function readsByBucket(
  buckets: readonly BucketInventory[],
  { bill, metrics }: AccountUsage,
  isArchivedClass: IsArchived,
): ReadonlyMap<string, BucketReads> {
  const found = new Map<string, BucketReads>();
  for (const region of new Set(buckets.map((bucket) => bucket.region))) {
    const inRegion = buckets
      .filter((bucket) => bucket.region === region)
      .map((bucket) =>
        readShares(bucket, metrics.get(bucket.name)?.reads ?? null, isArchivedClass),
      );
    const billed = bill && billedReads(bill, region);
    for (const [name, reads] of billed ? shareOut(inRegion, billed) : alone(inRegion))
      found.set(name, reads);
  }
  return found;
}

/** The reads of a bucket per 30 days at `expected`. */
export function shownReads({ totals, reads }: PricedBucket): ReadsOfBucket {
  const read = totals.filter((objects) => !isArchived(objects));
  const expected = (amount: (statistics: ObjectStatistics) => number) =>
    sumBy(read, ({ statistics, ageBand }) => amount(statistics) * (ASSUMED_READS[ageBand] ?? 0));
  const bytes = expected((statistics) => statistics.bytes);
  return {
    source: reads.source,
    getsPerMonth: shownCount(expected((statistics) => statistics.objects) * reads.gets),
    bytesPerMonth: shownCount(bytes * reads.bytes),
    internetBytesPerMonth: shownCount(bytes * reads.internetBytes),
  };
}

/** The reads of an object per 30 days at `expected`, on average. */
export function readsPerObject(reads: BucketReads, objects: readonly PricedObjects[]): number {
  const count = sumBy(objects, ({ statistics }) => statistics.objects);
  const expected = sumBy(
    objects,
    ({ statistics, ageBand }) => statistics.objects * fullReads(reads, 'expected', ageBand),
  );
  return count > 0 ? (expected * reads.gets) / count : 0;
}

/** What a bill says about the reads of a region, for 30 days; null if it has no line of it. */
function billedReads(bill: Bill, region: string): { gets: number; internetGb: number } | null {
  const scale = monthScale(bill.period);
  const rows = bill.rows
    .map((row) => ({ ...row, ...readUsageType(row.usageType) }))
    .filter((row) => row.region === region);
  if (rows.length === 0) return null;
  const gets = rows.filter(({ line, operation }) => line === 'get' && operation === 'GetObject');
  const internet = rows.filter(({ line }) => line === 'egress');
  return {
    gets: sumBy(gets, ({ quantity }) => quantity) * scale,
    internetGb: sumBy(internet, ({ quantity }) => quantity) * scale,
  };
}

function readShares(
  { name, region, groups }: BucketInventory,
  reads: MeasuredReads | null,
  isArchivedClass: IsArchived,
): ReadShares {
  const read = groups.filter(({ storageClass }) => !isArchivedClass(region, storageClass));
  const expected = (ageBand: number) => ASSUMED_READS[ageBand] ?? 0;
  const scale = reads ? DAYS_PER_MONTH / reads.days : 0;
  const isMeasured = reads !== null && reads.days >= LEAST_MEASURED_DAYS;
  return {
    name,
    requests: sumBy(read, ({ objects, ageBand }) => objects * expected(ageBand)),
    gb: sumBy(read, ({ bytes, ageBand }) => (bytes / BYTES_PER_GB) * expected(ageBand)),
    measured: isMeasured
      ? { gets: reads.gets * scale, gb: (reads.bytes * scale) / BYTES_PER_GB }
      : null,
  };
}

/** Without a bill: what was measured, as if all of it left to the internet; the others by age. */
function alone(buckets: readonly ReadShares[]): [string, BucketReads][] {
  return buckets.map(({ name, requests, gb, measured }) => {
    if (!measured) return [name, ASSUMED];
    const bytes = share(measured.gb, gb);
    const gets = share(measured.gets, requests);
    return [name, { source: 'measured', gets, bytes, internetBytes: bytes, scenarios: KNOWN }];
  });
}

/** With a bill: what was not measured is shared by the assumed reads; then what left to the internet. */
function shareOut(
  buckets: readonly ReadShares[],
  billed: { readonly gets: number; readonly internetGb: number },
): [string, BucketReads][] {
  const apportioned = buckets.filter(({ measured }) => measured === null);
  const measuredGets = sumBy(buckets, ({ measured }) => measured?.gets ?? 0);
  const requests = sumBy(apportioned, (bucket) => bucket.requests);
  const rest = share(Math.max(0, billed.gets - measuredGets), requests);
  const measuredGb = sumBy(buckets, ({ measured, gb }) => (gb > 0 ? (measured?.gb ?? 0) : 0));
  const apportionedGb = sumBy(apportioned, ({ gb }) => gb);
  // Bytes that left were read.
  const isTooLittle = billed.internetGb > measuredGb + rest * apportionedGb;
  const restBytes =
    isTooLittle && apportionedGb > 0 ? (billed.internetGb - measuredGb) / apportionedGb : rest;
  const readGb = measuredGb + restBytes * apportionedGb;
  const internet = readGb > 0 ? Math.min(1, billed.internetGb / readGb) : 0;
  const isOnly = apportioned.filter((bucket) => bucket.requests > 0).length === 1;

  return buckets.map((bucket) => {
    const { name, measured, gb } = bucket;
    const bytes = measured ? share(measured.gb, gb) : restBytes;
    return [
      name,
      {
        source: measured ? 'measured' : 'apportioned',
        gets: measured ? share(measured.gets, bucket.requests) : rest,
        bytes,
        internetBytes: bytes * internet,
        scenarios:
          measured || (isOnly && bucket.requests > 0)
            ? KNOWN
            : { ...ASSUMED.scenarios, heavy: heavyOf(bucket, requests) },
      },
    ];
  });
}

/** All of the rest may be read in this bucket. */
function heavyOf({ requests }: ReadShares, ofAll: number): number {
  return requests > 0 ? Math.min(MOST_HEAVY, ofAll / requests) : MOST_HEAVY;
}

/** 0 where nothing is to be shared by. */
function share(amount: number, by: number): number {
  return by > 0 ? amount / by : 0;
}
