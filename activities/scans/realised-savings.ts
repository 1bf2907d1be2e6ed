import { groupBy } from '../../domain/common/sums.ts';
import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import { GroupSums } from '../../domain/inventory/group-sums.ts';
import { roundUsd } from '../../domain/pricing/money.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import type { ScanRecord } from '../../domain/scans/scan.ts';
import type { ScanContext } from '../contexts.ts';

/** Adds what migrations have copied from each bucket, and what ended ones were to move. */
export function withMigrations(
  buckets: readonly BucketInventory[],
  reconciliations: readonly SourceReconciliation[],
): BucketInventory[] {
  const byBucket = groupBy(reconciliations, ({ bucket }) => bucket);
  return buckets.map((inventory) => {
    const ofBucket = byBucket.get(inventory.name) ?? [];
    const copied = new GroupSums();
    for (const { counted } of ofBucket) copied.add(counted);
    const migrations = [...groupBy(ofBucket, ({ migrationId }) => migrationId)];
    const moved = migrations
      .filter(([, rounds]) => isMoved(rounds))
      .map(([migrationId, [{ prefix }]]) => ({ migrationId, prefix }));
    return { ...inventory, copied: copied.list(), moved };
  });
}

/**
 * Whether one of its rounds has ended, and the source still holds something of what they have
 * copied. Where it holds none of it, what is there came since, and is a matter of its own.
 */
function isMoved(rounds: readonly SourceReconciliation[]): boolean {
  return rounds.some(({ isFinal }) => isFinal) && rounds.some(({ counted }) => counted.length > 0);
}

/**
 * Records for each completed and compared migration whether its source is released: once that holds
 * none of the copied keys. The amount is what a bill should show: the approved option's, in the
 * proportion of the copied bytes.
 */
export async function recordRealisedSavings(
  { migrations, recommendations }: ScanContext,
  { accountId, startedAt: asOf }: Pick<ScanRecord, 'accountId' | 'startedAt'>,
  reconciliations: readonly SourceReconciliation[],
): Promise<void> {
  for (const [migrationId, rounds] of groupBy(reconciliations, (each) => each.migrationId)) {
    const isKnown = rounds.every(({ isFinal, outcome }) => isFinal && outcome === 'compared');
    if (!isKnown || !rounds.some(({ hasMigrated }) => hasMigrated)) continue;
    const approved = await recommendations.findApproved({ migrationId, accountId });
    const option = approved?.options.find(
      ({ provider }) => provider === approved.approval.targetProvider,
    );
    if (!approved || !option) continue;
    const isReleased = rounds.every(({ holdsKeys }) => holdsKeys === false);
    const state = isReleased ? 'released' : 'copied_not_yet_released';
    const bytes = rounds.reduce((sum, { bytesMigrated }) => sum + bytesMigrated, 0);
    const share = approved.bytes === 0 ? 0 : bytes / approved.bytes;
    const monthlyUsd = roundUsd(option.monthlySavingsUsd * share);
    await migrations.realise(migrationId, { state, asOf, monthlyUsd });
  }
}
