import { costOf } from './costs.ts';
import { groupBy } from './grouping.ts';
import type {
  DecisionContext,
  InPlaceChange,
  MoveCost,
  PlacementCost,
  PrefixOptions,
  PricedBucket,
  PricedGroup,
} from './model.ts';
import type { Scenarios } from '../pricing/read-scenarios.ts';
import { isBelowInAll, subtractScenarios, sumScenarios, totalOver } from './scenarios.ts';

/**
 * The options of each prefix of a bucket, in UTF-8 order: its changes in place, and the move that
 * beats them. Only of groups that may move; prefixes that hold copied objects have none.
 */
export function prefixOptions(
  { targets, horizonMonths }: DecisionContext,
  { region, copiedPrefixes }: PricedBucket,
  groups: readonly PricedGroup[],
  changes: readonly InPlaceChange[],
): readonly PrefixOptions[] {
  const free = groups.filter(({ prefix }) => !copiedPrefixes.has(prefix));
  const changesByPrefix = groupBy(changes, ({ group }) => group.prefix);
  return [...groupBy(free, ({ prefix }) => prefix)].map(([prefix, ofPrefix]) => {
    const cost = costOf(targets, region, ofPrefix);
    const inPlace = changesByPrefix.get(prefix) ?? [];
    const changesUsd = changesTotal(inPlace, horizonMonths);
    const move = cheapestMove(cost, changesUsd, horizonMonths);
    return { prefix, groups: ofPrefix, cost, changes: inPlace, changesUsd, move };
  });
}

/** What some changes add to the total over the horizon. */
function changesTotal(changes: readonly InPlaceChange[], horizonMonths: number): Scenarios {
  return sumScenarios(
    changes.map(({ cost }) =>
      subtractScenarios(
        totalOver(horizonMonths, cost.changed, cost.transitionUsd),
        totalOver(horizonMonths, cost.stay),
      ),
    ),
  );
}

/**
 * The cheapest move at `expected` among those below staying in all three scenarios and below the
 * changes in place at `expected`; ties in the catalogue's order.
 */
function cheapestMove(
  { stay, moves }: PlacementCost,
  changesUsd: Scenarios,
  horizonMonths: number,
): MoveCost | null {
  const stayTotal = totalOver(horizonMonths, stay);
  const total = ({ monthly, quote }: MoveCost) => totalOver(horizonMonths, monthly, quote.totalUsd);
  const better = moves.filter(
    (move) =>
      isBelowInAll(total(move), stayTotal) &&
      total(move).expected < stayTotal.expected + changesUsd.expected,
  );
  return better.toSorted((a, b) => total(a).expected - total(b).expected)[0] ?? null;
}
