import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { LookBackWork } from '../adapters/mongo/scan-look-backs.ts';
import type { RateScope } from '../domain/decision/region-rates.ts';
import { storageAtScanRates } from '../domain/decision/scan-storage-cost.ts';
import { HeldGroups } from '../domain/migration/source-reconciliation.ts';
import type { Realised } from '../domain/migration/migration.ts';
import type { BucketInventory, Group } from '../domain/inventory/inventory.ts';
import type { ScanRecord } from '../domain/scan/scan.ts';

/** The inventories of a scan with what migrations have copied from each bucket. */
export function withCopied(
  buckets: readonly BucketInventory[],
  looks: readonly LookBackWork[],
): BucketInventory[] {
  const byBucket = new Map<string, HeldGroups>();
  for (const { bucket, counted } of looks) {
    const groups = byBucket.get(bucket) ?? new HeldGroups();
    groups.add(counted);
    byBucket.set(bucket, groups);
  }
  return buckets.map((bucket) => ({
    ...bucket,
    copied: byBucket.get(bucket.name)?.list() ?? [],
  }));
}

export interface VerdictDeps {
  readonly migrations: Pick<Migrations, 'realise'>;
  readonly recommendations: Pick<Recommendations, 'find'>;
}

/**
 * Tells every completed migration that was compared what became of its source: as long as anything
 * is held there, what that costs; after that, what the approved option was to save.
 */
export async function realiseAll(
  { migrations, recommendations }: VerdictDeps,
  { accountId, startedAt: asOf }: Pick<ScanRecord, 'accountId' | 'startedAt'>,
  stock: RateScope,
  looks: readonly LookBackWork[],
): Promise<void> {
  const judged = looks.filter(
    ({ isFinal, hasCarried, outcome }) => isFinal && hasCarried && outcome === 'compared',
  );
  if (judged.length === 0) return;
  const heldUsd = storageAtScanRates(
    stock,
    judged.map(({ region, held }) => ({ region, groups: held })),
  );
  for (const [at, { migrationId, recommendationId, held }] of judged.entries()) {
    const realised = isAny(held)
      ? ({ state: 'copied_not_yet_saved', monthlyUsd: heldUsd[at] ?? 0 } as const)
      : await saved(recommendationId);
    if (realised) await migrations.realise(migrationId, { ...realised, asOf });
  }

  async function saved(recommendationId: string): Promise<Omit<Realised, 'asOf'> | undefined> {
    const recommended = await recommendations.find({ recommendationId, accountId });
    const option = recommended?.options.find(
      ({ provider }) => provider === recommended.approval?.targetProvider,
    );
    return option && { state: 'saved', monthlyUsd: option.monthlySavingsUsd };
  }
}

function isAny(groups: readonly Group[]): boolean {
  return groups.some(({ objects }) => objects > 0);
}
