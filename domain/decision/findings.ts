import { isBelowLimit } from '../common/sums.ts';
import {
  findingMessage,
  type CostedObjects,
  type Finding,
  type FindingCode,
  type FindingFacts,
  type Remainder,
} from '../inventory/finding.ts';
import { isArchived } from './bucket.ts';
import { savingsUsd, storageCost, sumCosts, undersizedCost } from './costs.ts';
import type { Minimums } from './minimum.ts';
import type { BucketCost, DecisionContext, PrefixOptions, PricedBucket } from './model.ts';
import { shown } from './amounts.ts';

const NO_OBJECTS: CostedObjects = { objects: 0, bytes: 0, monthlyCostUsd: 0 };

/** The findings of one bucket, in the order of `FINDING_CODES`. */
export function bucketFindings(
  context: DecisionContext,
  bucket: PricedBucket,
  cost: BucketCost,
  options: readonly PrefixOptions[],
  withoutSelector: Remainder,
): readonly Finding[] {
  const { lifecycle, incompleteUploads, deleteMarkers } = bucket.inventory;
  const { oldVersions, copied } = cost;
  const archived = storageCost(bucket, bucket.totals.filter(isArchived));
  const small = sumCosts(
    bucket.totals.filter(({ classRates }) => classRates.hasSheet).map(undersizedCost),
  );
  const uploads = { ...cost.incompleteUploads, oldestAt: incompleteUploads.oldestAt };
  const versions = { ...oldVersions, deleteMarkers };
  const mayLackAbortRule = lifecycle === 'none' || lifecycle === 'without_abort';
  return [
    ...findingIf(archived.objects > 0, 'needs_restore', archived),
    ...findingIf(uploads.objects > 0, 'incomplete_multipart_uploads', uploads),
    ...findingIf(versions.objects > 0 || deleteMarkers > 0, 'old_versions', versions),
    ...findingIf(mayLackAbortRule, 'no_abort_multipart_rule', NO_OBJECTS),
    ...findingIf(lifecycle === 'none', 'no_lifecycle_rule', NO_OBJECTS),
    ...findingIf(small.objects > 0, 'small_objects', small),
    ...findingIf(isEmpty(bucket), 'empty_bucket', NO_OBJECTS),
    ...findingIf(copied.objects > 0, 'copied_not_yet_released', copied),
    ...cost.notMoved.flatMap((left) => findingIf(left.objects > 0, 'not_moved_yet', left)),
    ...findingIf(withoutSelector.answers > 0, 'no_selector', withoutSelector),
    ...measureFinding(context, bucket, options),
  ];
}

/** What would move if nobody asked who reads it, where that saves enough: measuring decides it. */
function measureFinding(
  { minMoveMonthlySavingsUsd }: DecisionContext,
  { inventory, reads, region }: PricedBucket,
  options: readonly PrefixOptions[],
): readonly Finding[] {
  // Only beside a cloud's own machines does it matter who reads.
  if (reads.source === 'measured' || region.insideReadPerGb === 0) return [];
  const withheld = options.flatMap(({ placements, ifMeasured: move }) => {
    if (!placements || !move) return [];
    const { objects, bytes } = placements.total;
    return [{ objects, bytes, monthlyCostUsd: savingsUsd(placements.stay, move), move }];
  });
  const sum = sumCosts(withheld);
  const isWorthIt =
    withheld.length > 0 && !isBelowLimit(sum.monthlyCostUsd, minMoveMonthlySavingsUsd);
  const stores = [...new Set(withheld.map(({ move }) => move.target.title))];
  return findingIf(isWorthIt, 'measure_reads', { ...sum, stores, bucket: inventory.name });
}

/** The findings of the whole scan: candidates that are not listed. */
export function scanFindings(
  belowMinimum: Remainder,
  more: Remainder,
  { minMonthlySavingsUsd, minMoveMonthlySavingsUsd }: Minimums,
): readonly Finding[] {
  return [
    ...findingIf(belowMinimum.answers > 0, 'below_minimum', {
      ...belowMinimum,
      minMonthlySavingsUsd,
      minMoveMonthlySavingsUsd,
    }),
    ...findingIf(more.answers > 0, 'more_recommendations', more),
  ];
}

function findingIf<Code extends FindingCode>(
  isFound: boolean,
  code: Code,
  facts: FindingFacts[Code],
): readonly Finding[] {
  if (!isFound) return [];
  const { objects, bytes, monthlyCostUsd } = facts;
  const message = findingMessage(code, facts);
  const migration = 'migrationId' in facts ? { migrationId: facts.migrationId } : {};
  return [{ code, message, objects, bytes, monthlyCostUsd: shown(monthlyCostUsd), ...migration }];
}

function isEmpty({ groups, inventory, oldVersions }: PricedBucket): boolean {
  return (
    groups.length === 0 &&
    oldVersions.every(({ statistics }) => statistics.objects === 0) &&
    inventory.deleteMarkers === 0 &&
    inventory.incompleteUploads.uploads === 0
  );
}
