import type { Manifests } from '../adapters/mongo/manifests.ts';
import { targetKeyOf } from '../domain/migration/copying.ts';
import {
  isEnded,
  type MigrationError,
  type MigrationStatus,
} from '../domain/migration/migration.ts';
import {
  openRun,
  classifyStoreError,
  type MigrationRunDeps,
  type MigrationRunKey,
} from './migration-run.ts';

export interface MigrationEndDeps extends MigrationRunDeps {
  readonly manifests: Manifests;
  readonly now: () => Date;
}

export type MigrationEnding = ReturnType<typeof createMigrationEnding>;

/** What the workflow knows of the end. */
export interface MigrationEnd {
  readonly isCancelled: boolean;
  readonly error: MigrationError | null;
}

/** The clocks of stores and ours may be apart by so much. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** How a migration comes to its end. */
export function createMigrationEnding(deps: MigrationEndDeps) {
  const { recommendations, migrations, manifests, now } = deps;

  async function statusAfter(
    { migrationId }: MigrationRunKey,
    { isCancelled, error }: MigrationEnd,
  ): Promise<'completed' | 'completed_with_failures' | 'failed' | 'cancelled'> {
    if (error) return 'failed';
    if (isCancelled) return 'cancelled';
    const { failed } = await manifests.progress(migrationId);
    return failed > 0 ? 'completed_with_failures' : 'completed';
  }

  return {
    beginVerifying: (key: MigrationRunKey): Promise<void> =>
      migrations.verify(key.migrationId, now()),

    /** Aborts the multipart uploads that a worker began for objects of this migration and left behind. */
    async abortUploads(key: MigrationRunKey): Promise<{ aborted: number }> {
      const { recommendation, record, target } = await openRun(deps, key);
      const { bucket, selector, approval } = recommendation;
      const root = targetKeyOf(bucket, '');
      const since = new Date(record.startedAt.getTime() - CLOCK_TOLERANCE_MS).toISOString();
      let aborted = 0;
      try {
        for await (const upload of target.uploads(root + (selector.prefix ?? ''))) {
          if (upload.initiatedAt < since) continue;
          if (!(await manifests.holds(key.migrationId, upload.key.slice(root.length)))) continue;
          await target.abortUpload(upload.key, upload.uploadId);
          aborted += 1;
        }
      } catch (error) {
        // Credentials that were refused before will be so again.
        throw classifyStoreError(approval.target.provider, error, Number.POSITIVE_INFINITY);
      }
      return { aborted };
    },

    /** Writes down how it ended; its stores are free from then on. */
    async endMigration(
      key: MigrationRunKey,
      end: MigrationEnd,
    ): Promise<{ status: Exclude<MigrationStatus, 'queued'> }> {
      const status = await statusAfter(key, end);
      await migrations.end(key.migrationId, { status, error: end.error }, now());
      const record = await migrations.find(key);
      if (!record || !isEnded(record.status)) throw new Error('the migration was not written down');
      await recommendations.clearHasWorkflow(record.recommendationId);
      return { status: record.status };
    },
  };
}
