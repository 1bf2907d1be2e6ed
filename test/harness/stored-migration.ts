import assert from 'node:assert/strict';
import type { MigratedEntry } from '../../adapters/mongo/migrations/manifests.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import { NO_COUNTS } from '../../domain/migrations/counts.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { ScanResult } from '../../sdk/src/index.ts';
import { storeApproval } from './stored-approval.ts';

/** A migration that exists in the database only. */
export interface StoredMigration {
  readonly accountId: string;
  readonly scan: ScanResult;
  readonly recommendationId: string;
  /** The objects copied so far. */
  readonly copied: readonly MigratedEntry[];
  readonly status: 'copying' | 'completed';
}

const PAGE_KEYS = 7;

/** Stores an approval and its migration, page by page. @returns the migration's id */
export async function storeMigration(records: Records, stored: StoredMigration): Promise<string> {
  const { accountId, scan, recommendationId, copied, status } = stored;
  const { recommendations, migrations, manifests, ledger } = records;
  const found = await recommendations.findRecommendation({ recommendationId, accountId });
  assert.ok(found);
  const now = new Date();
  const migrationId = recommendationId;
  await storeApproval(records, { recommendationId, accountId }, now);
  const asOf = new Date(scan.startedAt);
  const times = { asOf, approvedAt: now, startedAt: now };
  const { cloudAccountId } = found;
  await migrations.openMigration({ migrationId, accountId, cloudAccountId, ...times });

  const sorted = copied.toSorted((a, b) => compareKeys(a.key, b.key));
  const pages = Math.ceil(sorted.length / PAGE_KEYS);
  for (let page = 0; page < pages; page += 1) {
    const from = page * PAGE_KEYS;
    const more = { lastModified: asOf.toISOString(), storageClass: 'STANDARD' };
    const entries = sorted
      .slice(from, from + PAGE_KEYS)
      .map((entry) => Object.assign({}, entry, more));
    const after = sorted[from - 1]?.key ?? null;
    const next = page === pages - 1 ? null : (entries.at(-1)?.key ?? null);
    await manifests.addPage(migrationId, page, { after, next, entries });
    const lines = entries.map(({ key, etag, sizeBytes }, place) => ({
      place,
      key,
      targetKey: `${found.bucket}/${key}`,
      bytes: sizeBytes,
      sourceEtag: etag,
      sha256: '0'.repeat(64),
      targetEtag: etag,
      outcome: 'copied' as const,
      attempts: 1,
      at: now.toISOString(),
      notCarried: [],
    }));
    await ledger.append(migrationId, page, 0, { lines, named: [] }, now);
  }
  await migrations.seal(
    { migrationId, round: 1 },
    { pages, objects: sorted.length, bytes: 0 },
    now,
  );
  const bytesMigrated = sorted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const counts = { ...NO_COUNTS, bytesMigrated };
  if (status === 'completed')
    await migrations.end({ migrationId, round: 1 }, { status, error: null, counts }, now);
  return migrationId;
}
