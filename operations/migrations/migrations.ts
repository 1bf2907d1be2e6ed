import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import type {
  ListedMigration,
  MigrationFilter,
} from '../../adapters/mongo/recommendations/account-lists.ts';
import type { Listed, Page } from '../../adapters/mongo/common/pages.ts';
import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { LedgerLine } from '../../domain/migrations/object-ledger.ts';
import {
  isEnded,
  type Confirmed,
  type MigrationRecord,
  type MigrationStatus,
} from '../../domain/migrations/migration.ts';
import { latestRound, roundId } from '../../domain/migrations/rounds.ts';
import {
  RATE_WINDOW_MS,
  recentBytesPerSecond,
  secondsLeft,
  storedProgress,
  type ConfirmedProgress,
} from '../../domain/migrations/progress.ts';
import type { MigrationView } from '../../messages/migration.ts';
import type { Deps } from '../common/deps.ts';
import { readFailures } from './report.ts';

export type MigrationDeps = Deps<
  'recommendations' | 'migrations' | 'manifests' | 'migrationCommands'
> &
  Deps<'activities' | 'now' | 'onBackgroundError'>;

export type MigrationListDeps = Deps<'accountLists' | 'manifests'>;

/** One page of migrations, with what is confirmed of those that have not ended. */
export interface ListedMigrations extends Listed<ListedMigration> {
  readonly confirmed: ReadonlyMap<string, Confirmed>;
}

/** A migration at one moment. */
export interface MigrationSnapshot {
  readonly approved: ApprovedRecommendation;
  /** As stored, maybe of an earlier round than the queued latest. Undefined before the first. */
  readonly record: MigrationRecord | undefined;
  /** The same, if it is of the latest round. */
  readonly latest: MigrationRecord | undefined;
  readonly status: MigrationStatus;
  readonly progress: ConfirmedProgress;
  readonly bytesPerSecond: number;
  readonly etaSeconds: number | null;
  /** At most 100. */
  readonly failures: readonly LedgerLine[];
  readonly updatedAt: Date;
}

/** The account's migrations as stored, the newest first. No workflow is queried. */
export async function listMigrations(
  { accountLists, manifests }: MigrationListDeps,
  { accountId }: Account,
  { limit, offset, ...filter }: Page & Omit<MigrationFilter, 'accountId'>,
): Promise<ListedMigrations> {
  const listed = await accountLists.migrations({ accountId, ...filter }, { limit, offset });
  const records = listed.items.map(({ record }) => record);
  return { ...listed, confirmed: await readConfirmed(manifests, records) };
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
 * Asks a migration to stop. No effect if it has ended.
 *
 * @throws AppError `migration_not_found`, `unavailable`
 */
export async function cancelMigration(
  deps: MigrationDeps,
  account: Account,
  actor: Actor,
  migrationId: string,
): Promise<MigrationSnapshot> {
  const approved = await findApproved(deps, account, migrationId);
  const { accountId } = approved;
  const record = await deps.migrations.findMigration({ migrationId, accountId });
  const round = latestRound(approved.approval);
  if (!record || record.round < round || !isEnded(record.status)) {
    // Stored first, so that a new run finds it if the signalled one was lost.
    const activity = describeActivity(actor, 'migration.cancelled', migrationId, deps.now());
    await deps.recommendations.requestCancel({ migrationId, accountId, round }, activity);
    await deps.activities.publish('recommendations', migrationId).catch(deps.onBackgroundError);
    await deps.migrationCommands.cancel(approved);
  }
  return await getMigration(deps, account, migrationId);
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
  return await deps.migrations.findMigration({ migrationId, accountId });
}

export async function findApproved(
  { recommendations }: Pick<MigrationDeps, 'recommendations'>,
  { accountId }: Account,
  migrationId: string,
): Promise<ApprovedRecommendation> {
  const approved = await recommendations.findApproved({ migrationId, accountId });
  if (!approved) throw new AppError('migration_not_found');
  return approved;
}

/**
 * From the workflow while it runs; from the database after its end, or if the query fails. Only the
 * workflow knows the progress of a manifest; the confirmed bytes are in the database.
 */
async function readMigration(
  deps: MigrationDeps,
  approved: ApprovedRecommendation,
): Promise<MigrationSnapshot> {
  const { migrations, migrationCommands, now } = deps;
  const key = migrationKeyOf(approved);
  const ofLatest = (record: MigrationRecord | undefined) =>
    record?.round === latestRound(approved.approval) ? record : undefined;
  const begun = ofLatest(await migrations.findMigration(key));
  const view = begun && !isEnded(begun.status) ? await migrationCommands.view(approved) : undefined;
  const [record, failures] = await Promise.all([
    migrations.findMigration(key),
    readFailures(deps.manifests, roundId({ ...key, round: latestRound(approved.approval) })),
  ]);
  // A round that has begun meanwhile was asked for meanwhile.
  const isNewer = record && record.round > latestRound(approved.approval);
  const newer = isNewer ? await deps.recommendations.findApproved(key) : undefined;
  if (newer) return await readMigration(deps, newer);
  const latest = ofLatest(record);
  const isLive = view !== undefined && latest !== undefined && !isEnded(latest.status);
  const status = currentStatus(approved, latest, isLive ? view : undefined);
  const stored = storedProgress(latest, await readConfirmed(deps.manifests, [latest]));
  const isPlanning = isLive && latest.manifest === null;
  const bytesPerSecond = status === 'copying' ? await readRate(deps, latest) : 0;
  return {
    approved,
    record,
    latest,
    status,
    progress: isPlanning ? { ...stored, ...view.progress } : stored,
    bytesPerSecond,
    etaSeconds: secondsLeft(stored, bytesPerSecond),
    failures,
    updatedAt: isLive ? now() : (latest?.updatedAt ?? requestedAt(approved)),
  };
}

/** When a person asked for the latest round. */
function requestedAt({ approval }: ApprovedRecommendation): Date {
  return approval.rounds?.at(-1)?.requestedAt ?? approval.approvedAt;
}

/** A request to cancel counts once it is stored, however late the workflow sees it. */
function currentStatus(
  { approval }: ApprovedRecommendation,
  record: MigrationRecord | undefined,
  view: MigrationView | undefined,
): MigrationStatus {
  if (record && isEnded(record.status)) return record.status;
  if (approval.cancelRequestedAt) return 'cancelling';
  return view?.status ?? record?.status ?? 'queued';
}

/** What is confirmed of the migrations whose final counts are not stored yet. */
async function readConfirmed(
  manifests: Pick<Manifests, 'confirmed'>,
  records: readonly (MigrationRecord | undefined)[],
): Promise<ReadonlyMap<string, Confirmed>> {
  const running = records.flatMap((record) =>
    record && !record.finalCounts ? [roundId(record)] : [],
  );
  return running.length > 0 ? await manifests.confirmed(running) : new Map<string, Confirmed>();
}

/** The `updatedAt` of a copying migration is the start of the copying. */
async function readRate(
  { manifests, now }: Pick<MigrationDeps, 'manifests' | 'now'>,
  record: MigrationRecord | undefined,
): Promise<number> {
  if (record?.status !== 'copying') return 0;
  const nowMs = now().getTime();
  const since = new Date(nowMs - RATE_WINDOW_MS);
  const series = await manifests.samplesSince(roundId(record), since);
  return recentBytesPerSecond(series, { nowMs, beganMs: record.updatedAt.getTime() });
}
