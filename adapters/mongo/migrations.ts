import type { Db, WithId } from 'mongodb';
import {
  isEnded,
  type Acls,
  MIGRATION_STATUSES,
  type Manifest,
  type MigrationError,
  type MigrationRecord,
  type Realised,
} from '../../domain/migration/migration.ts';
import type { ManifestProgress } from '../../domain/migration/manifest.ts';
import { insertIfNew } from './open.ts';
import type { MigrationKey } from './recommendations.ts';

type MigrationDocument = Omit<MigrationRecord, 'migrationId'> & {
  readonly _id: string;
  /** How far the manifest has come; it holds keys, so it goes when the manifest is whole. */
  readonly plan?: ManifestProgress;
};

type RunningStatus = 'planning' | 'copying' | 'verifying';
type EndStatus = Exclude<MigrationRecord['status'], RunningStatus>;

/** How a migration ended. */
export interface MigrationEnd {
  readonly status: EndStatus;
  readonly error: MigrationError | null;
}

/**
 * The runs of approved migrations. Their workflows are the only ones that write them, `realised`
 * apart, which is the scans'; a status moves by conditional write, and only forward.
 */
export interface Migrations {
  /** What is there already stays. */
  open(
    migration: Pick<
      MigrationRecord,
      'migrationId' | 'recommendationId' | 'accountId' | 'connectionId' | 'asOf' | 'startedAt'
    >,
  ): Promise<void>;
  /** Undefined where there is none yet, or where it is another account's. */
  find(key: MigrationKey): Promise<MigrationRecord | undefined>;
  /** Those of a connection that run, or have completed with failures or without; the oldest first. */
  ofConnection(connectionId: string): Promise<MigrationRecord[]>;
  findPlan(migrationId: string): Promise<ManifestProgress | undefined>;
  /** A plan that has come further stays. */
  savePlan(migrationId: string, plan: ManifestProgress): Promise<void>;
  /** What was seen of the source's bucket. */
  noteAcls(migrationId: string, acls: Acls): Promise<void>;
  /** The manifest is whole: planning → copying. */
  seal(migrationId: string, manifest: Manifest, now: Date): Promise<void>;
  /** copying → verifying. */
  verify(migrationId: string, now: Date): Promise<void>;
  /** What has ended already stays as it is. */
  end(migrationId: string, end: MigrationEnd, now: Date): Promise<void>;
  /** `saved` stays, and what a later scan found too. */
  realise(migrationId: string, realised: Realised): Promise<void>;
}

const RUNNING = MIGRATION_STATUSES.filter((status) => !isEnded(status));
const RUNNING_OR_COMPLETED = [...RUNNING, 'completed', 'completed_with_failures'];
const WITHOUT_PLAN = { projection: { plan: 0 } };

export function createMigrations(db: Db): Migrations {
  const migrations = db.collection<MigrationDocument>('migrations');
  const isRunning = { status: { $in: RUNNING as RunningStatus[] } };

  return {
    async open({ migrationId, ...key }) {
      await insertIfNew(() =>
        migrations.insertOne({
          _id: migrationId,
          ...key,
          status: 'planning',
          manifest: null,
          acls: 'unknown',
          updatedAt: key.startedAt,
          completedAt: null,
          error: null,
          realised: null,
        }),
      );
    },

    async find({ migrationId, accountId }) {
      const document = await migrations.findOne({ _id: migrationId }, WITHOUT_PLAN);
      return document?.accountId === accountId ? toMigration(document) : undefined;
    },

    async ofConnection(connectionId) {
      const documents = await migrations
        .find(
          {
            connectionId,
            status: { $in: RUNNING_OR_COMPLETED as MigrationRecord['status'][] },
          },
          WITHOUT_PLAN,
        )
        .sort({ startedAt: 1, _id: 1 })
        .toArray();
      return documents.map(toMigration);
    },

    async findPlan(migrationId) {
      return (await migrations.findOne({ _id: migrationId }, { projection: { plan: 1 } }))?.plan;
    },

    async savePlan(migrationId, plan) {
      await migrations.updateOne(
        {
          _id: migrationId,
          status: 'planning',
          $or: [{ plan: { $exists: false } }, { 'plan.pages': { $lt: plan.pages } }],
        },
        { $set: { plan } },
      );
    },

    async noteAcls(migrationId, acls) {
      await migrations.updateOne({ _id: migrationId, ...isRunning }, { $set: { acls } });
    },

    async seal(migrationId, manifest, now) {
      await migrations.updateOne(
        { _id: migrationId, status: 'planning' },
        { $set: { status: 'copying', manifest, updatedAt: now }, $unset: { plan: true } },
      );
    },

    async verify(migrationId, now) {
      await migrations.updateOne(
        { _id: migrationId, status: 'copying' },
        { $set: { status: 'verifying', updatedAt: now } },
      );
    },

    async end(migrationId, { status, error }, now) {
      await migrations.updateOne(
        { _id: migrationId, ...isRunning },
        { $set: { status, error, updatedAt: now, completedAt: now }, $unset: { plan: true } },
      );
    },

    async realise(migrationId, realised) {
      await migrations.updateOne(
        {
          _id: migrationId,
          $or: [
            { realised: null },
            {
              'realised.state': 'copied_not_yet_saved',
              'realised.asOf': { $lt: realised.asOf },
            },
          ],
        },
        { $set: { realised } },
      );
    },
  };
}

function toMigration({ _id, plan: _plan, ...rest }: WithId<MigrationDocument>): MigrationRecord {
  return { migrationId: _id, ...rest };
}
