import { endWeighing, beginWeighing, createWeighing, noMoney, weigh } from './weighing.ts';
import type { Weighing } from './weighing.ts';
import { createInPlace, weighInPlace, type InPlace } from './in-place.ts';
import { BAND_COUNT, type BucketTable } from './table.ts';
import type { ClassRates, Scenarios } from './rates.ts';
import type { RegionRates, Target } from './tariff.ts';

/** A bucket with the rates of its region, by index into its classes. */
export interface PricedBucket {
  readonly table: BucketTable;
  readonly region: RegionRates;
  readonly rates: readonly ClassRates[];
  /** Among all buckets by name. */
  readonly rank: number;
}

/** What is needed to weigh anything, made once for all buckets. */
export interface Scales {
  readonly horizonMonths: number;
  readonly targets: readonly Target[];
  readonly weighing: Weighing;
  readonly inPlace: InPlace;
  /** What the in-place answers of a prefix add to its total over the horizon; never positive. */
  readonly inPlaceGain: Scenarios;
}

export function createScales(targets: readonly Target[], horizonMonths: number): Scales {
  return {
    horizonMonths,
    targets,
    weighing: createWeighing(targets),
    inPlace: createInPlace(),
    inPlaceGain: noMoney(),
  };
}

/** The steps that the cells of a bucket take by themselves: the index, or -1. */
export type StepsTaken = Int8Array;

/**
 * Weighs all objects of one prefix that may move, against staying and against their in-place answers.
 * `steps` is told the latter. Returns whether there are any.
 */
export function weighPrefix(
  scales: Scales,
  bucket: PricedBucket,
  prefix: number,
  steps: StepsTaken | null,
): boolean {
  const { weighing, inPlace, inPlaceGain, horizonMonths } = scales;
  const { table, rates } = bucket;
  const from = prefix * table.stride;
  let found = false;
  beginWeighing(weighing);
  inPlaceGain.none = 0;
  inPlaceGain.expected = 0;
  inPlaceGain.heavy = 0;
  for (let at = 0; at < table.stride; at += 1) {
    const tally = table.cells[from + at];
    const ofClass = rates[(at / BAND_COUNT) | 0];
    if (!tally || !ofClass?.mayMove) continue;
    const band = at % BAND_COUNT;
    found = true;
    weigh(weighing, ofClass, band, tally);
    const ofBand = ofClass.bands[band];
    if (!ofBand || ofBand.steps.length === 0) continue;
    weighInPlace(inPlace, ofBand, tally, horizonMonths);
    if (inPlace.step < 0) continue;
    if (steps) steps[from + at] = inPlace.step;
    const { stay, taken } = inPlace;
    inPlaceGain.none += taken.none - stay.none;
    inPlaceGain.expected += taken.expected - stay.expected;
    inPlaceGain.heavy += taken.heavy - stay.heavy;
  }
  if (found) endWeighing(weighing, bucket.region);
  return found;
}

/** Weighs all objects of a bucket that may move as one. */
export function weighWhole(scales: Scales, bucket: PricedBucket): void {
  const { weighing } = scales;
  const { table, rates } = bucket;
  beginWeighing(weighing);
  for (const [at, tally] of table.whole.entries()) {
    const ofClass = rates[(at / BAND_COUNT) | 0];
    if (tally && ofClass?.mayMove) weigh(weighing, ofClass, at % BAND_COUNT, tally);
  }
  endWeighing(weighing, bucket.region);
}

/**
 * The target that the prefix just weighed takes, by its index, or -1: the cheapest at the expected
 * reads among those below staying whatever is read and below the in-place answers as expected; ties in
 * the catalogue's order.
 */
export function targetTaken(scales: Scales): number {
  const { weighing, inPlaceGain, horizonMonths: horizon } = scales;
  const { stay, offers } = weighing;
  const inPlaceTotal = stay.expected * horizon + inPlaceGain.expected;
  let taken = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < offers.length; index += 1) {
    const offer = offers[index];
    if (!offer) continue;
    const { monthly, totalUsd } = offer;
    const expected = monthly.expected * horizon + totalUsd;
    const isCheaper =
      monthly.none * horizon + totalUsd < stay.none * horizon &&
      expected < stay.expected * horizon &&
      monthly.heavy * horizon + totalUsd < stay.heavy * horizon &&
      expected < inPlaceTotal;
    if (!isCheaper || expected >= least) continue;
    least = expected;
    taken = index;
  }
  return taken;
}
