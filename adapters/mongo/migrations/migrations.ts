import type { TargetCapabilities } from '../../../domain/providers/capabilities.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import type { Collection, Db, WithId } from 'mongodb';
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
import type { MigrationCounts } from '../../../domain/migrations/counts.ts';
import type { ManifestProgress } from '../../../domain/migrations/manifest.ts';
import { endedRound, type RoundKey } from '../../../domain/migrations/rounds.ts';
import { emitting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';

export type MigrationDocument = Omit<MigrationRecord, 'migrationId'> &
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

const RUNNING = MIGRATION_STATUSES.filter((status) => !isEnded(status));
const COMPLETED = ['completed', 'completed_with_failures'];
const RUNNING_OR_COMPLETED = [...RUNNING, ...COMPLETED];
const WITHOUT_PROGRESS = { projection: { manifestProgress: 0 } };

const isRunning = { status: { $in: RUNNING as RunningStatus[] } };

/**
 * The runs of approved migrations. Only their workflows write them, except `realised`, which scans
 * write. A status changes by conditional write, and only forward.
 */
export class Migrations {
  readonly #migrations: Collection<MigrationDocument>;

  constructor(db: Db) {
    this.#migrations = db.collection('migrations');
  }

  /** The first round. True if the migration was new; a stored one is kept. */
  async openMigration({
    migrationId,
    ...key
  }: Pick<
    MigrationRecord,
    'migrationId' | 'accountId' | 'cloudAccountId' | 'asOf' | 'approvedAt' | 'startedAt'
  >): Promise<boolean> {
    return await insertIfNew(() =>
      this.#migrations.insertOne({
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
  }

  /** Begins a later round once the previous one has ended; false if done already, or too early. */
  async openRound(
    { migrationId, accountId, round }: RoundKey & Pick<MigrationKey, 'accountId'>,
    now: Date,
  ): Promise<boolean> {
    const previous = await this.findMigration({ migrationId, accountId });
    if (previous?.round !== round - 1 || !isEnded(previous.status)) return false;
    return await matches(
      this.#migrations.updateOne(
        { ...isRound(previous), status: previous.status },
        {
          $set: {
            round,
            earlierRounds: [...previous.earlierRounds, endedRound(previous)],
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
      ),
    );
  }

  /** Undefined before the first run begins and for another account's. */
  async findMigration({
    migrationId,
    accountId,
  }: MigrationKey): Promise<MigrationRecord | undefined> {
    const document = await this.#migrations.findOne({ _id: migrationId }, WITHOUT_PROGRESS);
    return document?.accountId === accountId ? toMigration(document) : undefined;
  }

  /** Those of an account among the ids, in any order; of one that has not begun there is none. */
  async findAll(accountId: string, migrationIds: readonly string[]): Promise<MigrationRecord[]> {
    const wanted = { _id: { $in: [...migrationIds] }, accountId };
    return (await this.#migrations.find(wanted, WITHOUT_PROGRESS).toArray()).map(toMigration);
  }

  /**
   * A check that began in this round has found the source ready to be given up; kept for ever.
   * False if a later round has begun.
   */
  async noteReleased(round: RoundKey): Promise<boolean> {
    const change = { $set: { releasedRound: round.round } };
    return await matches(this.#migrations.updateOne(isRound(round), change));
  }

  /** The migrations out of a cloud account with a round that runs or completed, oldest first. */
  async ofSource(source: SourceAccount): Promise<MigrationRecord[]> {
    const documents = await this.#migrations
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
  }

  async findManifestProgress(round: RoundKey): Promise<ManifestProgress | undefined> {
    const fields = { projection: { manifestProgress: 1 } };
    return (await this.#migrations.findOne(isRound(round), fields))?.manifestProgress;
  }

  /** Keeps stored progress if it is further along. */
  async saveManifestProgress(round: RoundKey, progress: ManifestProgress): Promise<void> {
    await this.#migrations.updateOne(
      {
        ...isRound(round),
        status: 'planning',
        $or: [
          { manifestProgress: { $exists: false } },
          { 'manifestProgress.steps': { $lt: progress.steps } },
        ],
      },
      { $set: { manifestProgress: progress } },
    );
  }

  /** The ownership setting of the source's bucket. */
  async noteAcls(round: RoundKey, acls: Acls): Promise<void> {
    await this.#migrations.updateOne({ ...isRound(round), ...isRunning }, { $set: { acls } });
  }

  /** What the canary of the round has found the target to do. */
  async noteTarget(
    round: RoundKey,
    targetCapabilities: Partial<TargetCapabilities>,
  ): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), ...isRunning },
      { $set: { targetCapabilities } },
    );
  }

  /** The manifest is whole: planning → copying. */
  async seal(round: RoundKey, manifest: Manifest, now: Date): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), status: 'planning' },
      {
        $set: { status: 'copying', manifest, updatedAt: now },
        $unset: { manifestProgress: true },
      },
    );
  }

  /** copying → verifying. */
  async verify(round: RoundKey, now: Date): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), status: 'copying' },
      { $set: { status: 'verifying', updatedAt: now } },
    );
  }

  /** A user has cancelled it: planning, copying, verifying → cancelling. */
  async cancel(round: RoundKey, now: Date): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), ...isRunning },
      { $set: { status: 'cancelling', updatedAt: now } },
    );
  }

  /** The status while objects may be copied; undefined from the end on. */
  async openStatus(round: RoundKey): Promise<RunningStatus | undefined> {
    const open = { ...isRound(round), ...isRunning, endReason: { $exists: false } };
    const stored = await this.#migrations.findOne(open, { projection: { status: 1 } });
    return stored?.status as RunningStatus | undefined;
  }

  /** From now on no object may be started, and the migration ends. A stored reason is kept. */
  async close(round: RoundKey, endReason: EndReason): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), ...isRunning, endReason: { $exists: false } },
      { $set: { endReason } },
    );
  }

  /** Why a running migration ends; undefined if it has not begun to end. */
  async findEndReason(round: RoundKey): Promise<EndReason | undefined> {
    const fields = { projection: { endReason: 1 } };
    return (await this.#migrations.findOne(isRound(round), fields))?.endReason;
  }

  /** Does nothing if the migration has ended. */
  async end(
    round: RoundKey,
    { status, error, counts }: MigrationEnd,
    now: Date,
    events: readonly ServiceEvent[] = [],
  ): Promise<void> {
    await this.#migrations.updateOne(
      { ...isRound(round), ...isRunning },
      {
        $set: { status, error, finalCounts: counts, updatedAt: now, completedAt: now },
        $unset: { manifestProgress: true },
        ...emitting(events),
      },
    );
  }

  /** Keeps the result of a later scan, and the time since which it is `saved`. */
  async realise(migrationId: string, { state, asOf, monthlyUsd }: Realised): Promise<void> {
    const isNewer = [{ realisedBy: { $exists: false } }, { realisedBy: { $lt: asOf } }];
    if (
      await matches(
        this.#migrations.updateOne(
          { _id: migrationId, 'realised.state': { $ne: 'released' }, $or: isNewer },
          { $set: { realised: { state, asOf, monthlyUsd }, realisedBy: asOf } },
        ),
      )
    )
      return;
    const since = state === 'released' ? {} : { realised: { state, asOf, monthlyUsd } };
    await this.#migrations.updateOne(
      { _id: migrationId, 'realised.state': 'released', $or: isNewer },
      { $set: { ...since, realisedBy: asOf } },
    );
  }
}

/** A round that is not the latest one has ended. */
export function isRound({ migrationId, round }: RoundKey) {
  return { _id: migrationId, round };
}

export function toMigration(document: WithId<MigrationDocument>): MigrationRecord {
  const {
    _id,
    manifestProgress: _progress,
    endReason: _endReason,
    realisedBy: _realisedBy,
    ...fields
  } = withoutOutbox(document);
  return { migrationId: _id, ...fields };
}
