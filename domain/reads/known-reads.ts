import type { AgeBandIndex } from '../inventory/bands.ts';
import { BYTES_PER_BILLED_GB, DAYS_PER_MONTH } from '../../shared/units.ts';
import { LEAST_MEASURED_DAYS, monthScale, type AccountUsage, type Bill } from '../bill/bill.ts';
import { isRead, readUsageType, type BillRegions, type Transfer } from '../bill/usage-types.ts';
import { groupBy, isBelowLimit, sumBy, totalOf } from '../common/sums.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import {
  ASSUMED,
  ASSUMED_OUTSIDE,
  ASSUMED_READS,
  NEVER,
  ONLY_INSIDE,
  share,
  UNREAD,
  type BucketReads,
  type ClassReads,
} from './reads.ts';
import { toScenarios } from './scenarios.ts';

/** What a bill and metrics tell of the reads of each bucket. */

/** Their bytes that are read have a line of the bill. */
const RETRIEVED: ReadonlySet<string> = new Set(['STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR']);

/** Whether the objects of a class have to be restored before they can be read. */
export type IsArchived = (region: string, storageClass: string) => boolean;

export interface ReadTerms {
  readonly usage: AccountUsage;
  readonly billRegions: BillRegions;
  readonly isArchived: IsArchived;
  /** Customers run machines beside the source's buckets, and a bill shows who reads. */
  readonly isCloud: boolean;
  /** Whether what arrives in a bucket is a flow: younger ones may be a first load. */
  readonly isYoung: (bucket: BucketInventory) => boolean;
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
  terms: ReadTerms,
): ReadonlyMap<string, BucketReads> {
  if (!terms.isCloud) return new Map(buckets.map(({ name }) => [name, ASSUMED_OUTSIDE]));
  const regions = [...groupBy(buckets, ({ region }) => region)];
  return new Map(regions.flatMap(([region, inRegion]) => readsInRegion(region, inRegion, terms)));
}

/** What the reads of a class are shared by: Σ n E, and Σ B E in GB. */
interface Weight {
  readonly storageClass: string;
  readonly requests: number;
  readonly gb: number;
}

interface WeighedBucket {
  readonly name: string;
  readonly weights: readonly Weight[];
  /** What arrives in a month, in GB. */
  readonly arrivalsGb: number;
  /** Multiples of the assumed reads that were measured; null: they were not. */
  readonly measured: Multiples | null;
}

/** By how much reads are more than those that are assumed by age. */
interface Multiples {
  readonly gets: number;
  readonly bytes: number;
}

/** A region's lines of a bill that speak of reads, for 30 days. */
interface BilledReads {
  /** Requests and GB that were retrieved, by storage class. */
  readonly gets: ReadonlyMap<string, number>;
  readonly retrievedGb: ReadonlyMap<string, number>;
  readonly transferGb: Readonly<Record<Transfer, number>>;
}

function readsInRegion(
  region: string,
  inventories: readonly BucketInventory[],
  terms: ReadTerms,
): [string, BucketReads][] {
  const buckets = inventories.map((bucket) => weigh(bucket, terms));
  const { bill } = terms.usage;
  const billed = bill && billedReads(bill, region, terms.billRegions);
  if (billed) return shareOut(buckets, billed);
  return buckets.map(({ name, weights, measured }) => {
    if (!measured) return [name, ASSUMED];
    const classes = new Map(
      weights.map((weight) => [
        weight.storageClass,
        { ...measured, known: knownOf(measured, weights) },
      ]),
    );
    return [name, { ...ASSUMED, source: 'measured', classes }];
  });
}

function weigh(bucket: BucketInventory, { usage, isArchived, isYoung }: ReadTerms): WeighedBucket {
  const { name, region, groups } = bucket;
  const read = groups.filter(({ storageClass }) => !isArchived(region, storageClass));
  const expected = (ageBand: AgeBandIndex) => ASSUMED_READS[ageBand];
  const weights = [...groupBy(read, ({ storageClass }) => storageClass)].map(
    ([storageClass, ofClass]) => ({
      storageClass,
      requests: sumBy(ofClass, ({ objects, ageBand }) => objects * expected(ageBand)),
      gb: sumBy(ofClass, ({ bytes, ageBand }) => (bytes / BYTES_PER_BILLED_GB) * expected(ageBand)),
    }),
  );
  const young = isYoung(bucket) ? [] : read.filter(({ ageBand }) => ageBand === 0);
  const metrics = usage.metrics.get(name)?.reads ?? null;
  const scale = metrics ? DAYS_PER_MONTH / metrics.days : 0;
  const isMeasured = metrics !== null && metrics.days >= LEAST_MEASURED_DAYS;
  return {
    name,
    weights,
    arrivalsGb: sumBy(young, ({ bytes }) => bytes) / BYTES_PER_BILLED_GB,
    measured: isMeasured
      ? {
          gets: share(
            metrics.gets * scale,
            sumBy(weights, ({ requests }) => requests),
          ),
          bytes: share(
            (metrics.bytes * scale) / BYTES_PER_BILLED_GB,
            sumBy(weights, ({ gb }) => gb),
          ),
        }
      : null,
  };
}

/** What a bill says about the reads of a region, for 30 days; null if it has no line of it. */
function billedReads(bill: Bill, region: string, billRegions: BillRegions): BilledReads | null {
  const scale = monthScale(bill.period);
  const rows = bill.rows
    .map((row) => ({ ...row, ...readUsageType(row.usageType, billRegions) }))
    .filter((row) => row.region === region);
  if (rows.length === 0) return null;
  const byClass = (some: typeof rows) =>
    new Map(
      [...groupBy(some, ({ storageClass }) => storageClass ?? '')].map(([storageClass, lines]) => [
        storageClass,
        sumBy(lines, ({ quantity }) => quantity) * scale,
      ]),
    );
  const transfer = (kind: Transfer) =>
    sumBy(
      rows.filter((row) => row.transfer === kind),
      ({ quantity }) => quantity,
    ) * scale;
  return {
    gets: byClass(rows.filter(({ line, operation }) => line === 'get' && isRead(operation))),
    retrievedGb: byClass(rows.filter(({ line }) => line === 'retrieval')),
    transferGb: {
      internet: transfer('internet'),
      contentNetwork: transfer('contentNetwork'),
      insideOut: transfer('insideOut'),
      insideIn: transfer('insideIn'),
      outsideIn: transfer('outsideIn'),
    },
  };
}

/** With a bill: what was not measured is shared by assumed reads; then where the bytes went. */
function shareOut(buckets: readonly WeighedBucket[], billed: BilledReads): [string, BucketReads][] {
  const { internet, contentNetwork, insideOut } = billed.transferGb;
  const apportioned = buckets.filter(({ measured }) => measured === null);
  const shares = raised(apportioned, sharesByClass(buckets, billed), (shared) => {
    const readGb = sumBy(buckets, (bucket) => readGbOf(bucket, shared));
    return internet + contentNetwork + insideOut - readGb;
  });
  const readGb = sumBy(buckets, (bucket) => readGbOf(bucket, shares));
  const isRead = ({ weights }: WeighedBucket) => weights.some(({ requests }) => requests > 0);
  const isShared = apportioned.filter(isRead).length > 1;
  const all = apportioned.flatMap(({ weights }) => weights);
  return buckets.map((bucket) => {
    const { name, weights, measured } = bucket;
    const classes = weights.map(({ storageClass }): [string, ClassReads] => {
      const multiples = measured ?? shares.get(storageClass) ?? UNREAD;
      const sharing = measured ? weights : all.filter((one) => one.storageClass === storageClass);
      return [storageClass, { ...multiples, known: knownOf(multiples, sharing) }];
    });
    return [
      name,
      {
        source: measured ? 'measured' : 'apportioned',
        classes: new Map(classes),
        ...whereBytesGo(bucket, billed.transferGb, readGb, readGbOf(bucket, shares)),
        isShared: measured === null && isShared,
      },
    ];
  });
}

/** The multiples of the buckets that were not measured, by class. */
function sharesByClass(
  buckets: readonly WeighedBucket[],
  { gets, retrievedGb }: BilledReads,
): ReadonlyMap<string, Multiples> {
  const classes = new Set(buckets.flatMap(({ weights }) => weights.map((one) => one.storageClass)));
  return new Map(
    [...classes].map((storageClass) => {
      const ofClass = ({ weights }: WeighedBucket) =>
        weights.filter((weight) => weight.storageClass === storageClass);
      const measuredReads = buckets.flatMap((bucket) => {
        const { measured } = bucket;
        return measured ? ofClass(bucket).map((weight) => ({ weight, measured })) : [];
      });
      const shared = buckets.filter(({ measured }) => measured === null).flatMap(ofClass);
      const left = (billed: number, by: 'requests' | 'gb', multiple: keyof Multiples) =>
        share(
          Math.max(
            0,
            billed -
              sumBy(measuredReads, ({ weight, measured }) => measured[multiple] * weight[by]),
          ),
          sumBy(shared, (weight) => weight[by]),
        );
      const shareOfGets = left(totalOf(gets, storageClass), 'requests', 'gets');
      const hasBytes = shared.some(({ gb }) => gb > 0);
      const hasLine = RETRIEVED.has(storageClass) && hasBytes;
      const bytes = hasLine ? left(totalOf(retrievedGb, storageClass), 'gb', 'bytes') : shareOfGets;
      return [storageClass, { gets: shareOfGets, bytes }];
    }),
  );
}

/** Raises the shares of classes without a line until the bytes that left the region are read. */
function raised(
  apportioned: readonly WeighedBucket[],
  shares: ReadonlyMap<string, Multiples>,
  missingGb: (shares: ReadonlyMap<string, Multiples>) => number,
): ReadonlyMap<string, Multiples> {
  const missing = missingGb(shares);
  if (missing <= 0) return shares;
  const weights = apportioned.flatMap((bucket) => bucket.weights);
  const unseen = weights.filter(({ storageClass }) => !RETRIEVED.has(storageClass));
  const gbOf = (some: readonly Weight[]) => sumBy(some, ({ gb }) => gb);
  const raisable = gbOf(unseen) > 0 ? unseen : weights;
  const by = share(missing, gbOf(raisable));
  const classes = new Set(raisable.map(({ storageClass }) => storageClass));
  return new Map(
    [...shares].map(([storageClass, { gets, bytes }]) => [
      storageClass,
      { gets, bytes: classes.has(storageClass) ? bytes + by : bytes },
    ]),
  );
}

function readGbOf(
  { weights, measured }: WeighedBucket,
  shares: ReadonlyMap<string, Multiples>,
): number {
  return sumBy(
    weights,
    ({ storageClass, gb }) => (measured ?? shares.get(storageClass) ?? UNREAD).bytes * gb,
  );
}

/** The shares of a bucket's bytes by where they go and come from. */
function whereBytesGo(
  { arrivalsGb }: WeighedBucket,
  { internet, insideOut, insideIn, outsideIn }: BilledReads['transferGb'],
  regionGb: number,
  bucketGb: number,
): Pick<BucketReads, 'internet' | 'inside' | 'written' | 'insideBytes'> {
  // Many bills do not show what stays inside.
  const isShown = insideOut > 0 || insideIn > 0;
  const expected = Math.min(1, share(internet, regionGb));
  const leastGb = Math.min(bucketGb, Math.max(0, internet - (regionGb - bucketGb)));
  // Where all of it left, the difference is a rounding error.
  const restGb = isBelowLimit(leastGb, bucketGb) ? bucketGb - leastGb : 0;
  const insideGb = Math.min(restGb, isShown ? insideOut : Infinity);
  const isWriterShown = isShown && insideIn + outsideIn > 0;
  const byMachines = share(insideIn, insideIn + outsideIn);
  return {
    internet: { ...toScenarios(() => expected), inside: share(leastGb, bucketGb) },
    inside: { ...NEVER, inside: share(insideGb, bucketGb) },
    written: isWriterShown
      ? { ...toScenarios(() => byMachines), inside: Math.min(1, share(insideIn, arrivalsGb)) }
      : ONLY_INSIDE,
    insideBytes: isShown ? insideGb * BYTES_PER_BILLED_GB : 0,
  };
}

function knownOf({ gets, bytes }: Multiples, weights: readonly Weight[]): ClassReads['known'] {
  return {
    gets: gets * sumBy(weights, ({ requests }) => requests),
    gb: bytes * sumBy(weights, ({ gb }) => gb),
  };
}
