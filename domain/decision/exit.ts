import { isBelowLimit, sumBy, groupBy } from '../common/sums.ts';
import { sumStatistics } from '../inventory/statistics.ts';
import { breakEvenMonths, shown } from './amounts.ts';
import { isUntouched, movable, totalsByClass } from './bucket.ts';
import {
  currentCost,
  currentUsd,
  moveQuote,
  placementsOf,
  savingsUsd,
  sumForecasts,
  totalOver,
} from './costs.ts';
import type { DecisionContext, Forecast, Placements, PricedBucket } from './model.ts';
import type { Target } from './region-rates.ts';
import { openFreeEgress } from './selection.ts';
import type { ExitScenario, Quote } from './types.ts';

/** A bucket with what of it may move. */
interface Leaving {
  readonly bucket: PricedBucket;
  readonly placements: Placements;
}

/** One provider for everything, over all regions. */
interface Exit extends Forecast {
  readonly target: Target;
  readonly isRefused: boolean;
  readonly oneOffWithExitWaiverUsd: number;
}

/**
 * Everything that may move, moved to the one provider with the lowest total over the horizon at
 * `expected`; one quote per region, the free egress of the source once. Null if nothing may move.
 *
 * | a provider                                        | is                |
 * |---------------------------------------------------|-------------------|
 * | refuses the egress of some objects                | passed over       |
 * | would cost less a month there than its floor      | passed over       |
 */
export function exitScenario(
  { horizonMonths, targets }: DecisionContext,
  buckets: readonly PricedBucket[],
): ExitScenario | null {
  const leaving = buckets.flatMap((bucket): Leaving[] => {
    const objects = totalsByClass(leavingGroups(bucket));
    return objects.length > 0
      ? [{ bucket, placements: placementsOf(targets, bucket, objects) }]
      : [];
  });
  const [first] = leaving;
  if (!first) return null;
  const exitTo = (target: Target): Exit => {
    const takeFreeGb = openFreeEgress(first.bucket.region);
    const quotes = quotesByRegion(leaving, target, takeFreeGb);
    const moves = leaving.flatMap(({ placements }) =>
      placements.moves.filter((move) => move.target.provider === target.provider),
    );
    return {
      ...sumForecasts(moves),
      target,
      isRefused: moves.some(({ refusal }) => refusal !== null),
      oneOffUsd: sumBy(quotes, ({ totalUsd }) => totalUsd),
      oneOffWithExitWaiverUsd: sumBy(quotes, (quote) => quote.totalWithExitWaiverUsd),
    };
  };
  const total = (exit: Exit) => totalOver(horizonMonths, exit).expected;
  const [best] = targets
    .map(exitTo)
    .filter(
      ({ target, shownUsd, isRefused }) =>
        !isRefused && !isBelowLimit(shownUsd, target.floorUsdPerMonth),
    )
    .sort((a, b) => total(a) - total(b));
  if (!best) return null;
  const stay = sumForecasts(leaving.map(({ placements }) => placements.stay));
  const savings = savingsUsd(stay, best);
  const current = sumBy(buckets, (bucket) => currentUsd(currentCost(bucket)));
  const leavingUsd = sumBy(leaving, ({ placements }) => placements.stay.shownUsd);
  return {
    provider: best.target.provider,
    monthlyCostUsd: shown(best.shownUsd),
    remainingMonthlyUsd: shown(current - leavingUsd, current),
    oneOffUsd: shown(best.oneOffUsd),
    oneOffWithExitWaiverUsd: shown(best.oneOffWithExitWaiverUsd),
    breakEvenMonths: breakEvenMonths(best.oneOffUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(best.oneOffWithExitWaiverUsd, savings),
  };
}

/** All but archived classes, and what is routed, kept or locked. */
function leavingGroups(bucket: PricedBucket) {
  if (bucket.leftAlone === 'locked') return [];
  return movable(bucket.groups).filter(({ prefix }) => !isUntouched(bucket, prefix));
}

/** For all that leaves a region at once; free egress that one region leaves goes to the next. */
function quotesByRegion(
  leaving: readonly Leaving[],
  target: Target,
  takeFreeGb: (bytes: number) => number,
): readonly Quote[] {
  return [...groupBy(leaving, ({ bucket }) => bucket.region.region).values()].map((inRegion) => {
    const objects = totalsByClass(inRegion.flatMap(({ placements }) => placements.objects));
    const total = sumStatistics(objects.map(({ statistics }) => statistics));
    const { region } = inRegion[0].bucket;
    return moveQuote(target, region, objects, total, takeFreeGb(total.bytes));
  });
}
