import type { CostedObjects } from '../inventory/finding.ts';
import type { ObjectStatistics } from '../inventory/inventory.ts';
import {
  bytesToMinimum,
  largeObjects,
  objectsBelow,
  sumStatistics,
} from '../inventory/statistics.ts';
import { bandedUsd } from '../pricing/cost.ts';
import { movedBy } from './bucket.ts';
import type {
  BandRates,
  BucketCost,
  ChangeCost,
  ClassChange,
  EgressRefusal,
  MoveCost,
  PlacementCost,
  PricedBucket,
  PricedGroup,
  PricedObjects,
  RegionRates,
  Target,
} from './model.ts';
import { isBelowLimit, sumBy, sumScenarios, toScenarios } from './amounts.ts';
import type { Scenarios, Quote } from './types.ts';

/** USD per month for storage, monitoring and reads. */
export function monthlyCost(rates: BandRates, statistics: ObjectStatistics): Scenarios {
  const storage = storageUsd(rates, statistics);
  return toScenarios(
    (reads) =>
      storage +
      statistics.objects * rates.readsPerObjectUsd[reads] +
      statistics.bytes * rates.readsPerByteUsd[reads],
  );
}

/** Monthly storage cost of some objects, reads left out. */
export function storageCost(objects: readonly PricedObjects[]): CostedObjects {
  return sumCosts(
    objects.map(({ rates, statistics }) => ({
      objects: statistics.objects,
      bytes: statistics.bytes,
      monthlyCostUsd: storageUsd(rates, statistics),
    })),
  );
}

/** What each completed migration was to move out of the bucket, without what it has copied. */
function notMovedCosts(bucket: PricedBucket): BucketCost['notMoved'] {
  const { moved = [] } = bucket.inventory;
  return moved.map((selector) => {
    const isOf = ({ prefix }: PricedGroup) => movedBy(moved, prefix) === selector;
    const all = storageCost(bucket.groups.filter(isOf));
    const copied = storageCost(bucket.copied.filter(isOf));
    return {
      migrationId: selector.migrationId,
      objects: all.objects - copied.objects,
      bytes: all.bytes - copied.bytes,
      monthlyCostUsd: all.monthlyCostUsd - copied.monthlyCostUsd,
    };
  });
}

export function sumCosts(costs: readonly CostedObjects[]): CostedObjects {
  return costs.reduce(
    (sum, cost) => ({
      objects: sum.objects + cost.objects,
      bytes: sum.bytes + cost.bytes,
      monthlyCostUsd: sum.monthlyCostUsd + cost.monthlyCostUsd,
    }),
    { objects: 0, bytes: 0, monthlyCostUsd: 0 },
  );
}

/** Monthly cost of a bucket: current objects, old versions, parts of incomplete uploads. */
export function currentCost(bucket: PricedBucket): BucketCost {
  const { uploads } = bucket.inventory.incompleteUploads;
  return {
    current: sumScenarios(
      bucket.totals.map(({ rates, statistics }) => monthlyCost(rates, statistics)),
    ),
    oldVersions: storageCost(bucket.oldVersions),
    incompleteUploads: { ...storageCost([bucket.uploadParts]), objects: uploads },
    copied: storageCost(bucket.copied),
    notMoved: notMovedCosts(bucket),
  };
}

/** USD per month for storage, monitoring and the reads that are certain: the figure that the bill shows. */
export function billedUsd({ current, oldVersions, incompleteUploads }: BucketCost): number {
  return current.none + oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
}

/** The cost of staying and of moving to each target, for objects of one region that may move. */
export function placementCost(
  targets: readonly Target[],
  region: RegionRates,
  objects: readonly PricedObjects[],
): PlacementCost {
  const total = sumStatistics(objects.map(({ statistics }) => statistics));
  return {
    objects: total.objects,
    bytes: total.bytes,
    stay: sumScenarios(objects.map(({ rates, statistics }) => monthlyCost(rates, statistics))),
    moves: targets.map((target) => moveCost(target, region, objects, total)),
  };
}

/** The cost of staying and of changing the class, for the large objects of one region and class. */
export function changeCost(objects: readonly PricedObjects[], storageClass: string): ChangeCost {
  const large = objects.map(({ rates, statistics }) => ({
    rates,
    change: changeTo(rates, storageClass),
    statistics: largeObjects(statistics),
  }));
  const total = sumStatistics(large.map(({ statistics }) => statistics));
  return {
    objects: total.objects,
    bytes: total.bytes,
    stay: sumScenarios(large.map(({ rates, statistics }) => monthlyCost(rates, statistics))),
    changed: sumScenarios(
      large.map(({ change, statistics }) => monthlyCost(change.rates, statistics)),
    ),
    transitionUsd: total.objects * (large[0]?.change.transitionUsd ?? 0),
  };
}

/** USD per month that a placement is sure to save: the smaller of the savings unread and as expected. */
export function savingsUsd(stay: Scenarios, placed: Scenarios): number {
  return Math.min(stay.none - placed.none, stay.expected - placed.expected);
}

/** The quote of a change of class: a transition per object and nothing else. */
export function changeQuote(transitionUsd: number): Quote {
  return {
    egressUsd: 0,
    sourceRequestsUsd: 0,
    retrievalUsd: 0,
    earlyDeletionUsd: 0,
    destinationRequestsUsd: 0,
    transitionUsd,
    totalUsd: transitionUsd,
    totalWithExitWaiverUsd: transitionUsd,
  };
}

/** USD per month for storage and monitoring. */
function storageUsd(rates: BandRates, statistics: ObjectStatistics): number {
  const filledBytes = bytesToMinimum(statistics, rates.minBillableBytes);
  return (
    (statistics.bytes - statistics.smallBytes) * rates.largeByteUsd +
    (statistics.smallBytes + filledBytes) * rates.smallByteUsd +
    statistics.objects * rates.objectUsd +
    (statistics.objects - statistics.smallObjects) * rates.largeObjectUsd
  );
}

/** The objects below the minimum billable size of their class, and what they cost a month. */
export function undersizedCost({ rates, statistics }: PricedObjects): CostedObjects {
  const { minBillableBytes, smallByteUsd } = rates;
  const { objects, bytes } = objectsBelow(statistics, minBillableBytes);
  return { objects, bytes, monthlyCostUsd: objects * minBillableBytes * smallByteUsd };
}

function changeTo(rates: BandRates, storageClass: string): ClassChange {
  const change = rates.changes.find(({ to }) => to.storageClass === storageClass);
  if (!change) throw new Error(`no change to ${storageClass}`);
  return change;
}

function moveCost(
  target: Target,
  region: RegionRates,
  objects: readonly PricedObjects[],
  total: ObjectStatistics,
): MoveCost {
  const monthly = objects.map(({ ageBand, statistics }) => {
    const rates = target.rates.bands[ageBand];
    if (!rates) throw new Error(`no age band ${ageBand}`);
    return monthlyCost(rates, statistics);
  });
  return {
    target,
    monthly: sumScenarios(monthly),
    quote: moveQuote(target, region, objects, total, region.freeEgressGb),
    refusal: refusalOf(target, objects),
  };
}

function refusalOf(
  { egressLimit }: Target,
  objects: readonly PricedObjects[],
): EgressRefusal | null {
  if (!egressLimit) return null;
  const { freeMultiple, heaviestReads } = egressLimit;
  const readsOf = ({ ageBand }: PricedObjects) => heaviestReads[ageBand] ?? 0;
  const refused = objects.filter((each) => isBelowLimit(freeMultiple, readsOf(each)));
  if (refused.length === 0) return null;
  return {
    objects: sumBy(refused, ({ statistics }) => statistics.objects),
    freeMultiple,
    fullReads: Math.max(...refused.map(readsOf)),
  };
}

/**
 * The quote of a move whose first `freeEgressGb` leave the source for nothing. Early deletion is an upper bound: due if
 * the source is deleted right after the move.
 */
export function moveQuote(
  target: Target,
  region: RegionRates,
  objects: readonly PricedObjects[],
  total: ObjectStatistics,
  freeEgressGb: number,
): Quote {
  const egressUsd = quotedEgressUsd(region, total.bytes, freeEgressGb);
  const sourceRequestsUsd =
    sumBy(objects, ({ classRates, statistics }) => statistics.objects * classRates.getUsd) +
    Math.ceil(total.objects / 1000) * region.listingUsd;
  const retrievalUsd = sumBy(
    objects,
    ({ classRates, statistics }) => statistics.bytes * classRates.retrievalByteUsd,
  );
  const earlyDeletionUsd = sumBy(
    objects,
    ({ rates, statistics }) => storageUsd(rates, statistics) * rates.earlyDeletionMonths,
  );
  const destinationRequestsUsd = (total.objects + total.partRequests) * target.putUsd;
  const totalWithExitWaiverUsd =
    sourceRequestsUsd + retrievalUsd + earlyDeletionUsd + destinationRequestsUsd;
  return {
    egressUsd,
    sourceRequestsUsd,
    retrievalUsd,
    earlyDeletionUsd,
    destinationRequestsUsd,
    transitionUsd: 0,
    totalUsd: totalWithExitWaiverUsd + egressUsd,
    totalWithExitWaiverUsd,
  };
}

export function quotedEgressUsd(
  { egressPerGb, bytesPerGb }: RegionRates,
  bytes: number,
  freeEgressGb: number,
): number {
  return bandedUsd(egressPerGb, Math.max(0, bytes / bytesPerGb - freeEgressGb));
}
