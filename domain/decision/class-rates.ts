import { AGE_BANDS, AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { Bands, SourcedPrice } from '../pricing/figures.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import type { BandRates, BucketReads, ClassChange, ClassRates } from './model.ts';
import { toScenarios } from './amounts.ts';
import { fullReads } from './reads.ts';
import { isTiered } from './tiers.ts';
import type { Scenarios } from './types.ts';
import { computeUncertainty } from './uncertainty.ts';

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
  readonly reads: PlacedReads;
  /** What the storage of larger objects costs, in parts of what it costs by their age; 1 by default. */
  readonly tierFactor?: number;
}

/** How the objects of a bucket are read at one place. */
export interface PlacedReads {
  readonly reads: BucketReads;
  /** What is read within the source's cloud leaves any other store. */
  readonly isAtSource: boolean;
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
export function firstBandRates(
  sheet: ClassSheet,
  basePerGbMonth: SourcedPrice<Bands>,
  reads: PlacedReads,
): ClassRates {
  return classRates({
    storageClass: sheet.storageClass,
    sheet,
    hasSheet: true,
    perGbMonth: sheet.tiers[0].perGbMonth.value[0].usd,
    basePerGbMonth,
    changesFrom: () => [],
    reads,
  });
}

function bandRates(terms: ClassTerms, ageBand: number): BandRates {
  const { sheet, basePerGbMonth, reads, tierFactor = 1 } = terms;
  const firstDay = AGE_BAND_FIRST_DAY[ageBand] ?? 0;
  const byteUsdFrom = (day: number) =>
    (isTiered(sheet) ? tierFrom(sheet, day).value[0].usd : terms.perGbMonth) / sheet.bytesPerGb;
  const youngByteUsd = byteUsdFrom(0);
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const earlyDeletionDays = Math.max(0, sheet.minDays.value - firstDay);
  return {
    objectUsd:
      ownBytes * youngByteUsd + (baseBytes / sheet.bytesPerGb) * basePerGbMonth.value[0].usd,
    largeObjectUsd: sheet.monitoring.value,
    largeByteUsd: byteUsdFrom(firstDay) * tierFactor,
    smallByteUsd: youngByteUsd,
    minBillableBytes: sheet.minBillableBytes.value,
    readsPerObjectUsd: readsPerObjectUsd(sheet, reads, ageBand),
    readsPerByteUsd: readsPerByteUsd(sheet, reads, ageBand),
    earlyDeletionMonths: earlyDeletionDays / 30,
    uncertainty: computeUncertainty({
      sheet,
      tier: tierFrom(sheet, firstDay),
      basePerGbMonth,
      tierFactor,
      reads: reads.reads,
      paysEgress: leavingReads(sheet, reads, 'heavy', ageBand) > 0,
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
function readsPerObjectUsd(sheet: ClassSheet, { reads }: PlacedReads, ageBand: number): Scenarios {
  return toScenarios((scenario) =>
    sheet.archived ? 0 : fullReads(reads, scenario, ageBand) * reads.gets * sheet.get.value,
  );
}

function readsPerByteUsd(sheet: ClassSheet, placed: PlacedReads, ageBand: number): Scenarios {
  const { reads } = placed;
  return toScenarios((scenario) => {
    if (sheet.archived) return 0;
    const perGb =
      fullReads(reads, scenario, ageBand) * reads.bytes * sheet.retrievalPerGb.value +
      leavingReads(sheet, placed, scenario, ageBand) * sheet.egressPerGb.value[0].usd;
    return perGb / sheet.bytesPerGb;
  });
}

/** The reads that are charged as egress. */
function leavingReads(
  sheet: ClassSheet,
  { reads, isAtSource }: PlacedReads,
  scenario: keyof Scenarios,
  ageBand: number,
): number {
  const perMonth =
    fullReads(reads, scenario, ageBand) * (isAtSource ? reads.internetBytes : reads.bytes);
  return Math.max(0, perMonth - sheet.egressFreeMultipleOfStorage);
}
