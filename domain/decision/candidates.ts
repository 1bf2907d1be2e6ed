import type { CostedObjects } from '../inventory/finding.ts';
import type {
  BucketCost,
  CleanUpCandidate,
  PricedBucket,
  InPlaceChange,
  PricedGroup,
  DecisionContext,
  MoveCost,
  PlacementCost,
  PrefixOptions,
} from './model.ts';
import { changeCost, placementCost } from './costs.ts';
import { isBelowInAll, totalOver, subtractScenarios, sumScenarios } from './amounts.ts';
import type { Scenarios } from './types.ts';
import { groupBy } from './bucket.ts';

/**
 * Deleting the parts of incomplete uploads and the old versions saves what they cost. A lifecycle rule cannot exclude a
 * prefix, so a bucket with files of this service gets none.
 */
export function cleanUps(
  bucket: PricedBucket,
  { incompleteUploads, oldVersions }: BucketCost,
): readonly CleanUpCandidate[] {
  if (bucket.inventory.isRouted) return [];
  const candidate = (
    kind: CleanUpCandidate['kind'],
    { objects, bytes, monthlyCostUsd }: CostedObjects,
  ): CleanUpCandidate => ({ kind, bucket, objects, bytes, savingsUsd: monthlyCostUsd });
  return [
    candidate('abort_multipart_uploads', incompleteUploads),
    candidate('expire_old_versions', oldVersions),
  ];
}

/**
 * The change of class that each group takes, for its large objects.
 *
 * | a change                                       | is taken                                 |
 * |------------------------------------------------|------------------------------------------|
 * | is cheaper than staying in all three scenarios | if it is the cheapest at `expected`      |
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

/**
 * The options of each prefix of a bucket, in UTF-8 order: its changes in place, and the move that
 * beats them. Only of groups that may move; migrated prefixes have none.
 */
export function prefixOptions(
  { horizonMonths, leftOut }: DecisionContext,
  { region, targets, migratedPrefixes }: PricedBucket,
  groups: readonly PricedGroup[],
  changes: readonly InPlaceChange[],
): readonly PrefixOptions[] {
  const free = groups.filter(({ prefix }) => !migratedPrefixes.has(prefix));
  const changesByPrefix = groupBy(changes, ({ group }) => group.prefix);
  return [...groupBy(free, ({ prefix }) => prefix)].map(([prefix, ofPrefix]) => {
    const cost = placementCost(targets, region, ofPrefix);
    const inPlace = changesByPrefix.get(prefix) ?? [];
    const changesUsd = changesTotal(inPlace, horizonMonths);
    const moves = cost.moves.filter(
      ({ target, refusal }) => refusal === null && !leftOut.has(target.provider),
    );
    const move = cheapestMove({ ...cost, moves }, changesUsd, horizonMonths);
    return { prefix, groups: ofPrefix, cost, changes: inPlace, changesUsd, move };
  });
}

/** The effect of some changes on the total over the horizon. */
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
 * The cheapest of some moves at `expected` among those below staying in all three scenarios and below the
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
