import type { Answer, ChangeAnswer } from './answers.ts';
import { weighPrefix, type PricedBucket, type Scales } from './bucket.ts';
import { stepTo } from './change.ts';
import { isDoubtful } from './doubt.ts';
import { setStepTotals, weighInPlace } from './in-place.ts';
import { SCENARIOS, type Scenarios } from './rates.ts';
import { oldVersionsOf, partsOf, type Priced } from './stock.ts';
import { BAND_COUNT } from './table.ts';
import { beginWeighing, endWeighing, noMoney, weigh } from './weighing.ts';

/**
 * | the answer is the cheapest of all in | 3 | 2 | 1 | 0 of the assumptions about reads |
 * |--------------------------------------|---|---|---|-----------------------------------|
 * | tenths                               | 9 | 7 | 5 | 3                                 |
 *
 * Two less, once, where a doubtful figure adds something to the answer's own numbers; at least one.
 */
const TENTHS = [3, 5, 7, 9] as const;
const DOUBT_TENTHS = 2;
const MOST_TENTHS = 9;
const STAYING = -1;

function tenthsOf(cheapest: number, isInDoubt: boolean): number {
  return Math.max(1, (TENTHS[cheapest] ?? 1) - (isInDoubt ? DOUBT_TENTHS : 0));
}

/** How sure a recommendation is, 0.1 to 0.9: the least sure of the parts that were joined to it. */
export function confidenceOf(scales: Scales, answer: Answer): number {
  return answerTenths(scales, answer) / 10;
}

/** How sure staying is where nothing is recommended: the least sure of all that could still move. */
export function confidenceOfStaying(scales: Scales, buckets: readonly PricedBucket[]): number {
  let least = MOST_TENTHS;
  for (const bucket of buckets) {
    if (bucket.table.bucket.error) continue;
    for (const [prefix, name] of bucket.table.prefixes.entries()) {
      if (bucket.table.occupied.has(name)) continue;
      least = Math.min(least, prefixTenths(scales, bucket, prefix, STAYING));
    }
  }
  return least / 10;
}

function answerTenths(scales: Scales, answer: Answer): number {
  const { bucket } = answer;
  if (answer.kind === 'move') {
    const { prefix, target } = answer;
    if (prefix >= 0) return prefixTenths(scales, bucket, prefix, target);
    const all = bucket.table.prefixes.map((_, index) =>
      prefixTenths(scales, bucket, index, target),
    );
    return Math.min(...all);
  }
  if (answer.kind === 'change_class') return changeTenths(scales, answer);
  const priced =
    answer.kind === 'abort_multipart_uploads' ? [partsOf(bucket)] : oldVersionsOf(bucket);
  const isInDoubt = ({ rates, tally }: Priced) => isDoubtful(rates.doubts.storage, tally);
  return tenthsOf(SCENARIOS.length, priced.some(isInDoubt));
}

/** Of moving a prefix to a target, or of `STAYING`; the most where it has nothing to move. */
function prefixTenths(
  scales: Scales,
  bucket: PricedBucket,
  prefix: number,
  target: number,
): number {
  if (!weighPrefix(scales, bucket, prefix, null)) return MOST_TENTHS;
  const { weighing, inPlaceGain, horizonMonths: horizon } = scales;
  const { stay, offers } = weighing;
  const offer = offers[target];
  let cheapest = 0;
  for (const reads of SCENARIOS) {
    const stayUsd = stay[reads] * horizon;
    const offerUsd = offers.map(({ monthly, totalUsd }) => monthly[reads] * horizon + totalUsd);
    const own = offerUsd[target] ?? stayUsd;
    if (own <= Math.min(stayUsd, stayUsd + inPlaceGain[reads], ...offerUsd)) cheapest += 1;
  }
  const { table, rates, region } = bucket;
  for (let at = 0; at < table.stride; at += 1) {
    const tally = table.cells[prefix * table.stride + at];
    const ofClass = rates[(at / BAND_COUNT) | 0];
    const band = at % BAND_COUNT;
    const own = ofClass?.bands[band]?.doubts;
    if (!tally || !own || !ofClass.mayMove) continue;
    const there = offer?.target.rates.bands[band]?.doubts;
    const moving = there && own.leaving | region.listingDoubts | there.monthly | there.arriving;
    if (isDoubtful(own.monthly | (moving ?? 0), tally)) return tenthsOf(cheapest, true);
  }
  return tenthsOf(cheapest, false);
}

function changeTenths(scales: Scales, { bucket, change }: ChangeAnswer): number {
  const { table } = bucket;
  const prefixes = change.prefix < 0 ? [...table.prefixes.keys()] : [change.prefix];
  let least = MOST_TENTHS;
  for (const prefix of prefixes) {
    for (let band = change.firstBand; band <= change.lastBand; band += 1) {
      const at = prefix * table.stride + change.storageClass * BAND_COUNT + band;
      const tally = table.cells[at];
      const rates = bucket.rates[change.storageClass];
      const ofBand = rates?.bands[band];
      const step = stepTo(bucket, change, band);
      if (!tally || !ofBand || !step) continue;
      weighInPlace(scales.inPlace, ofBand, tally, scales.horizonMonths);
      const { large } = scales.inPlace;
      beginWeighing(scales.weighing);
      weigh(scales.weighing, rates, band, large);
      endWeighing(scales.weighing, bucket.region);

      const own = totalsOf((into) => setStepTotals(into, step, large, scales.horizonMonths));
      const others = ofBand.steps.map((other) =>
        totalsOf((into) => setStepTotals(into, other, large, scales.horizonMonths)),
      );
      const isInDoubt = isDoubtful(
        ofBand.doubts.monthly | step.band.doubts.monthly | step.transitionDoubts,
        large,
      );
      const cheapest = timesCheapest(scales, own, [scales.inPlace.stay, ...others]);
      least = Math.min(least, tenthsOf(cheapest, isInDoubt));
    }
  }
  return least;
}

/** In how many of the assumptions a total is the least of all, the weighed targets' included. */
function timesCheapest(scales: Scales, own: Scenarios, others: readonly Scenarios[]): number {
  const { weighing, horizonMonths } = scales;
  return SCENARIOS.filter(
    (reads) =>
      others.every((other) => own[reads] <= other[reads]) &&
      weighing.offers.every(
        ({ monthly, totalUsd }) => own[reads] <= monthly[reads] * horizonMonths + totalUsd,
      ),
  ).length;
}

function totalsOf(set: (into: Scenarios) => void): Scenarios {
  const totals = noMoney();
  set(totals);
  return totals;
}
