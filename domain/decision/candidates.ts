import { sumBy, groupBy } from '../common/sums.ts';
import { toScenarios, SCENARIOS, type Scenarios } from '../reads/scenarios.ts';
import { always, isBelowIn } from './amounts.ts';
import { isUntouched, movable } from './bucket.ts';
import { earlyDeletionUsd, openChanges, placementsOf, storageCost, totalOver } from './costs.ts';
import { expiresAfterDays, isShortLived } from './left-alone-rules.ts';
import type {
  Change,
  CleanUpCandidate,
  DecisionContext,
  Move,
  Placements,
  PrefixOptions,
  PricedBucket,
  PricedGroup,
} from './model.ts';
import { isTiered } from './storage-rates.ts';

/**
 * What a bucket's clean-ups delete: parts of old uploads and old versions that no rule deletes.
 * A lifecycle rule cannot exclude a prefix, so a bucket with files of this service gets none.
 */
export function cleanUps(bucket: PricedBucket): readonly CleanUpCandidate[] {
  const { inventory, leftAlone, oldVersions, abortableParts } = bucket;
  if (inventory.isRouted || leftAlone === 'kept') return [];
  const { uploads, bytes } = inventory.incompleteUploads.abortable;
  const { monthlyCostUsd } = storageCost(bucket, [abortableParts]);
  const aborts: CleanUpCandidate = {
    kind: 'abort_multipart_uploads',
    bucket,
    objects: uploads,
    bytes,
    savingsUsd: monthlyCostUsd,
    oneOffUsd: 0,
  };
  if (leftAlone === 'locked') return [aborts];
  const deletable = oldVersions.filter(({ isDeletable }) => isDeletable);
  const versions = storageCost(bucket, deletable);
  return [
    aborts,
    {
      kind: 'expire_old_versions',
      bucket,
      objects: versions.objects,
      bytes: versions.bytes,
      savingsUsd: versions.monthlyCostUsd,
      oneOffUsd: earlyDeletionUsd(bucket, deletable),
    },
  ];
}

/**
 * The answers for each prefix of a bucket, in UTF-8 order: its changes in place, and the move that
 * beats them. Migrated and protected prefixes have none.
 */
export function prefixOptions(
  context: DecisionContext,
  bucket: PricedBucket,
): readonly PrefixOptions[] {
  const { groups, migratedPrefixes } = bucket;
  const free = groups.filter(
    ({ prefix }) => !isUntouched(bucket, prefix) && !migratedPrefixes.has(prefix),
  );
  return [...groupBy(free, ({ prefix }) => prefix)].map(([prefix, ofPrefix]) =>
    optionsOf(context, bucket, prefix, ofPrefix),
  );
}

function optionsOf(
  context: DecisionContext,
  bucket: PricedBucket,
  prefix: string,
  groups: readonly PricedGroup[],
): PrefixOptions {
  const { horizonMonths } = context;
  const changes = inPlaceChanges(context, bucket, prefix, groups);
  const mayMove = movable(groups);
  if (mayMove.length === 0) {
    return { prefix, placements: null, changes, move: null, ifMeasured: null };
  }
  const placements = placementsOf(context.targets, bucket, mayMove);
  const ofMoving = changes.filter(({ group }) => group.classRates.mayMove);
  const changesUsd = changesTotal(ofMoving, horizonMonths);
  const isBetterIn = (scenarios: readonly (keyof Scenarios)[]) =>
    cheapestMove(
      { ...placements, moves: allowedMoves(context, bucket, prefix, placements) },
      changesUsd,
      horizonMonths,
      scenarios,
    );
  const move = isBetterIn(SCENARIOS);
  return { prefix, placements, changes, move, ifMeasured: move ? null : isBetterIn(CERTAIN) };
}

/** The scenarios that ask for no more than what is expected. */
const CERTAIN = ['none', 'expected'] as const;
const IN_PLACE = ['none', 'expected', 'heavy'] as const;

/** The moves of a prefix that may be recommended. */
export function allowedMoves(
  { leftOut }: DecisionContext,
  { leftAlone, leftAlonePrefixes }: PricedBucket,
  prefix: string,
  { moves }: Placements,
): readonly Move[] {
  if (leftAlone || leftAlonePrefixes.has(prefix)) return [];
  return moves.filter(({ target, refusal }) => !refusal && !leftOut.has(target.provider));
}

/** The effect of some changes on the total over the horizon. */
export function changesTotal(changes: readonly Change[], horizonMonths: number): Scenarios {
  const effects = changes.map((change) => ({
    stay: totalOver(horizonMonths, change.stay),
    changed: totalOver(horizonMonths, change.changed),
  }));
  return toScenarios((reads) =>
    sumBy(effects, ({ stay, changed }) => changed[reads] - stay[reads]),
  );
}

/** The change of class that each group of a prefix takes, for its large objects. */
function inPlaceChanges(
  { horizonMonths, startedAt }: DecisionContext,
  bucket: PricedBucket,
  prefix: string,
  groups: readonly PricedGroup[],
): readonly Change[] {
  if (isShortLived(bucket.inventory, groups, startedAt)) return [];
  const expectedUsd = (change: Change) => totalOver(horizonMonths, change.changed).expected;
  return openChanges(bucket, groups, expiresAfterDays(bucket.inventory, prefix)).flatMap((open) => {
    const changes = open.filter((change) => pays(change, horizonMonths));
    return changes.toSorted((a, b) => expectedUsd(a) - expectedUsd(b))[0] ?? [];
  });
}

/** What a class with tiers may lose is its fees: it has to save this many times as much. */
const TIMES_FEES = 5;

/**
 * | the new class  | the change pays if its total is below staying                            |
 * |----------------|--------------------------------------------------------------------------|
 * | has tiers      | at `none` and at `expected`, by more than five times its fees            |
 * | has no tiers   | at `none`, `expected` and `heavy`                                        |
 */
function pays(change: Change, horizonMonths: number): boolean {
  const stay = totalOver(horizonMonths, change.stay);
  const changed = totalOver(horizonMonths, change.changed);
  const { sheet } = change.change.to;
  if (!isTiered(sheet)) return isBelowIn(IN_PLACE, changed, stay);
  const monthlyFees = change.flowUsd + change.objects * sheet.monitoring.value;
  const fees = always(TIMES_FEES * (change.changed.oneOffUsd + horizonMonths * monthlyFees));
  return isBelowIn(
    CERTAIN,
    fees,
    toScenarios((reads) => stay[reads] - changed[reads]),
  );
}

/**
 * The cheapest of some moves at `expected` among those below staying in some scenarios and below
 * the changes in place at `expected`; ties in the catalogue's order.
 */
function cheapestMove(
  { stay, moves }: Placements,
  changesUsd: Scenarios,
  horizonMonths: number,
  scenarios: readonly (keyof Scenarios)[],
): Move | null {
  const stayTotal = totalOver(horizonMonths, stay);
  const totals = moves
    .map((move) => ({ move, total: totalOver(horizonMonths, move) }))
    .filter(
      ({ total }) =>
        isBelowIn(scenarios, total, stayTotal) &&
        total.expected < stayTotal.expected + changesUsd.expected,
    );
  return totals.toSorted((a, b) => a.total.expected - b.total.expected)[0]?.move ?? null;
}
