import type { Manifests } from '../adapters/mongo/manifests.ts';
import type { MigrationKey } from '../messages/migration.ts';
import { targetKeyOf } from '../domain/migration/copying.ts';
import {
  isEnded,
  type MigrationError,
  type MigrationStatus,
} from '../domain/migration/migration.ts';
import { openRun, classifyStoreError, type MigrationRunDeps } from './migration-run.ts';

export interface MigrationEndDeps extends MigrationRunDeps {
  readonly manifests: Manifests;
  readonly now: () => Date;
}

export type MigrationEnding = ReturnType<typeof createMigrationEnding>;

/** How the run ended, as the workflow knows it. */
export interface MigrationEnd {
  readonly isCancelled: boolean;
  readonly error: MigrationError | null;
}

/** The largest expected difference between a store's clock and ours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The end of a migration. */
export function createMigrationEnding(deps: MigrationEndDeps) {
  const { recommendations, migrations, manifests, now } = deps;

  async function statusAfter(
    { migrationId }: MigrationKey,
    { isCancelled, error }: MigrationEnd,
  ): Promise<'completed' | 'completed_with_failures' | 'failed' | 'cancelled'> {
    if (error) return 'failed';
    if (isCancelled) return 'cancelled';
    const { failed } = await manifests.counts(migrationId);
    return failed > 0 ? 'completed_with_failures' : 'completed';
  }

  return {
    beginVerifying: (key: MigrationKey): Promise<void> => migrations.verify(key.migrationId, now()),

    /** Aborts the incomplete multipart uploads of this migration's objects. */
    async abortUploads(key: MigrationKey): Promise<{ aborted: number }> {
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
        // Credentials that were refused before stay refused.
        throw classifyStoreError(approval.target.provider, error, Number.POSITIVE_INFINITY);
      }
      return { aborted };
    },

    /** Stores the final status. From then on the migration no longer uses its providers. */
    async endMigration(
      key: MigrationKey,
      end: MigrationEnd,
    ): Promise<{ status: Exclude<MigrationStatus, 'queued'> }> {
      const status = await statusAfter(key, end);
      await migrations.end(key.migrationId, { status, error: end.error }, now());
      const record = await migrations.find(key);
      if (!record || !isEnded(record.status)) throw new Error('the migration is not stored');
      await recommendations.clearHasWorkflow(record.recommendationId);
      return { status: record.status };
    },
  };
}
