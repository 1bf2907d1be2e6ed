import type { Migrations } from '../../adapters/mongo/migrations.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations.ts';
import type { SourceReconciliation } from '../../adapters/mongo/source-reconciliations.ts';
import type { RateScope } from '../../domain/decision/region-rates.ts';
import { storageAtScanRates } from '../../domain/decision/quote.ts';
import { GroupSums } from '../../domain/inventory/group-sums.ts';
import type { Realised } from '../../domain/migration/migration.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import type { ScanRecord } from '../../domain/scan/scan.ts';

/** Adds to each inventory the objects that migrations have copied from its bucket. */
export function withCopied(
  buckets: readonly BucketInventory[],
  reconciliations: readonly SourceReconciliation[],
): BucketInventory[] {
  const byBucket = new Map<string, GroupSums>();
  for (const { bucket, counted } of reconciliations) {
    const groups = byBucket.get(bucket) ?? new GroupSums();
    groups.add(counted);
    byBucket.set(bucket, groups);
  }
  return buckets.map((bucket) => ({
    ...bucket,
    copied: byBucket.get(bucket.name)?.list() ?? [],
  }));
}

export interface RealisedSavingsDeps {
  readonly migrations: Pick<Migrations, 'realise'>;
  readonly recommendations: Pick<Recommendations, 'findApproved'>;
}

/**
 * Records for each completed and compared migration what it has realised: while the source still
 * holds copied objects, their monthly cost; after that, the savings of the approved option.
 */
export async function recordRealisedSavings(
  { migrations, recommendations }: RealisedSavingsDeps,
  { accountId, startedAt: asOf }: Pick<ScanRecord, 'accountId' | 'startedAt'>,
  scope: RateScope,
  reconciliations: readonly SourceReconciliation[],
): Promise<void> {
  const judged = reconciliations.filter(
    ({ isFinal, hasMigrated, outcome }) => isFinal && hasMigrated && outcome === 'compared',
  );
  if (judged.length === 0) return;
  const heldUsd = storageAtScanRates(
    scope,
    judged.map(({ region, held }) => ({ region, groups: held })),
  );
  for (const [at, { migrationId, held }] of judged.entries()) {
    const realised = isAny(held)
      ? ({ state: 'copied_not_yet_saved', monthlyUsd: heldUsd[at] ?? 0 } as const)
      : await saved(migrationId);
    if (realised) await migrations.realise(migrationId, { ...realised, asOf });
  }

  async function saved(migrationId: string): Promise<Omit<Realised, 'asOf'> | undefined> {
    const approved = await recommendations.findApproved({ migrationId, accountId });
    const option = approved?.options.find(
      ({ provider }) => provider === approved.approval.targetProvider,
    );
    return option && { state: 'saved', monthlyUsd: option.monthlySavingsUsd };
  }
}

function isAny(groups: readonly Group[]): boolean {
  return groups.some(({ objects }) => objects > 0);
}
