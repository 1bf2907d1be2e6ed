import { movable, totalsByClass, groupBy } from './bucket.ts';
import { placementCost, savingsUsd, storageCost } from './costs.ts';
import type { DecisionContext, PlacementCost, PricedBucket } from './model.ts';
import { breakEvenMonths, shown, sumBy, sumScenarios, totalOver } from './amounts.ts';
import type { Scenarios, ExitScenario } from './types.ts';

/** One provider for everything, over all regions. */
interface Exit {
  readonly provider: ExitScenario['provider'];
  readonly monthly: Scenarios;
  readonly oneOffUsd: number;
  readonly oneOffWithExitWaiverUsd: number;
}

/**
 * Everything that may move, moved to the one provider with the lowest total over the horizon at
 * `expected`; one quote per region. Null if nothing may move.
 */
export function exitScenario(
  { targets, horizonMonths }: DecisionContext,
  buckets: readonly PricedBucket[],
): ExitScenario | null {
  const leaving = buckets.filter(({ totals }) => movable(totals).length > 0);
  if (leaving.length === 0) return null;
  const regions = [...groupBy(leaving, ({ region }) => region.region).values()].map((inRegion) =>
    placementCost(
      targets,
      inRegion[0].region,
      totalsByClass(inRegion.flatMap(({ totals }) => movable(totals))),
    ),
  );
  const total = (exit: Exit) => totalOver(horizonMonths, exit.monthly, exit.oneOffUsd).expected;
  const [best] = targets
    .map(({ provider }) => exitTo(provider, regions))
    .sort((a, b) => total(a) - total(b));
  if (!best) return null;
  const stay = sumScenarios(regions.map((region) => region.stay));
  const savings = savingsUsd(stay, best.monthly);
  return {
    provider: best.provider,
    monthlyCostUsd: shown(best.monthly.none),
    remainingMonthlyUsd: shown(sumBy(buckets, remainingUsd)),
    oneOffUsd: shown(best.oneOffUsd),
    oneOffWithExitWaiverUsd: shown(best.oneOffWithExitWaiverUsd),
    breakEvenMonths: breakEvenMonths(best.oneOffUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(best.oneOffWithExitWaiverUsd, savings),
  };
}

/** The storage of what may not move: archives, classes without prices, old versions, parts of uploads. */
function remainingUsd({ totals, oldVersions, uploadParts }: PricedBucket): number {
  const staying = totals.filter(({ classRates }) => !classRates.mayMove);
  return storageCost([...staying, ...oldVersions, uploadParts]).monthlyCostUsd;
}

function exitTo(provider: Exit['provider'], regions: readonly PlacementCost[]): Exit {
  const moves = regions.flatMap((region) =>
    region.moves.filter(({ target }) => target.provider === provider),
  );
  return {
    provider,
    monthly: sumScenarios(moves.map(({ monthly }) => monthly)),
    oneOffUsd: sumBy(moves, ({ quote }) => quote.totalUsd),
    oneOffWithExitWaiverUsd: sumBy(moves, ({ quote }) => quote.totalWithExitWaiverUsd),
  };
}
