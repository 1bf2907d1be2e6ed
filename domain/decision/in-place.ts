import { changeCost } from './costs.ts';
import type { InPlaceChange, PricedGroup } from './model.ts';
import { isBelowInAll, totalOver } from './scenarios.ts';

/**
 * The change of class that each group takes, for its large objects.
 *
 * | a change                                       | is taken                                 |
 * |------------------------------------------------|------------------------------------------|
 * | is cheaper than staying in all three scenarios | where it is the cheapest at `expected`   |
 * | is not                                         | never                                    |
 * | is as cheap as another                         | in the order of the price book's changes |
 */
export function inPlaceChanges(
  groups: readonly PricedGroup[],
  horizonMonths: number,
): readonly InPlaceChange[] {
  return groups.flatMap((group) => cheapestChange(group, horizonMonths) ?? []);
}

function cheapestChange(group: PricedGroup, horizonMonths: number): InPlaceChange | undefined {
  const options = group.rates.changes
    .map((change) => ({ group, change, cost: changeCost([group], change.to.storageClass) }))
    .filter(({ cost }) =>
      isBelowInAll(
        totalOver(horizonMonths, cost.changed, cost.transitionUsd),
        totalOver(horizonMonths, cost.stay),
      ),
    );
  const expectedUsd = ({ cost }: InPlaceChange) =>
    totalOver(horizonMonths, cost.changed, cost.transitionUsd).expected;
  return options.toSorted((a, b) => expectedUsd(a) - expectedUsd(b))[0];
}
