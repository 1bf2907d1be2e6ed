import { AGE_BANDS, AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { Tally } from '../inventory/inventory.ts';
import type { Bands, ClassSheet, Known } from '../price-sheet.ts';
import { doubtsOf, type Doubts } from './doubt.ts';

/** How often everything is read in full per month, by age band: LastModified is not access. */
const FULL_READS = {
  expected: [0.5, 0.1, 0.03, 0.01],
  heavy: [5, 1, 0.3, 0.1],
} as const;

/** An amount in USD in each of the three assumptions about reads. */
export interface Scenarios {
  none: number;
  expected: number;
  heavy: number;
}

export const SCENARIOS = ['none', 'expected', 'heavy'] as const;

/** What the objects of one class and age band cost, as flat factors. Every one in USD per month. */
export interface BandRates {
  readonly objectUsd: number;
  readonly largeObjectUsd: number;
  readonly largeByteUsd: number;
  readonly smallObjectUsd: number;
  readonly smallByteUsd: number;
  readonly expectedObjectUsd: number;
  readonly expectedByteUsd: number;
  readonly heavyObjectUsd: number;
  readonly heavyByteUsd: number;
  /** Months of storage that are paid for although the objects are gone. */
  readonly earlyDeletionMonths: number;
  readonly doubts: Doubts;
  /** The changes of class that may be recommended here, the preferred one of equals first. */
  readonly steps: readonly Step[];
}

/** A change of class with what it costs. */
export interface Step {
  readonly to: ClassRates;
  readonly band: BandRates;
  readonly transitionUsd: number;
  readonly transitionDoubts: number;
}

/** What the objects of one class cost. */
export interface ClassRates {
  readonly storageClass: string;
  /** The base class's where the class has none. */
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** It has a sheet and is not archived. */
  readonly mayMove: boolean;
  readonly getUsd: number;
  readonly retrievalByteUsd: number;
  /** By index into `AGE_BANDS`. */
  readonly bands: readonly BandRates[];
}

/** USD per month for what is there. */
export function storageUsd(rates: BandRates, tally: Tally): number {
  return (
    (tally.bytes - tally.smallBytes) * rates.largeByteUsd +
    tally.smallBytes * rates.smallByteUsd +
    tally.objects * rates.objectUsd +
    (tally.objects - tally.smallObjects) * rates.largeObjectUsd +
    tally.smallObjects * rates.smallObjectUsd
  );
}

/** Adds the USD per month of some objects, reads included, to `sum`; returns their storage alone. */
export function addMonthly(sum: Scenarios, rates: BandRates, tally: Tally): number {
  const { objects, bytes } = tally;
  const storage = storageUsd(rates, tally);
  sum.none += storage;
  sum.expected += storage + objects * rates.expectedObjectUsd + bytes * rates.expectedByteUsd;
  sum.heavy += storage + objects * rates.heavyObjectUsd + bytes * rates.heavyByteUsd;
  return storage;
}

/** What a quantity costs by cumulative bands; the last of them goes on without end. */
export function bandedUsd(bands: Bands, gb: number): number {
  let usd = 0;
  let from = 0;
  for (const [index, band] of bands.entries()) {
    const isLast = index === bands.length - 1;
    const end = isLast || band.uptoGb === null ? gb : Math.min(gb, band.uptoGb);
    if (end <= from) break;
    usd += (end - from) * band.usd;
    from = end;
  }
  return usd;
}

/** The rate at which `rawBytes` together cost what their bands ask: the parts add up to the bill. */
export function blendedPerGb(bands: Bands, rawBytes: number, bytesPerGb: number): number {
  const [first] = bands;
  const gb = rawBytes / bytesPerGb;
  if (bands.length === 1 || first.uptoGb === null || gb <= first.uptoGb) return first.usd;
  return bandedUsd(bands, gb) / gb;
}

export interface ClassTerms {
  readonly storageClass: string;
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** In USD per GB and month, for a class that has one rate for every age. */
  readonly perGbMonth: number;
  /** What the part of an object's overhead that is kept in the base class is billed at. */
  readonly basePerGbMonth: Known<Bands>;
  /** The changes of class that are open to objects of an age, in days, or older. */
  stepsFrom(firstDay: number, band: number): readonly Step[];
}

/** The factors of one class, reckoned once for all its objects. */
export function ratesOf(terms: ClassTerms): ClassRates {
  const { sheet, hasSheet, storageClass } = terms;
  return {
    storageClass,
    sheet,
    hasSheet,
    mayMove: hasSheet && !sheet.archived,
    getUsd: sheet.get.value,
    retrievalByteUsd: sheet.retrievalPerGb.value / sheet.bytesPerGb,
    bands: AGE_BANDS.map((_, band) => bandRates(terms, band)),
  };
}

function bandRates(terms: ClassTerms, band: number): BandRates {
  const { sheet } = terms;
  const unit = sheet.bytesPerGb;
  const firstDay = AGE_BAND_FIRST_DAY[band] ?? 0;
  const isFlat = sheet.tiers.length === 1;
  const rateFrom = (day: number) =>
    (isFlat ? terms.perGbMonth : tierAt(sheet, day).value[0].usd) / unit;
  const youngUsd = rateFrom(0);
  const padded = sheet.minBillableBytes.value;
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const expected = readUsd(sheet, FULL_READS.expected[band] ?? 0);
  const heavy = readUsd(sheet, FULL_READS.heavy[band] ?? 0);
  return {
    objectUsd: ownBytes * youngUsd + (baseBytes / unit) * terms.basePerGbMonth.value[0].usd,
    largeObjectUsd: sheet.monitoring.value,
    largeByteUsd: rateFrom(firstDay),
    smallObjectUsd: padded * youngUsd,
    smallByteUsd: padded > 0 ? 0 : youngUsd,
    expectedObjectUsd: expected.objectUsd,
    expectedByteUsd: expected.byteUsd,
    heavyObjectUsd: heavy.objectUsd,
    heavyByteUsd: heavy.byteUsd,
    earlyDeletionMonths: Math.max(0, sheet.minDays.value - firstDay) / 30,
    doubts: doubtsOf({
      sheet,
      tier: tierAt(sheet, firstDay),
      basePerGbMonth: terms.basePerGbMonth,
      heavyEgressReads: egressReads(sheet, FULL_READS.heavy[band] ?? 0),
      earlyDeletionDays: sheet.minDays.value - firstDay,
    }),
    steps: terms.stepsFrom(firstDay, band),
  };
}

function tierAt(sheet: ClassSheet, day: number): Known<Bands> {
  let found = sheet.tiers[0];
  for (const tier of sheet.tiers) if (tier.fromDay <= day) found = tier;
  return found.perGbMonth;
}

/** How much of the reads is charged as egress. */
function egressReads(sheet: ClassSheet, fullReads: number): number {
  return Math.max(0, fullReads - sheet.egressFreeMultipleOfStorage);
}

/** What reading costs per month; an archived object is not read at all. */
function readUsd(sheet: ClassSheet, fullReads: number): { objectUsd: number; byteUsd: number } {
  if (sheet.archived) return { objectUsd: 0, byteUsd: 0 };
  const perGb =
    fullReads * sheet.retrievalPerGb.value +
    egressReads(sheet, fullReads) * sheet.egressPerGb.value[0].usd;
  return { objectUsd: fullReads * sheet.get.value, byteUsd: perGb / sheet.bytesPerGb };
}
