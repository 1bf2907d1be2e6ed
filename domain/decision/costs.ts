import { DAYS_PER_MONTH } from '../../shared/units.ts';
import { isBelowLimit, sumBy, groupBy, itemOf } from '../common/sums.ts';
import { toScenarios, SCENARIOS, type Scenarios } from '../reads/scenarios.ts';
import { rateByAge, rateIfHeavy, type ReadRate } from '../reads/reads.ts';
import { AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { CostedObjects } from '../inventory/finding.ts';
import type { ObjectStatistics } from '../inventory/inventory.ts';
import { largeObjects, objectsBelow, sumStatistics } from '../inventory/statistics.ts';
import { bandedUsd } from '../pricing/cost.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import { shownCount } from './amounts.ts';
import { movedBy } from './bucket.ts';
import type {
  BucketCost,
  Change,
  EgressRefusal,
  Forecast,
  Placements,
  PricedBucket,
  PricedGroup,
  PricedObjects,
} from './model.ts';
import type { ClassStep, RegionRates, Target } from './region-rates.ts';
import { firstBandUsd, isTiered, storageUsd, type ClassRates } from './storage-rates.ts';
import { tieredUsd } from './tiers.ts';
import { type ReadsOfBucket, type Quote } from './types.ts';

/** How some objects of one class and age band are read, in each scenario. */
type Rates = Readonly<Record<keyof Scenarios, ReadRate>>;

const UNREAD: ReadRate = { requests: 0, bytes: 0 };
const NEVER_READ: Rates = { none: UNREAD, expected: UNREAD, heavy: UNREAD, inside: UNREAD };

/**
 * The cost of some objects where they are. `sharing`: all that share the reads of their classes.
 */
export function stayForecast(
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
  sharing = objects,
): Forecast {
  return stayAt(bucket, objects, readRates(bucket, objects, sharing));
}

/** The cost of staying and of moving to each target, for objects of a bucket that may move. */
export function placementsOf(
  targets: readonly Target[],
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
): Placements {
  const rates = readRates(bucket, objects, objects);
  const total = sumStatistics(objects.map(({ statistics }) => statistics));
  const arriving = bucket.isYoung ? [] : objects.filter(({ ageBand }) => ageBand === 0);
  const arrivals = sumCounts(arriving.map(({ statistics }) => statistics));
  const { region } = bucket;
  return {
    objects,
    total,
    arrivals,
    stay: stayAt(bucket, objects, rates),
    moves: targets.map((target) => {
      const quote = moveQuote(target, region, objects, total, region.freeEgressGb);
      const there = forecastAt(target, bucket, objects, rates, arrivals.bytes);
      const refusal = refusalOf(target, objects, rates);
      return { ...there, target, quote, oneOffUsd: quote.totalUsd, refusal };
    }),
  };
}

/**
 * The changes of class that are open to each group of a prefix, of its large objects: of those that
 * are old enough and that no rule of the customer deletes before.
 */
export function openChanges(
  bucket: PricedBucket,
  ofPrefix: readonly PricedGroup[],
  expiresAfterDays: number,
): readonly (readonly Change[])[] {
  return [...groupBy(ofPrefix, ({ classRates }) => classRates.storageClass)].flatMap(
    ([storageClass, ofClass]) => {
      const steps = bucket.region.changes.get(storageClass) ?? [];
      return steps.length > 0 ? changesOfClass(bucket, ofClass, steps, expiresAfterDays) : [];
    },
  );
}

function changesOfClass(
  bucket: PricedBucket,
  ofClass: readonly PricedGroup[],
  steps: readonly ClassStep[],
  expiresAfterDays: number,
): readonly (readonly Change[])[] {
  const larger = ofClass.map(toLarge);
  const rates = readRates(bucket, larger, larger);
  return larger.map((large, at) => {
    const { objects, bytes } = large.statistics;
    const firstDay = AGE_BAND_FIRST_DAY[large.ageBand];
    const daysLeft = expiresAfterDays - firstDay;
    const open = steps.filter(({ minAgeDays }) => firstDay >= minAgeDays);
    const group = ofClass[at];
    if (!group || objects === 0 || daysLeft <= 0 || open.length === 0) return [];
    const own = rates[at] ?? NEVER_READ;
    const stay = stayAt(bucket, [large], [own]);
    const arriving = arrivingAt(bucket, larger, large.ageBand);
    return open.map((change) => {
      const addedUsd = flowUsd(arriving, change, daysLeft);
      const changed = changedAt(bucket, large, change, own, daysLeft, addedUsd);
      return { group, change, objects, bytes, stay, changed, flowUsd: addedUsd };
    });
  });
}

/** A change without what goes on arriving. */
export function withoutFlow({ changed, flowUsd: addedUsd }: Change): Forecast {
  return { ...changed, monthly: toScenarios((reads) => changed.monthly[reads] - addedUsd) };
}

export function sumForecasts(forecasts: readonly Forecast[]): Forecast {
  return {
    monthly: toScenarios((reads) => sumBy(forecasts, ({ monthly }) => monthly[reads])),
    shownUsd: sumBy(forecasts, ({ shownUsd }) => shownUsd),
    oneOffUsd: sumBy(forecasts, ({ oneOffUsd }) => oneOffUsd),
  };
}

/** The total of a forecast over a horizon. */
export function totalOver(horizonMonths: number, { monthly, oneOffUsd }: Forecast): Scenarios {
  return toScenarios((reads) => monthly[reads] * horizonMonths + oneOffUsd);
}

/** USD per month that a placement surely saves: the smaller of the savings unread and expected. */
export function savingsUsd(stay: Forecast, placed: Forecast): number {
  return Math.min(
    stay.monthly.none - placed.monthly.none,
    stay.monthly.expected - placed.monthly.expected,
  );
}

/** Monthly storage cost of some objects of a bucket, reads left out. */
export function storageCost(
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
): CostedObjects {
  return sumCosts(
    objects.map((each) => ({
      objects: each.statistics.objects,
      bytes: each.statistics.bytes,
      monthlyCostUsd: storedUsd(bucket, each),
    })),
  );
}

/** What deleting some objects now costs: the months that are billed all the same. */
export function earlyDeletionUsd(
  bucket: Pick<PricedBucket, 'tierFactor'>,
  objects: readonly PricedObjects[],
): number {
  return sumBy(objects, (each) => storedUsd(bucket, each) * earlyMonths(each));
}

/** Monthly cost of a bucket: current objects, old versions, parts of incomplete uploads. */
export function currentCost(bucket: PricedBucket): BucketCost {
  const { uploads } = bucket.inventory.incompleteUploads;
  return {
    current: stayForecast(bucket, bucket.totals),
    oldVersions: storageCost(bucket, bucket.oldVersions),
    incompleteUploads: { ...storageCost(bucket, [bucket.uploadParts]), objects: uploads },
    copied: storageCost(bucket, bucket.copied),
    notMoved: notMovedCosts(bucket),
  };
}

/** What the listing proves and the bill shows, in USD per month. */
export function currentUsd({ current, oldVersions, incompleteUploads }: BucketCost): number {
  return current.shownUsd + oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
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

/** The objects below the minimum billable size of their class, and what they cost a month. */
export function undersizedCost({ classRates, ageBand, statistics }: PricedObjects): CostedObjects {
  const { minBillableBytes, smallByteUsd } = itemOf(classRates.bands, ageBand);
  const { objects, bytes } = objectsBelow(statistics, minBillableBytes);
  return { objects, bytes, monthlyCostUsd: objects * minBillableBytes * smallByteUsd };
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

/**
 * The quote of a move whose first `freeEgressGb` leave the source for nothing. Early deletion is an
 * upper bound: due if the source is deleted right after the move.
 */
export function moveQuote(
  target: Pick<Target, 'rates'>,
  region: RegionRates,
  objects: readonly PricedObjects[],
  total: ObjectStatistics,
  freeEgressGb: number,
): Quote {
  const egressUsd = quotedEgressUsd(region, total.bytes, freeEgressGb);
  const sourceRequestsUsd =
    sumBy(
      objects,
      ({ classRates, statistics }) => statistics.objects * classRates.sheet.get.value,
    ) +
    Math.ceil(total.objects / 1000) * region.listingUsd;
  const retrievalUsd = sumBy(objects, ({ classRates: { sheet }, statistics }) => {
    return (statistics.bytes / sheet.bytesPerGb) * sheet.retrievalPerGb.value;
  });
  // A class with tiers has no minimum days, so what was measured of them does not matter.
  const earlyDeletion = earlyDeletionUsd({ tierFactor: null }, objects);
  const destinationRequestsUsd =
    (total.objects + total.partRequests) * target.rates.sheet.put.value;
  const totalWithExitWaiverUsd =
    sourceRequestsUsd + retrievalUsd + earlyDeletion + destinationRequestsUsd;
  return {
    egressUsd,
    sourceRequestsUsd,
    retrievalUsd,
    earlyDeletionUsd: earlyDeletion,
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

/** Full reads a month of some objects together at `expected`. */
export function expectedReads(bucket: PricedBucket, objects: readonly PricedObjects[]): ReadRate {
  const rates = readRates(bucket, objects, objects);
  const all = sumStatistics(objects.map(({ statistics }) => statistics));
  const of = (amount: 'objects' | 'bytes', rate: keyof ReadRate) =>
    all[amount] > 0
      ? sumRated(
          objects,
          rates,
          'expected',
          (one, { statistics }) => statistics[amount] * one[rate],
        ) / all[amount]
      : 0;
  return { requests: of('objects', 'requests'), bytes: of('bytes', 'bytes') };
}

/** The reads of a bucket per 30 days at `expected`. */
export function shownReads(bucket: PricedBucket): ReadsOfBucket {
  const objects = bucket.totals;
  const rates = readRates(bucket, objects, objects);
  const sum = (amount: 'objects' | 'bytes', rate: keyof ReadRate) =>
    sumRated(objects, rates, 'expected', (one, { statistics }) => statistics[amount] * one[rate]);
  const bytes = sum('bytes', 'bytes');
  return {
    source: bucket.reads.source,
    getsPerMonth: shownCount(sum('objects', 'requests')),
    bytesPerMonth: shownCount(bytes),
    internetBytesPerMonth: shownCount(bytes * bucket.reads.internet.expected),
  };
}

function stayAt(
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
  rates: readonly Rates[],
): Forecast {
  const stored = sumBy(objects, (each) => storedUsd(bucket, each));
  const monthly = toScenarios(
    (reads) =>
      stored +
      sumRated(objects, rates, reads, (rate, { classRates: { sheet }, statistics }) =>
        sourceReadsUsd(bucket, sheet, statistics, rate, reads),
      ),
  );
  return { monthly, shownUsd: shownUsd(bucket, monthly, stored), oneOffUsd: 0 };
}

/** A month at a target: storage and reads there, and what the distance costs at the source. */
function forecastAt(
  { rates: { bands, sheet } }: Target,
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
  rates: readonly Rates[],
  arrivingBytes: number,
): Omit<Forecast, 'oneOffUsd'> {
  const stored = sumBy(objects, ({ ageBand, statistics }) =>
    storageUsd(itemOf(bands, ageBand), statistics),
  );
  const { region, reads: ofBucket } = bucket;
  const [{ usd: egressPerGb }] = sheet.egressPerGb.value;
  const [{ usd: sourceEgressPerGb }] = region.egressPerGb;
  const arrivingGb = arrivingBytes / region.bytesPerGb;
  const monthly = toScenarios((reads) => {
    const insideUsd = ofBucket.inside[reads] * region.insideReadPerGb;
    const readsUsd = sumRated(objects, rates, reads, (rate, { statistics }) => {
      const insideGb = (statistics.bytes / region.bytesPerGb) * rate.bytes;
      return readUsd(sheet, statistics, rate, 1, egressPerGb) + insideGb * insideUsd;
    });
    return stored + readsUsd + arrivingGb * ofBucket.written[reads] * sourceEgressPerGb;
  });
  return { monthly, shownUsd: shownUsd(bucket, monthly, stored) };
}

/** What larger objects cost in another class, with those that go on arriving. */
function changedAt(
  bucket: PricedBucket,
  large: PricedGroup,
  { to, transitionUsd }: ClassStep,
  rates: Rates,
  daysLeft: number,
  arrivingUsd: number,
): Forecast {
  const { statistics } = large;
  const stored = toScenarios((reads) => storedInUsd(to, large, rates[reads], daysLeft));
  const placed = toScenarios(
    (reads) => stored[reads] + sourceReadsUsd(bucket, to.sheet, statistics, rates[reads], reads),
  );
  return {
    monthly: toScenarios((reads) => placed[reads] + arrivingUsd),
    shownUsd: shownUsd(bucket, placed, stored.expected),
    oneOffUsd: statistics.objects * transitionUsd,
  };
}

function storedInUsd(
  { bands, sheet }: ClassRates,
  large: PricedGroup,
  { requests }: ReadRate,
  daysLeft: number,
): number {
  return isTiered(sheet)
    ? tieredUsd(sheet, large, requests, daysLeft / DAYS_PER_MONTH)
    : storageUsd(itemOf(bands, large.ageBand), large.statistics);
}

/** What of a month is shown: storage, and the reads and writes that are known. */
function shownUsd({ reads }: PricedBucket, { expected }: Scenarios, stored: number): number {
  return reads.source === 'assumed' ? stored : expected;
}

function sourceReadsUsd(
  { internetPerGb, reads: { internet } }: PricedBucket,
  sheet: ClassSheet,
  statistics: ObjectStatistics,
  rate: ReadRate,
  reads: keyof Scenarios,
): number {
  return sheet.archived ? 0 : readUsd(sheet, statistics, rate, internet[reads], internetPerGb);
}

/** What reads cost of which a share leaves the store. */
function readUsd(
  sheet: ClassSheet,
  { objects, bytes }: ObjectStatistics,
  rate: ReadRate,
  leavingShare: number,
  egressPerGb: number,
): number {
  const gb = bytes / sheet.bytesPerGb;
  const leaving = Math.max(0, rate.bytes * leavingShare - sheet.egressFreeMultipleOfStorage);
  return (
    objects * rate.requests * sheet.get.value +
    gb * rate.bytes * sheet.retrievalPerGb.value +
    gb * leaving * egressPerGb
  );
}

/** Early deletion, and a transition, for the objects that go on reaching an age. */
function flowUsd(
  arriving: { readonly objects: number; readonly bytes: number },
  { to: { sheet }, transitionUsd }: ClassStep,
  daysLeft: number,
): number {
  const tooEarlyDays = Math.max(0, sheet.minDays.value - daysLeft);
  const gb = arriving.bytes / sheet.bytesPerGb;
  return (
    arriving.objects * transitionUsd + (gb * firstBandUsd(sheet) * tooEarlyDays) / DAYS_PER_MONTH
  );
}

/** The band below an age, and the part of it that reaches the age in a month. */
const REACHING = [
  { band: 0, share: 1 },
  { band: 0, share: 1 },
  { band: 1, share: 1 / 2 },
  { band: 2, share: 6 / 55 },
] as const;

/** The larger objects of a class that reach the start of an age band in a month. */
function arrivingAt(
  { isYoung }: PricedBucket,
  larger: readonly PricedGroup[],
  ageBand: number,
): { objects: number; bytes: number } {
  const reaching = REACHING[ageBand];
  const below = larger.filter((group) => group.ageBand === reaching?.band);
  if (isYoung || !reaching) return { objects: 0, bytes: 0 };
  const { objects, bytes } = sumCounts(below.map(({ statistics }) => statistics));
  return { objects: objects * reaching.share, bytes: bytes * reaching.share };
}

function readRates(
  { reads }: PricedBucket,
  objects: readonly PricedObjects[],
  sharing: readonly PricedObjects[],
): readonly Rates[] {
  const byClass = groupBy(sharing, ({ classRates }) => classRates.storageClass);
  const heavy = new Map(
    [...byClass].map(([storageClass, ofClass]) => [
      storageClass,
      rateIfHeavy(reads, storageClass, sumCounts(ofClass.map(({ statistics }) => statistics))),
    ]),
  );
  return objects.map(({ classRates: { storageClass, hasSheet, sheet }, ageBand }) => {
    if (hasSheet && sheet.archived) return NEVER_READ;
    const asHeavy = heavy.get(storageClass) ?? UNREAD;
    return {
      none: rateByAge(reads, 'none', storageClass, ageBand),
      expected: rateByAge(reads, 'expected', storageClass, ageBand),
      heavy: asHeavy,
      inside: asHeavy,
    };
  });
}

function sumRated(
  objects: readonly PricedObjects[],
  rates: readonly Rates[],
  reads: keyof Scenarios,
  amount: (rate: ReadRate, each: PricedObjects) => number,
): number {
  return objects.reduce((sum, each, at) => sum + amount((rates[at] ?? NEVER_READ)[reads], each), 0);
}

function storedUsd(
  { tierFactor }: Pick<PricedBucket, 'tierFactor'>,
  { classRates, ageBand, statistics }: PricedObjects,
): number {
  const factor = isTiered(classRates.sheet) ? (tierFactor ?? 1) : 1;
  return storageUsd(itemOf(classRates.bands, ageBand), statistics, factor);
}

function earlyMonths({ classRates, ageBand }: PricedObjects): number {
  return itemOf(classRates.bands, ageBand).earlyDeletionMonths;
}

function refusalOf(
  { rates: { sheet } }: Target,
  objects: readonly PricedObjects[],
  rates: readonly Rates[],
): EgressRefusal | null {
  if (!sheet.refusesEgressBeyondFree) return null;
  const freeMultiple = sheet.egressFreeMultipleOfStorage;
  const most = objects.map((each, at) => ({
    objects: each.statistics.objects,
    reads: Math.max(...SCENARIOS.map((reads) => itemOf(rates, at)[reads].bytes)),
  }));
  const refused = most.filter(({ reads }) => isBelowLimit(freeMultiple, reads));
  if (refused.length === 0) return null;
  return {
    objects: sumBy(refused, (each) => each.objects),
    freeMultiple,
    fullReads: Math.max(...refused.map(({ reads }) => reads)),
  };
}

/** What each completed migration was to move out of the bucket, without what it has copied. */
function notMovedCosts(bucket: PricedBucket): BucketCost['notMoved'] {
  const { moved = [] } = bucket.inventory;
  return moved.map((selector) => {
    const isOf = ({ prefix }: PricedGroup) => movedBy(moved, prefix) === selector;
    const all = storageCost(bucket, bucket.groups.filter(isOf));
    const copied = storageCost(bucket, bucket.copied.filter(isOf));
    return {
      migrationId: selector.migrationId,
      objects: all.objects - copied.objects,
      bytes: all.bytes - copied.bytes,
      monthlyCostUsd: all.monthlyCostUsd - copied.monthlyCostUsd,
    };
  });
}

function toLarge(group: PricedGroup): PricedGroup {
  return { ...group, statistics: largeObjects(group.statistics) };
}

function sumCounts(counts: readonly { readonly objects: number; readonly bytes: number }[]) {
  return {
    objects: sumBy(counts, ({ objects }) => objects),
    bytes: sumBy(counts, ({ bytes }) => bytes),
  };
}
