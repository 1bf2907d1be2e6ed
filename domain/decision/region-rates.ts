import { UPLOAD_CLASS, type ProviderName } from '../provider/catalogue.ts';
import { AGE_BANDS, AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import { blendedPerGb } from '../pricing/cost.ts';
import { classRates, firstBandRates } from './class-rates.ts';
import type {
  BucketRates,
  BucketReads,
  ClassChange,
  ClassRates,
  EgressLimit,
  RegionRates,
  Target,
} from './model.ts';
import { sumBy } from './amounts.ts';
import { ASSUMED, fullReads } from './reads.ts';
import { isTiered } from './tiers.ts';
import { SCENARIOS, type DecisionRequest } from './types.ts';
import { uncertainPrice } from './uncertainty.ts';

/** What the rates of a scan depend on: a class's rate is blended over all its bytes in a region. */
export interface RateScope extends Pick<DecisionRequest, 'buckets' | 'source' | 'configured'> {
  /** At the customer's own prices. */
  readonly priceBook: PriceBook;
  readonly reads: ReadonlyMap<string, BucketReads>;
  readonly tierFactors: ReadonlyMap<string, number>;
}

/** The rates of every bucket by its name; those that are read alike share them. */
export function ratesByBucket(scope: RateScope): ReadonlyMap<string, BucketRates> {
  const { buckets, priceBook, source, configured, reads, tierFactors } = scope;
  const freeEgressGb = freeEgress(scope);
  const targetsOf = (of: BucketReads) => targetsFor({ priceBook, source, configured }, of);
  const rates = new Map<string, BucketRates>();
  for (const region of new Set(buckets.map((bucket) => bucket.region))) {
    const inRegion = buckets.filter((bucket) => bucket.region === region);
    const rawBytes = rawBytesByClass(inRegion, priceBook.baseClass(source));
    const terms = { priceBook, source, region, rawBytes, freeEgressGb };
    const ofOldVersions = regionRates({ ...terms, reads: ASSUMED });
    const assumed = {
      region: ofOldVersions,
      ofOldVersions,
      targets: targetsOf(ASSUMED),
      hasMeasuredTiers: false,
    };
    for (const { name } of inRegion) {
      const own = reads.get(name) ?? ASSUMED;
      const tierFactor = tierFactors.get(name);
      const isAssumed = own === ASSUMED && tierFactor === undefined;
      rates.set(
        name,
        isAssumed
          ? assumed
          : {
              region: regionRates({ ...terms, reads: own, tierFactor }),
              ofOldVersions,
              targets: targetsOf(own),
              hasMeasuredTiers: tierFactor !== undefined,
            },
      );
    }
  }
  return rates;
}

export interface RegionTerms {
  readonly priceBook: PriceBook;
  readonly source: ProviderName;
  readonly region: string;
  /** By storage class: each of them has rates. */
  readonly rawBytes: ReadonlyMap<string, number>;
  readonly reads: BucketReads;
  readonly freeEgressGb: number;
  /** Of the class with tiers, where they were measured. */
  readonly tierFactor?: number | undefined;
}

/** The rates of a region of the source for the base class and for every class in `rawBytes`. */
export function regionRates(terms: RegionTerms): RegionRates {
  const { priceBook: book, source, region, rawBytes, tierFactor = 1 } = terms;
  const reads = { reads: terms.reads, isAtSource: true };
  const baseClass = book.baseClass(source);
  const baseSheet = requireSheet(book, source, region, baseClass);
  const basePerGbMonth = baseSheet.tiers[0].perGbMonth;
  const classes = new Map<string, ClassRates>();
  for (const storageClass of new Set([baseClass, ...rawBytes.keys()])) {
    const ownSheet = book.classSheet(source, region, storageClass);
    const sheet = ownSheet ?? baseSheet;
    const bands = sheet.tiers[0].perGbMonth.value;
    const changes = changesFrom(terms, storageClass, baseSheet);
    const rates = classRates({
      storageClass,
      sheet,
      hasSheet: ownSheet !== null,
      perGbMonth: blendedPerGb(bands, rawBytes.get(storageClass) ?? 0, sheet.bytesPerGb),
      basePerGbMonth,
      changesFrom: changes,
      reads,
      tierFactor: isTiered(sheet) ? tierFactor : 1,
    });
    classes.set(storageClass, rates);
  }
  const base = classes.get(baseClass);
  if (!base) throw new Error(`no rates for ${baseClass}`);
  return {
    region,
    bytesPerGb: baseSheet.bytesPerGb,
    egressPerGb: baseSheet.egressPerGb.value,
    isEgressUncertain: uncertainPrice(baseSheet.egressPerGb, 'bytes').length > 0,
    freeEgressGb: terms.freeEgressGb,
    listingUsd: baseSheet.list.value,
    listingUncertainty: uncertainPrice(baseSheet.list, 'objects'),
    base,
    classes,
  };
}

/** The changes that objects of a class may take in place, by age band; none for an archived class. */
function changesFrom(
  { priceBook: book, source, region, reads }: RegionTerms,
  storageClass: string,
  baseSheet: ClassSheet,
): (ageBand: number) => readonly ClassChange[] {
  const from = book.classSheet(source, region, storageClass);
  const steps = from && !from.archived ? book.inPlaceSteps(source, storageClass) : [];
  const open = steps.flatMap(({ to, minAgeDays }) => {
    const sheet = book.classSheet(source, region, to);
    if (!sheet?.transition || sheet.archived) return [];
    const { transition } = sheet;
    const rates = firstBandRates(sheet, baseSheet.tiers[0].perGbMonth, {
      reads,
      isAtSource: true,
    });
    return [{ rates, transition, minAgeDays }];
  });
  return (ageBand) =>
    open.flatMap(({ rates: to, transition, minAgeDays }): ClassChange[] => {
      const rates = to.bands[ageBand];
      if (!rates || (AGE_BAND_FIRST_DAY[ageBand] ?? 0) < minAgeDays) return [];
      const transitionUncertainty = uncertainPrice(transition, 'objects');
      return [{ to, rates, transitionUsd: transition.value, transitionUncertainty }];
    });
}

/** The egress a month that the source does not charge: a multiple of everything that the scan found there. */
function freeEgress({ priceBook: book, source, buckets }: RateScope): number {
  const sheet = book.classSheet(source, buckets[0]?.region ?? '', book.baseClass(source));
  if (!sheet?.egressFreeMultipleOfStorage) return 0;
  const bytes = sumBy(buckets, ({ groups, oldVersions, incompleteUploads }) =>
    sumBy([...groups, ...oldVersions, incompleteUploads], (held) => held.bytes),
  );
  return (sheet.egressFreeMultipleOfStorage * bytes) / sheet.bytesPerGb;
}

/**
 * The billed bytes by storage class: current objects, old versions and, in the base class, the parts
 * of incomplete uploads. Classes of copied objects are included so that they have a rate.
 */
function rawBytesByClass(
  buckets: readonly BucketInventory[],
  baseClass: string,
): ReadonlyMap<string, number> {
  const bytesByClass = new Map<string, number>();
  const add = (storageClass: string, bytes: number) =>
    bytesByClass.set(storageClass, (bytesByClass.get(storageClass) ?? 0) + bytes);
  for (const { groups, oldVersions, copied, incompleteUploads } of buckets) {
    for (const { storageClass, bytes } of groups) add(storageClass, bytes);
    for (const { storageClass, bytes } of oldVersions) add(storageClass, bytes);
    for (const { storageClass } of copied) add(storageClass, 0);
    add(baseClass, incompleteUploads.bytes);
  }
  return bytesByClass;
}

/** The size limits of all targets, smallest first: what a scan compares its objects with. */
export function targetSizeLimits(book: PriceBook, source: ProviderName): readonly number[] {
  const limits = targetNames(book, source).map(
    (provider) => book.catalogue.entry(provider).limits.objectBytes,
  );
  return [...new Set(limits)].sort((a, b) => a - b);
}

/** Which stores objects could move to, and where. */
export type TargetScope = Pick<DecisionRequest, 'priceBook' | 'source' | 'configured'>;

/**
 * Every provider of the catalogue except the source, at the rates of the region that is configured for it, else of its
 * default region.
 *
 * @throws Error if the book has no sheet for a provider's upload class: a defect of the book.
 */
export function targetsFor(
  { priceBook: book, source, configured }: TargetScope,
  reads: BucketReads,
): readonly Target[] {
  return targetNames(book, source).map((provider) => {
    const { title, defaultRegion, limits } = book.catalogue.entry(provider);
    const own = configured.find((store) => store.provider === provider);
    const sheet = requireSheet(book, provider, own?.region ?? defaultRegion, UPLOAD_CLASS);
    const rates = firstBandRates(sheet, sheet.tiers[0].perGbMonth, { reads, isAtSource: false });
    return {
      provider,
      title,
      storageClass: UPLOAD_CLASS,
      rates,
      putUsd: sheet.put.value,
      maxObjectBytes: limits.objectBytes,
      floorUsdPerMonth: book.floorUsdPerMonth(provider),
      egressLimit: egressLimit(sheet, reads),
    };
  });
}

/** Every read leaves a target. */
function egressLimit(sheet: ClassSheet, reads: BucketReads): EgressLimit | null {
  if (!sheet.refusesEgressBeyondFree) return null;
  const heaviest = (ageBand: number) =>
    Math.max(...SCENARIOS.map((scenario) => fullReads(reads, scenario, ageBand))) * reads.bytes;
  return {
    freeMultiple: sheet.egressFreeMultipleOfStorage,
    heaviestReads: AGE_BANDS.map((_, ageBand) => heaviest(ageBand)),
  };
}

function targetNames({ catalogue }: PriceBook, source: ProviderName): readonly ProviderName[] {
  return catalogue.providers.filter((provider) => provider !== source);
}
