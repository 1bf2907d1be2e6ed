import { AGE_BANDS, AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { Bands, SourcedPrice } from '../pricing/figures.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import type { BandRates, ClassChange, ClassRates } from './model.ts';
import { toScenarios } from './amounts.ts';
import type { Scenarios } from './types.ts';
import { computeUncertainty } from './uncertainty.ts';

/** Full reads per month by age band: LastModified is not access, so reads are assumptions. */
const FULL_READS: Readonly<Record<keyof Scenarios, readonly number[]>> = {
  none: [0, 0, 0, 0],
  expected: [0.5, 0.1, 0.03, 0.01],
  heavy: [5, 1, 0.3, 0.1],
};

export interface ClassTerms {
  readonly storageClass: string;
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** In USD, for a class that has one rate for every age. */
  readonly perGbMonth: number;
  /** The rate of the part of an object's overhead that is billed in the base class. */
  readonly basePerGbMonth: SourcedPrice<Bands>;
  /** The changes of class that are open to objects of an age band. */
  changesFrom(ageBand: number): readonly ClassChange[];
}

/** The flat rates of one class in one region, by age band. */
export function classRates(terms: ClassTerms): ClassRates {
  const { sheet, hasSheet, storageClass } = terms;
  return {
    storageClass,
    sheet,
    hasSheet,
    mayMove: hasSheet && !sheet.archived,
    getUsd: sheet.get.value,
    retrievalByteUsd: sheet.retrievalPerGb.value / sheet.bytesPerGb,
    bands: AGE_BANDS.map((_, ageBand) => bandRates(terms, ageBand)),
  };
}

/** The rates of a class that objects would be moved into: its first band. */
export function firstBandRates(sheet: ClassSheet, basePerGbMonth: SourcedPrice<Bands>): ClassRates {
  return classRates({
    storageClass: sheet.storageClass,
    sheet,
    hasSheet: true,
    perGbMonth: sheet.tiers[0].perGbMonth.value[0].usd,
    basePerGbMonth,
    changesFrom: () => [],
  });
}

function bandRates(terms: ClassTerms, ageBand: number): BandRates {
  const { sheet, basePerGbMonth } = terms;
  const firstDay = AGE_BAND_FIRST_DAY[ageBand] ?? 0;
  const isTiered = sheet.tiers.length > 1;
  const byteUsdFrom = (day: number) =>
    (isTiered ? tierFrom(sheet, day).value[0].usd : terms.perGbMonth) / sheet.bytesPerGb;
  const youngByteUsd = byteUsdFrom(0);
  const minBillableBytes = sheet.minBillableBytes.value;
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const earlyDeletionDays = Math.max(0, sheet.minDays.value - firstDay);
  return {
    objectUsd:
      ownBytes * youngByteUsd + (baseBytes / sheet.bytesPerGb) * basePerGbMonth.value[0].usd,
    largeObjectUsd: sheet.monitoring.value,
    largeByteUsd: byteUsdFrom(firstDay),
    smallObjectUsd: minBillableBytes * youngByteUsd,
    smallByteUsd: minBillableBytes > 0 ? 0 : youngByteUsd,
    readsPerObjectUsd: readsPerObjectUsd(sheet, ageBand),
    readsPerByteUsd: readsPerByteUsd(sheet, ageBand),
    earlyDeletionMonths: earlyDeletionDays / 30,
    uncertainty: computeUncertainty({
      sheet,
      tier: tierFrom(sheet, firstDay),
      basePerGbMonth,
      paysEgress: chargedReads(sheet, fullReads('heavy', ageBand)) > 0,
      paysEarlyDeletion: earlyDeletionDays > 0,
    }),
    changes: terms.changesFrom(ageBand),
  };
}

function tierFrom(sheet: ClassSheet, day: number): SourcedPrice<Bands> {
  let found = sheet.tiers[0];
  for (const tier of sheet.tiers) if (tier.fromDay <= day) found = tier;
  return found.perGbMonth;
}

/** Zero for an archived class: its objects are not read. */
function readsPerObjectUsd(sheet: ClassSheet, ageBand: number): Scenarios {
  return toScenarios((reads) => (sheet.archived ? 0 : fullReads(reads, ageBand) * sheet.get.value));
}

function readsPerByteUsd(sheet: ClassSheet, ageBand: number): Scenarios {
  return toScenarios((reads) => {
    if (sheet.archived) return 0;
    const perMonth = fullReads(reads, ageBand);
    const perGb =
      perMonth * sheet.retrievalPerGb.value +
      chargedReads(sheet, perMonth) * sheet.egressPerGb.value[0].usd;
    return perGb / sheet.bytesPerGb;
  });
}

function fullReads(reads: keyof Scenarios, ageBand: number): number {
  return FULL_READS[reads][ageBand] ?? 0;
}

/** The reads that are charged as egress. */
function chargedReads(sheet: ClassSheet, perMonth: number): number {
  return Math.max(0, perMonth - sheet.egressFreeMultipleOfStorage);
}
