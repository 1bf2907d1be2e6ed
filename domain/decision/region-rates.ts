import { sumBy, addTo, totalOf } from '../common/sums.ts';
import { UPLOAD_CLASS, type ProviderName } from '../providers/catalogue.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import type { Bands } from '../pricing/price-data.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';
import { blendedPerGb } from '../pricing/cost.ts';
import { classRates, firstBandRates, firstBandUsd, type ClassRates } from './storage-rates.ts';
import type { DecisionRequest } from './types.ts';

/** The source's prices in one region. */
export interface RegionRates {
  readonly region: string;
  readonly bytesPerGb: number;
  readonly egressPerGb: Bands;
  /** Egress of all buckets together that costs nothing. */
  readonly freeEgressGb: number;
  /** Per listing request of up to 1,000 keys. */
  readonly listingUsd: number;
  /** Per GB that the customer's machines in the source's cloud would read from another store. */
  readonly insideReadPerGb: number;
  /** The class that listings, parts of uploads and classes without a sheet are priced by. */
  readonly base: ClassRates;
  readonly classes: ReadonlyMap<string, ClassRates>;
  /** The changes that may be recommended of a class, in the order that decides ties. */
  readonly changes: ReadonlyMap<string, readonly ClassStep[]>;
  /** All of these rates. */
  readonly isSure: boolean;
}

export interface ClassStep {
  readonly to: ClassRates;
  readonly minAgeDays: number;
  /** Per object. */
  readonly transitionUsd: number;
}

/** A store that objects could move to. */
export interface Target {
  readonly provider: ProviderName;
  readonly title: string;
  readonly storageClass: string;
  readonly rates: ClassRates;
  readonly maxObjectBytes: number;
  /** The least that it charges a month. */
  readonly floorUsdPerMonth: number;
}

export interface RegionTerms {
  /** At the customer's own prices. */
  readonly priceBook: PriceBook;
  readonly source: ProviderName;
  readonly region: string;
  /** By storage class: each of them has rates. */
  readonly rawBytes: ReadonlyMap<string, number>;
  readonly freeEgressGb: number;
}

/** The rates of every region of the buckets: a class's rate is blended over all its bytes there. */
export function ratesByRegion({
  buckets,
  priceBook,
  source,
}: Pick<DecisionRequest, 'buckets' | 'priceBook' | 'source'>): ReadonlyMap<string, RegionRates> {
  const freeEgressGb = freeEgress(priceBook, source, buckets);
  const regions = [...new Set(buckets.map(({ region }) => region))];
  return new Map(
    regions.map((region) => {
      const inRegion = buckets.filter((bucket) => bucket.region === region);
      const rawBytes = rawBytesByClass(inRegion, priceBook.baseClass(source));
      return [region, regionRates({ priceBook, source, region, rawBytes, freeEgressGb })];
    }),
  );
}

/** The rates of a region of the source for the base class and for every class in `rawBytes`. */
export function regionRates(terms: RegionTerms): RegionRates {
  const { priceBook: book, source, region, rawBytes, freeEgressGb } = terms;
  const baseClass = book.baseClass(source);
  const baseSheet = requireSheet(book, source, region, baseClass);
  const basePerGbMonth = firstBandUsd(baseSheet);
  const ratesOf = (storageClass: string) => {
    const ownSheet = book.classSheet(source, region, storageClass);
    const sheet = ownSheet ?? baseSheet;
    const bands = sheet.tiers[0].perGbMonth.value;
    const perGbMonth = blendedPerGb(bands, totalOf(rawBytes, storageClass), sheet.bytesPerGb);
    const hasSheet = ownSheet !== null;
    return classRates({ storageClass, sheet, hasSheet, perGbMonth, basePerGbMonth });
  };
  const names = [...new Set([baseClass, ...rawBytes.keys()])];
  const classes = new Map(names.map((name) => [name, ratesOf(name)]));
  const changes = new Map(names.map((name) => [name, changesFrom(terms, name, basePerGbMonth)]));
  const held = [...classes.values()];
  const changed = [...changes.values()].flat().map(({ to }) => to);
  return {
    region,
    bytesPerGb: baseSheet.bytesPerGb,
    egressPerGb: baseSheet.egressPerGb.value,
    freeEgressGb,
    listingUsd: baseSheet.list.value,
    insideReadPerGb: book.insideReadPerGb(source).value,
    base: classes.get(baseClass) ?? ratesOf(baseClass),
    classes,
    changes,
    isSure: [...held, ...changed].every((rates) => rates.isSure),
  };
}

function changesFrom(
  { priceBook: book, source, region }: RegionTerms,
  storageClass: string,
  basePerGbMonth: number,
): readonly ClassStep[] {
  if (!book.classSheet(source, region, storageClass)) return [];
  return book.inPlaceSteps(source, storageClass).flatMap(({ to, minAgeDays }) => {
    const sheet = book.classSheet(source, region, to);
    if (!sheet?.transition) return [];
    const transitionUsd = sheet.transition.value;
    return [{ to: firstBandRates(sheet, basePerGbMonth), minAgeDays, transitionUsd }];
  });
}

/** The egress a month that the source does not charge: a multiple of all that the scan found. */
function freeEgress(
  book: PriceBook,
  source: ProviderName,
  buckets: readonly BucketInventory[],
): number {
  const [first] = buckets;
  const sheet = first && book.classSheet(source, first.region, book.baseClass(source));
  if (!sheet?.egressFreeMultipleOfStorage) return 0;
  const bytes = sumBy(buckets, ({ groups, oldVersions, incompleteUploads }) =>
    sumBy([...groups, ...oldVersions, incompleteUploads], (held) => held.bytes),
  );
  return (sheet.egressFreeMultipleOfStorage * bytes) / sheet.bytesPerGb;
}

/**
 * The billed bytes by storage class: current objects, old versions and, in the base class, the
 * parts of incomplete uploads. Classes of copied objects are included so that they have a rate.
 */
function rawBytesByClass(
  buckets: readonly BucketInventory[],
  baseClass: string,
): ReadonlyMap<string, number> {
  const bytesByClass = new Map<string, number>();
  const add = (storageClass: string, bytes: number) => addTo(bytesByClass, storageClass, bytes);
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
 * Every provider of the catalogue except the source, at the rates of the region that is configured
 * for it, else of its default region.
 *
 * @throws Error if the book has no sheet for a provider's upload class: a defect of the book.
 */
export function targetsFor({
  priceBook: book,
  source,
  configured,
}: TargetScope): readonly Target[] {
  return targetNames(book, source).map((provider) => {
    const own = configured.find((store) => store.provider === provider);
    return targetAt(book, provider, own?.region);
  });
}

/** A provider as a target; without a region of its own, in its default region. */
export function targetAt(book: PriceBook, provider: ProviderName, region?: string): Target {
  const { title, defaultRegion, limits } = book.catalogue.entry(provider);
  const sheet = requireSheet(book, provider, region ?? defaultRegion, UPLOAD_CLASS);
  return {
    provider,
    title,
    storageClass: UPLOAD_CLASS,
    rates: firstBandRates(sheet, firstBandUsd(sheet)),
    maxObjectBytes: limits.objectBytes,
    floorUsdPerMonth: book.floorUsdPerMonth(provider),
  };
}

function targetNames({ catalogue }: PriceBook, source: ProviderName): readonly ProviderName[] {
  return catalogue.providers.filter((provider) => provider !== source);
}
