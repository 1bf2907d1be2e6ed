import { sumStatistics } from '../inventory/statistics.ts';
import { groupBy, movableGroups, totalsByClass } from './bucket.ts';
import { monthlyCost, moveQuote, placementCost, savingsUsd, storageCost } from './costs.ts';
import type { DecisionContext, PricedBucket, PricedObjects, Target } from './model.ts';
import { breakEvenMonths, isBelowLimit, shown, sumBy, sumScenarios, totalOver } from './amounts.ts';
import { openFreeEgress } from './selection.ts';
import type { Scenarios, ExitScenario, Quote } from './types.ts';

/** A bucket with its objects that may move, by class and age band. */
interface Leaving {
  readonly bucket: PricedBucket;
  readonly objects: readonly PricedObjects[];
}

/** One provider for everything, over all regions. */
interface Exit {
  readonly target: Target;
  readonly isRefused: boolean;
  readonly monthly: Scenarios;
  readonly oneOffUsd: number;
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
  { horizonMonths }: DecisionContext,
  buckets: readonly PricedBucket[],
): ExitScenario | null {
  const leaving = buckets
    .map((bucket) => ({ bucket, objects: totalsByClass(movableGroups(bucket)) }))
    .filter(({ objects }) => objects.length > 0);
  const first = leaving[0]?.bucket;
  if (!first) return null;
  const costs = leaving.map(({ bucket, objects }) =>
    placementCost(bucket.targets, bucket.region, objects),
  );
  const exitTo = (target: Target): Exit => {
    const quotes = quotesByRegion(leaving, target, openFreeEgress(first.region));
    const moves = costs.flatMap((cost) =>
      cost.moves.filter((move) => move.target.provider === target.provider),
    );
    return {
      target,
      isRefused: moves.some(({ refusal }) => refusal !== null),
      monthly: sumScenarios(moves.map(({ monthly }) => monthly)),
      oneOffUsd: sumBy(quotes, ({ totalUsd }) => totalUsd),
      oneOffWithExitWaiverUsd: sumBy(quotes, (quote) => quote.totalWithExitWaiverUsd),
    };
  };
  const total = (exit: Exit) => totalOver(horizonMonths, exit.monthly, exit.oneOffUsd).expected;
  const [best] = first.targets
    .map(exitTo)
    .filter(({ target, monthly, isRefused }) => {
      return !isRefused && !isBelowLimit(monthly.none, target.floorUsdPerMonth);
    })
    .sort((a, b) => total(a) - total(b));
  if (!best) return null;
  const stay = sumScenarios(costs.map((cost) => cost.stay));
  const savings = savingsUsd(stay, best.monthly);
  return {
    provider: best.target.provider,
    monthlyCostUsd: shown(best.monthly.none),
    remainingMonthlyUsd: shown(sumBy(buckets, remainingUsd)),
    oneOffUsd: shown(best.oneOffUsd),
    oneOffWithExitWaiverUsd: shown(best.oneOffWithExitWaiverUsd),
    breakEvenMonths: breakEvenMonths(best.oneOffUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(best.oneOffWithExitWaiverUsd, savings),
  };
}

/** Of all that may leave a region at once; what one region leaves of the free egress is the next one's. */
function quotesByRegion(
  leaving: readonly Leaving[],
  target: Target,
  takeFreeGb: (bytes: number) => number,
): readonly Quote[] {
  return [...groupBy(leaving, ({ bucket }) => bucket.region.region).values()].map((inRegion) => {
    const objects = totalsByClass(inRegion.flatMap((each) => each.objects));
    const total = sumStatistics(objects.map(({ statistics }) => statistics));
    const { region } = inRegion[0].bucket;
    return moveQuote(target, region, objects, total, takeFreeGb(total.bytes));
  });
}

/**
 * The present cost of what may not move: archives, classes without prices, what is left alone, old versions, parts of
 * uploads.
 */
function remainingUsd(bucket: PricedBucket): number {
  const { groups, oldVersions, uploadParts } = bucket;
  const leaving = new Set(movableGroups(bucket));
  const staying = totalsByClass(groups.filter((group) => !leaving.has(group)));
  const current = sumBy(staying, ({ rates, statistics }) => monthlyCost(rates, statistics).none);
  return current + storageCost([...oldVersions, uploadParts]).monthlyCostUsd;
}
