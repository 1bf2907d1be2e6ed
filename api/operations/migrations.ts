import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { Migrations } from '../../adapters/mongo/migrations.ts';
import type { ObjectLedger } from '../../adapters/mongo/object-ledger.ts';
import type {
  ApprovedRecommendation,
  Recommendations,
} from '../../adapters/mongo/recommendations.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { MigrationCounts } from '../../domain/migration/counts.ts';
import type { LedgerLine } from '../../domain/migration/object-ledger.ts';
import {
  isEnded,
  type MigrationProgress,
  type MigrationRecord,
  type MigrationStatus,
} from '../../domain/migration/migration.ts';
import { readFailures } from './migration-report.ts';

export interface MigrationDeps {
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly manifests: Manifests;
  readonly ledger: ObjectLedger;
  readonly migrationCommands: MigrationCommands;
  readonly now: () => Date;
}

/** A migration at one moment. */
export interface MigrationSnapshot {
  readonly approved: ApprovedRecommendation;
  /** Undefined while the migration is queued. */
  readonly record: MigrationRecord | undefined;
  readonly status: MigrationStatus;
  readonly progress: MigrationProgress;
  readonly bytesPerSecond: number;
  readonly etaSeconds: number | null;
  /** At most 100. */
  readonly failures: readonly LedgerLine[];
  /** The totals of the object ledger. */
  readonly counts: MigrationCounts;
  readonly updatedAt: Date;
}

/** @throws AppError `migration_not_found` */
export async function getMigration(
  deps: MigrationDeps,
  account: Account,
  migrationId: string,
): Promise<MigrationSnapshot> {
  return await readMigration(deps, await findApproved(deps, account, migrationId));
}

/**
 * Tells a migration to end after the objects in flight. Nothing changes where it has ended.
 *
 * @throws AppError `migration_not_found`, `unavailable`
 */
export async function cancelMigration(
  deps: MigrationDeps,
  account: Account,
  migrationId: string,
): Promise<MigrationSnapshot> {
  const approved = await findApproved(deps, account, migrationId);
  const { accountId } = approved;
  const record = await deps.migrations.find({ migrationId, accountId });
  if (!record || !isEnded(record.status)) {
    // Stored first: a run that is started again after the signalled one was lost learns of it.
    await deps.recommendations.requestCancel({ migrationId, accountId }, deps.now());
    await deps.migrationCommands.cancel(approved);
  }
  return await readMigration(deps, approved);
}

/**
 * The run of an approved migration; undefined while it is queued.
 *
 * @throws AppError `migration_not_found`
 */
export async function findMigrationRecord(
  deps: Pick<MigrationDeps, 'recommendations' | 'migrations'>,
  account: Account,
  migrationId: string,
): Promise<MigrationRecord | undefined> {
  const { accountId } = await findApproved(deps, account, migrationId);
  return await deps.migrations.find({ migrationId, accountId });
}

async function findApproved(
  { recommendations }: Pick<MigrationDeps, 'recommendations'>,
  { accountId }: Account,
  migrationId: string,
): Promise<ApprovedRecommendation> {
  const approved = await recommendations.findApproved({ migrationId, accountId });
  if (!approved) throw new AppError('migration_not_found');
  return approved;
}

/** From the workflow while it runs; from the database after its end, or where the query fails. */
async function readMigration(
  deps: MigrationDeps,
  approved: ApprovedRecommendation,
): Promise<MigrationSnapshot> {
  const { migrations, manifests, migrationCommands, now } = deps;
  const key = { migrationId: approved.approval.migrationId, accountId: approved.accountId };
  const before = await migrations.find(key);
  const view =
    before && !isEnded(before.status) ? await migrationCommands.view(approved) : undefined;
  const [record, counts, failures] = await Promise.all([
    migrations.find(key),
    manifests.counts(key.migrationId),
    readFailures(deps, key.migrationId),
  ]);
  const stored: MigrationSnapshot = {
    approved,
    record,
    status: record?.status ?? 'queued',
    progress: storedProgress(record, counts),
    bytesPerSecond: 0,
    etaSeconds: null,
    failures,
    counts,
    updatedAt: record?.updatedAt ?? approved.approval.approvedAt,
  };
  const isRunning = record !== undefined && !isEnded(record.status);
  if (!view || !isRunning) return stored;
  // The workflow learns of a slice at its end; the ledger may be ahead, and progress never goes back.
  const isBehind = view.progress.counts.bytesSettled < counts.bytesSettled;
  const progress = isBehind ? stored.progress : view.progress;
  return { ...stored, ...view, progress, updatedAt: now() };
}

/** The progress that the stored manifest and ledger show. */
function storedProgress(
  record: MigrationRecord | undefined,
  counts: MigrationCounts,
): MigrationProgress {
  return {
    objectsTotal: record?.manifest?.objects ?? 0,
    bytesTotal: record?.manifest?.bytes ?? 0,
    counts,
  };
}
