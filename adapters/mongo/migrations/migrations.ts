import type { TargetCapabilities } from '../../../domain/providers/capabilities.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
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
} from '../../../domain/migrations/migration.ts';
import { NO_COUNTS, type MigrationCounts } from '../../../domain/migrations/counts.ts';
import { EMPTY_MANIFEST, type ManifestProgress } from '../../../domain/migrations/manifest.ts';
import { endedRound, type RoundKey } from '../../../domain/migrations/rounds.ts';
import { emitting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew } from '../common/open.ts';

/** A migration of before there were rounds has none of these. */
type RoundFields = 'round' | 'earlierRounds' | 'roundStartedAt';

export type MigrationDocument = Omit<MigrationRecord, 'migrationId' | RoundFields> &
  Partial<Pick<MigrationRecord, RoundFields>> &
  WithOutbox & {
    readonly _id: string;
    /** The progress of the manifest. It holds keys, so it is removed once the manifest is whole. */
    readonly manifestProgress?: ManifestProgress;
    /** The end is being written, for this reason: no object may be started. */
    readonly endReason?: EndReason;
    /** The start of the last scan that wrote `realised` or confirmed it. */
    readonly realisedBy?: Date;
  };

export interface MigrationKey {
  readonly migrationId: string;
  readonly accountId: string;
}

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
  /** The first round. True if the migration was new; a stored one is kept. */
  openMigration(
    migration: Pick<
      MigrationRecord,
      'migrationId' | 'accountId' | 'cloudAccountId' | 'asOf' | 'approvedAt' | 'startedAt'
    >,
  ): Promise<boolean>;
  /** Begins a later round, once the one before it has ended. False if that has been done, or is too early. */
  openRound(key: Required<RoundKey> & Pick<MigrationKey, 'accountId'>, now: Date): Promise<boolean>;
  /** Undefined before the first run begins and for another account's. */
  findMigration(key: MigrationKey): Promise<MigrationRecord | undefined>;
  /** Those of an account among the ids, in any order; of one that has not begun there is none. */
  findAll(accountId: string, migrationIds: readonly string[]): Promise<MigrationRecord[]>;
  /**
   * A check that began in this round has found the source ready to be given up; kept for ever. False if a later round
   * has begun.
   */
  noteReleased(round: Required<RoundKey>): Promise<boolean>;
  /** The migrations out of a cloud account of which a round runs or has completed, with or without failures; the oldest first. */
  ofSource(source: SourceAccount): Promise<MigrationRecord[]>;
  findManifestProgress(round: RoundKey): Promise<ManifestProgress | undefined>;
  /** Keeps stored progress if it is further along. */
  saveManifestProgress(round: RoundKey, progress: ManifestProgress): Promise<void>;
  /** The ownership setting of the source's bucket. */
  noteAcls(round: RoundKey, acls: Acls): Promise<void>;
  /** What the canary of the round has found the target to do. */
  noteTarget(round: RoundKey, capabilities: Partial<TargetCapabilities>): Promise<void>;
  /** The manifest is whole: planning → copying. */
  seal(round: RoundKey, manifest: Manifest, now: Date): Promise<void>;
  /** copying → verifying. */
  verify(round: RoundKey, now: Date): Promise<void>;
  /** A user has cancelled it: planning, copying, verifying → cancelling. */
  cancel(round: RoundKey, now: Date): Promise<void>;
  /** The status while objects may be copied; undefined from the end on. */
  openStatus(round: RoundKey): Promise<RunningStatus | undefined>;
  /** From now on no object may be started, and the migration ends. A stored reason is kept. */
  close(round: RoundKey, reason: EndReason): Promise<void>;
  /** Why a running migration ends; undefined if it has not begun to end. */
  findEndReason(round: RoundKey): Promise<EndReason | undefined>;
  /** Does nothing if the migration has ended. */
  end(
    round: RoundKey,
    end: MigrationEnd,
    now: Date,
    events?: readonly ServiceEvent[],
  ): Promise<void>;
  /** Keeps the result of a later scan, and the time since which it is `saved`. */
  realise(migrationId: string, realised: Realised): Promise<void>;
}

const RUNNING = MIGRATION_STATUSES.filter((status) => !isEnded(status));
const COMPLETED = ['completed', 'completed_with_failures'];
const RUNNING_OR_COMPLETED = [...RUNNING, ...COMPLETED];
const WITHOUT_PROGRESS = { projection: { manifestProgress: 0 } };

export function createMigrations(db: Db): Migrations {
  const migrations = db.collection<MigrationDocument>('migrations');
  const isRunning = { status: { $in: RUNNING as RunningStatus[] } };

  async function findMigration({ migrationId, accountId }: MigrationKey) {
    const document = await migrations.findOne({ _id: migrationId }, WITHOUT_PROGRESS);
    return document?.accountId === accountId ? toMigration(document) : undefined;
  }

  return {
    async openMigration({ migrationId, ...key }) {
      return await insertIfNew(() =>
        migrations.insertOne({
          _id: migrationId,
          ...key,
          round: 1,
          earlierRounds: [],
          roundStartedAt: key.startedAt,
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

    async openRound({ migrationId, accountId, round }, now) {
      const before = await findMigration({ migrationId, accountId });
      if (before?.round !== round - 1 || !isEnded(before.status)) return false;
      const { matchedCount } = await migrations.updateOne(
        { ...isRound(before), status: before.status },
        {
          $set: {
            round,
            earlierRounds: [...before.earlierRounds, endedRound(before)],
            asOf: now,
            roundStartedAt: now,
            updatedAt: now,
            status: 'planning',
            manifest: null,
            completedAt: null,
            error: null,
            finalCounts: null,
          },
          $unset: { endReason: true, manifestProgress: true },
        },
      );
      return matchedCount === 1;
    },

    findMigration,

    async findAll(accountId, migrationIds) {
      const wanted = { _id: { $in: [...migrationIds] }, accountId };
      return (await migrations.find(wanted, WITHOUT_PROGRESS).toArray()).map(toMigration);
    },

    async noteReleased(round) {
      const { matchedCount } = await migrations.updateOne(isRound(round), {
        $set: { releasedRound: round.round },
      });
      return matchedCount === 1;
    },

    async ofSource(source) {
      const documents = await migrations
        .find(
          {
            ...source,
            $or: [
              { status: { $in: RUNNING_OR_COMPLETED as MigrationRecord['status'][] } },
              { 'earlierRounds.status': { $in: COMPLETED as MigrationRecord['status'][] } },
            ],
          },
          WITHOUT_PROGRESS,
        )
        .sort({ startedAt: 1, _id: 1 })
        .toArray();
      return documents.map(toMigration);
    },

    async findManifestProgress(round) {
      const fields = { projection: { manifestProgress: 1 } };
      const stored = (await migrations.findOne(isRound(round), fields))?.manifestProgress;
      return stored && { ...EMPTY_MANIFEST, ...stored };
    },

    async saveManifestProgress(round, progress) {
      await migrations.updateOne(
        {
          ...isRound(round),
          status: 'planning',
          $or: [
            { manifestProgress: { $exists: false } },
            { 'manifestProgress.steps': { $exists: false } },
            { 'manifestProgress.steps': { $lt: progress.steps } },
          ],
        },
        { $set: { manifestProgress: progress } },
      );
    },

    async noteAcls(round, acls) {
      await migrations.updateOne({ ...isRound(round), ...isRunning }, { $set: { acls } });
    },

    async noteTarget(round, targetCapabilities) {
      await migrations.updateOne(
        { ...isRound(round), ...isRunning },
        { $set: { targetCapabilities } },
      );
    },

    async seal(round, manifest, now) {
      await migrations.updateOne(
        { ...isRound(round), status: 'planning' },
        {
          $set: { status: 'copying', manifest, updatedAt: now },
          $unset: { manifestProgress: true },
        },
      );
    },

    async verify(round, now) {
      await migrations.updateOne(
        { ...isRound(round), status: 'copying' },
        { $set: { status: 'verifying', updatedAt: now } },
      );
    },

    async cancel(round, now) {
      await migrations.updateOne(
        { ...isRound(round), ...isRunning },
        { $set: { status: 'cancelling', updatedAt: now } },
      );
    },

    async openStatus(round) {
      const open = { ...isRound(round), ...isRunning, endReason: { $exists: false } };
      const found = await migrations.findOne(open, { projection: { status: 1 } });
      return found?.status as RunningStatus | undefined;
    },

    async close(round, endReason) {
      await migrations.updateOne(
        { ...isRound(round), ...isRunning, endReason: { $exists: false } },
        { $set: { endReason } },
      );
    },

    async findEndReason(round) {
      const fields = { projection: { endReason: 1 } };
      return (await migrations.findOne(isRound(round), fields))?.endReason;
    },

    async end(round, { status, error, counts }, now, events = []) {
      await migrations.updateOne(
        { ...isRound(round), ...isRunning },
        {
          $set: { status, error, finalCounts: counts, updatedAt: now, completedAt: now },
          $unset: { manifestProgress: true },
          ...emitting(events),
        },
      );
    },

    async realise(migrationId, { state, asOf, monthlyUsd }) {
      const isNewer = [{ realisedBy: { $exists: false } }, { realisedBy: { $lt: asOf } }];
      const { matchedCount } = await migrations.updateOne(
        { _id: migrationId, 'realised.state': { $ne: 'released' }, $or: isNewer },
        { $set: { realised: { state, asOf, monthlyUsd }, realisedBy: asOf } },
      );
      if (matchedCount === 1) return;
      const since = state === 'released' ? {} : { realised: { state, asOf, monthlyUsd } };
      await migrations.updateOne(
        { _id: migrationId, 'realised.state': 'released', $or: isNewer },
        { $set: { ...since, realisedBy: asOf } },
      );
    },
  };
}

/** A round that is not the latest one has ended. Of before there were rounds: the first. */
export function isRound({ migrationId, round = 1 }: RoundKey) {
  return round === 1
    ? { _id: migrationId, round: { $in: [1, null] as number[] } }
    : { _id: migrationId, round };
}

export function toMigration(document: WithId<MigrationDocument>): MigrationRecord {
  const {
    _id,
    manifestProgress: _progress,
    endReason: _endReason,
    realisedBy: _realisedBy,
    ...rest
  } = withoutOutbox(document);
  const first = { round: 1, earlierRounds: [], roundStartedAt: rest.startedAt };
  const { finalCounts } = rest;
  return {
    migrationId: _id,
    ...first,
    ...rest,
    finalCounts: finalCounts && { ...NO_COUNTS, ...finalCounts },
  };
}
