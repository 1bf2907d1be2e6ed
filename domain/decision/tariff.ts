import { CATALOGUE, PROVIDER_NAMES, type ProviderName } from '../catalogue.ts';
import type { PriceBook } from '../price-book.ts';
import type { Bands, ClassSheet, Known } from '../price-sheet.ts';
import { requestDoubts } from './doubt.ts';
import { blendedPerGb, ratesOf, type ClassRates, type ClassTerms, type Step } from './rates.ts';

/** What the source asks in one region. */
export interface RegionRates {
  readonly region: string;
  readonly bytesPerGb: number;
  readonly egressPerGb: Bands;
  /** Per listing of up to 1,000 keys. */
  readonly listingUsd: number;
  readonly listingDoubts: number;
  /** The class that parts of uploads are billed as. */
  readonly base: ClassRates;
  readonly classes: ReadonlyMap<string, ClassRates>;
}

/** A store that objects could move to. */
export interface Target {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly rates: ClassRates;
  readonly putUsd: number;
}

/** Raw bytes by storage class. */
export type RawBytes = ReadonlyMap<string, number>;

/**
 * The rates of a region of the source for every class that holds something there. A class's storage
 * is blended over all the bytes that the scan found in it.
 */
export function regionRates(
  book: PriceBook,
  source: ProviderName,
  region: string,
  rawBytes: RawBytes,
): RegionRates {
  const baseClass = book.baseClass(source);
  const base = sheetOf(book, source, region, baseClass);
  const stepsOf = stepsIn(book, source, region, base);
  const rates = (storageClass: string) => {
    const sheet = book.classSheet(source, region, storageClass);
    const priced = sheet ?? base;
    const { value: bands } = priced.tiers[0].perGbMonth;
    const raw = rawBytes.get(storageClass) ?? 0;
    return ratesOf({
      storageClass,
      sheet: priced,
      hasSheet: sheet !== null,
      perGbMonth: blendedPerGb(bands, raw, priced.bytesPerGb),
      basePerGbMonth: base.tiers[0].perGbMonth,
      stepsFrom: stepsOf(storageClass),
    });
  };

  const ofBase = rates(baseClass);
  const classes = new Map([[baseClass, ofBase]]);
  for (const storageClass of rawBytes.keys()) {
    if (storageClass !== baseClass) classes.set(storageClass, rates(storageClass));
  }
  return {
    region,
    bytesPerGb: base.bytesPerGb,
    egressPerGb: base.egressPerGb.value,
    listingUsd: base.put.value,
    listingDoubts: requestDoubts(base.put),
    base: ofBase,
    classes,
  };
}

/** The changes of class that a region allows, by the class that is left and the objects' age. */
function stepsIn(
  book: PriceBook,
  source: ProviderName,
  region: string,
  base: ClassSheet,
): (storageClass: string) => ClassTerms['stepsFrom'] {
  const targets = new Map<string, ClassRates>();
  const targetOf = (sheet: ClassSheet) => {
    const made = targets.get(sheet.storageClass) ?? firstBandRates(sheet, base.tiers[0].perGbMonth);
    targets.set(sheet.storageClass, made);
    return made;
  };
  return (storageClass) => {
    const from = book.classSheet(source, region, storageClass);
    const steps = from && !from.archived ? book.inPlaceSteps(source, storageClass) : [];
    return (firstDay, band) =>
      steps.flatMap((step): Step[] => {
        const sheet = book.classSheet(source, region, step.to);
        if (firstDay < step.minAgeDays || !sheet?.transition || sheet.archived) return [];
        const to = targetOf(sheet);
        const ofBand = to.bands[band];
        if (!ofBand) return [];
        const { transition } = sheet;
        const transitionDoubts = requestDoubts(transition);
        return [{ to, band: ofBand, transitionUsd: transition.value, transitionDoubts }];
      });
  };
}

/** The rates of a class that objects are yet to come to. */
function firstBandRates(sheet: ClassSheet, basePerGbMonth: Known<Bands>): ClassRates {
  return ratesOf({
    storageClass: sheet.storageClass,
    sheet,
    hasSheet: true,
    perGbMonth: sheet.tiers[0].perGbMonth.value[0].usd,
    basePerGbMonth,
    stepsFrom: () => [],
  });
}

/** Every provider of the catalogue but the source, priced where uploads go by default. */
export function targetsFrom(book: PriceBook, source: ProviderName): readonly Target[] {
  return PROVIDER_NAMES.filter((provider) => provider !== source).map((provider) => {
    const { uploadClass, defaultRegion } = CATALOGUE[provider];
    const sheet = sheetOf(book, provider, defaultRegion, uploadClass);
    const rates = firstBandRates(sheet, sheet.tiers[0].perGbMonth);
    return { provider, storageClass: uploadClass, rates, putUsd: sheet.put.value };
  });
}

/** @throws Error where the book lacks a sheet that it must have: a defect of the book. */
function sheetOf(
  book: PriceBook,
  provider: ProviderName,
  region: string,
  storageClass: string,
): ClassSheet {
  const sheet = book.classSheet(provider, region, storageClass);
  if (!sheet) throw new Error(`price book ${book.version} has no sheet for ${storageClass}`);
  return sheet;
}
