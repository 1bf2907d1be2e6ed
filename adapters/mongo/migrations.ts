import type { Db, WithId } from 'mongodb';
import {
  isEnded,
  type EndReason,
  type Acls,
  MIGRATION_STATUSES,
  type Manifest,
  type MigrationError,
  type MigrationRecord,
  type Realised,
} from '../../domain/migration/migration.ts';
import type { MigrationCounts } from '../../domain/migration/counts.ts';
import type { ManifestProgress } from '../../domain/migration/manifest.ts';
import { insertIfNew } from './open.ts';
import type { MigrationKey } from './recommendations.ts';

export type MigrationDocument = Omit<MigrationRecord, 'migrationId'> & {
  readonly _id: string;
  /** The progress of the manifest. It holds keys, so it is removed once the manifest is whole. */
  readonly manifestProgress?: ManifestProgress;
  /** The end is being written, for this reason: no object may be started. */
  readonly endReason?: EndReason;
  /** The start of the last scan that wrote `realised` or confirmed it. */
  readonly realisedBy?: Date;
};

/** A cloud account as one tenant sees it. */
export type SourceAccount = Pick<MigrationRecord, 'accountId' | 'cloudAccountId'>;

type RunningStatus = 'planning' | 'copying' | 'verifying' | 'cancelling';
type EndStatus = Exclude<MigrationRecord['status'], RunningStatus>;

/** How a migration ended. */
export interface MigrationEnd {
  readonly status: EndStatus;
  readonly error: MigrationError | null;
  /** The totals of the closed object ledger. */
  readonly counts: MigrationCounts;
}

/**
 * The runs of approved migrations. Only their workflows write them, except `realised`, which scans
 * write. A status changes by conditional write, and only forward.
 */
export interface Migrations {
  /** True if the migration was new; a stored one is kept. */
  open(
    migration: Pick<
      MigrationRecord,
      'migrationId' | 'accountId' | 'cloudAccountId' | 'asOf' | 'approvedAt' | 'startedAt'
    >,
  ): Promise<boolean>;
  /** Undefined before the run begins and for another account's. */
  find(key: MigrationKey): Promise<MigrationRecord | undefined>;
  /** The running and completed migrations out of a cloud account, with or without failures; the oldest first. */
  ofSource(source: SourceAccount): Promise<MigrationRecord[]>;
  findManifestProgress(migrationId: string): Promise<ManifestProgress | undefined>;
  /** Keeps stored progress if it is further along. */
  saveManifestProgress(migrationId: string, progress: ManifestProgress): Promise<void>;
  /** The ownership setting of the source's bucket. */
  noteAcls(migrationId: string, acls: Acls): Promise<void>;
  /** The manifest is whole: planning → copying. */
  seal(migrationId: string, manifest: Manifest, now: Date): Promise<void>;
  /** copying → verifying. */
  verify(migrationId: string, now: Date): Promise<void>;
  /** A user has cancelled it: planning, copying, verifying → cancelling. */
  cancel(migrationId: string, now: Date): Promise<void>;
  /** The status while objects may be copied; undefined from the end on. */
  openStatus(migrationId: string): Promise<RunningStatus | undefined>;
  /** From now on no object may be started, and the migration ends. A stored reason is kept. */
  close(migrationId: string, reason: EndReason): Promise<void>;
  /** Why a running migration ends; undefined if it has not begun to end. */
  findEndReason(migrationId: string): Promise<EndReason | undefined>;
  /** Does nothing if the migration has ended. */
  end(migrationId: string, end: MigrationEnd, now: Date): Promise<void>;
  /** Keeps the result of a later scan, and the time since which it is `saved`. */
  realise(migrationId: string, realised: Realised): Promise<void>;
}

const RUNNING = MIGRATION_STATUSES.filter((status) => !isEnded(status));
const RUNNING_OR_COMPLETED = [...RUNNING, 'completed', 'completed_with_failures'];
const WITHOUT_PROGRESS = { projection: { manifestProgress: 0 } };

export function createMigrations(db: Db): Migrations {
  const migrations = db.collection<MigrationDocument>('migrations');
  const isRunning = { status: { $in: RUNNING as RunningStatus[] } };

  return {
    async open({ migrationId, ...key }) {
      return await insertIfNew(() =>
        migrations.insertOne({
          _id: migrationId,
          ...key,
          status: 'planning',
          manifest: null,
          acls: 'unknown',
          updatedAt: key.startedAt,
          completedAt: null,
          error: null,
          finalCounts: null,
          realised: null,
        }),
      );
    },

    async find({ migrationId, accountId }) {
      const document = await migrations.findOne({ _id: migrationId }, WITHOUT_PROGRESS);
      return document?.accountId === accountId ? toMigration(document) : undefined;
    },

    async ofSource(source) {
      const documents = await migrations
        .find(
          {
            ...source,
            status: { $in: RUNNING_OR_COMPLETED as MigrationRecord['status'][] },
          },
          WITHOUT_PROGRESS,
        )
        .sort({ startedAt: 1, _id: 1 })
        .toArray();
      return documents.map(toMigration);
    },

    async findManifestProgress(migrationId) {
      return (
        await migrations.findOne({ _id: migrationId }, { projection: { manifestProgress: 1 } })
      )?.manifestProgress;
    },

    async saveManifestProgress(migrationId, progress) {
      await migrations.updateOne(
        {
          _id: migrationId,
          status: 'planning',
          $or: [
            { manifestProgress: { $exists: false } },
            { 'manifestProgress.pages': { $lt: progress.pages } },
          ],
        },
        { $set: { manifestProgress: progress } },
      );
    },

    async noteAcls(migrationId, acls) {
      await migrations.updateOne({ _id: migrationId, ...isRunning }, { $set: { acls } });
    },

    async seal(migrationId, manifest, now) {
      await migrations.updateOne(
        { _id: migrationId, status: 'planning' },
        {
          $set: { status: 'copying', manifest, updatedAt: now },
          $unset: { manifestProgress: true },
        },
      );
    },

    async verify(migrationId, now) {
      await migrations.updateOne(
        { _id: migrationId, status: 'copying' },
        { $set: { status: 'verifying', updatedAt: now } },
      );
    },

    async cancel(migrationId, now) {
      await migrations.updateOne(
        { _id: migrationId, ...isRunning },
        { $set: { status: 'cancelling', updatedAt: now } },
      );
    },

    async openStatus(migrationId) {
      const open = { _id: migrationId, ...isRunning, endReason: { $exists: false } };
      const found = await migrations.findOne(open, { projection: { status: 1 } });
      return found?.status as RunningStatus | undefined;
    },

    async close(migrationId, endReason) {
      await migrations.updateOne(
        { _id: migrationId, ...isRunning, endReason: { $exists: false } },
        { $set: { endReason } },
      );
    },

    async findEndReason(migrationId) {
      const fields = { projection: { endReason: 1 } };
      return (await migrations.findOne({ _id: migrationId }, fields))?.endReason;
    },

    async end(migrationId, { status, error, counts }, now) {
      await migrations.updateOne(
        { _id: migrationId, ...isRunning },
        {
          $set: { status, error, finalCounts: counts, updatedAt: now, completedAt: now },
          $unset: { manifestProgress: true },
        },
      );
    },

    async realise(migrationId, { state, asOf, monthlyUsd }) {
      const isNewer = [{ realisedBy: { $exists: false } }, { realisedBy: { $lt: asOf } }];
      const { matchedCount } = await migrations.updateOne(
        { _id: migrationId, 'realised.state': { $ne: 'saved' }, $or: isNewer },
        { $set: { realised: { state, asOf, monthlyUsd }, realisedBy: asOf } },
      );
      if (matchedCount === 1) return;
      const since = state === 'saved' ? {} : { realised: { state, asOf, monthlyUsd } };
      await migrations.updateOne(
        { _id: migrationId, 'realised.state': 'saved', $or: isNewer },
        { $set: { ...since, realisedBy: asOf } },
      );
    },
  };
}

export function toMigration({
  _id,
  manifestProgress: _progress,
  endReason: _endReason,
  realisedBy: _realisedBy,
  ...rest
}: WithId<MigrationDocument>): MigrationRecord {
  return { migrationId: _id, ...rest };
}
