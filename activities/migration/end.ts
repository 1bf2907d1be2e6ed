import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { UnabortedUploads } from '../../adapters/mongo/unaborted-uploads.ts';
import type { MigrationKey } from '../../messages/migration.ts';
import type { MigrationCounts } from '../../domain/migration/counts.ts';
import { isEnded, type EndReason, type MigrationStatus } from '../../domain/migration/migration.ts';
import {
  atStores,
  openRun,
  classifyStoreError,
  type MigrationRun,
  type MigrationRunDeps,
} from './run.ts';
import { removeCanary } from './preflight.ts';
import type { Progress } from '../common/progress.ts';

export interface MigrationEndDeps extends MigrationRunDeps {
  readonly manifests: Manifests;
  readonly unabortedUploads: UnabortedUploads;
  readonly now: () => Date;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
  readonly progress: Progress;
}

export type MigrationEnding = ReturnType<typeof createMigrationEnding>;

/** What is stored as final. */
export interface EndedMigration {
  readonly status: Exclude<MigrationStatus, 'queued'>;
  readonly counts: MigrationCounts;
}

/** The largest expected difference between a store's clock and ours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** A target that refuses to abort an upload this often keeps it. */
const REFUSED_ATTEMPTS = 6;

/** The end of a migration. */
export function createMigrationEnding(deps: MigrationEndDeps) {
  const { migrations, now } = deps;
  return {
    beginVerifying: (key: MigrationKey): Promise<void> => migrations.verify(key.migrationId, now()),

    /** Stores that a user has cancelled the migration and that objects in flight are finished. */
    beginCancelling: (key: MigrationKey): Promise<void> =>
      migrations.cancel(key.migrationId, now()),

    /**
     * Closes the migration, and removes what it has left at the target besides its objects: incomplete
     * multipart uploads and the canary. The reason is stored, so that a run that is started again
     * after this one was lost ends the same way.
     */
    abortUploads: (key: MigrationKey, reason: EndReason): Promise<{ aborted: number }> =>
      abortUploads(deps, key, reason),

    /**
     * Closes the object ledger, and stores the final status. From then on the migration no longer
     * uses its providers.
     */
    endMigration: (key: MigrationKey, reason: EndReason): Promise<EndedMigration> =>
      endMigration(deps, key, reason),
  };
}

async function abortUploads(
  deps: MigrationEndDeps,
  key: MigrationKey,
  reason: EndReason,
): Promise<{ aborted: number }> {
  // A worker that was presumed dead begins no further upload.
  await deps.migrations.close(key.migrationId, reason);
  const run = await openRun(deps, key);
  const { provider } = run.recommendation.approval.target;
  try {
    return await atStores(deps, run, async () => {
      const noted = await abortNoted(deps, run);
      const aborted = noted + (await abortListed(deps, run));
      const { keyPrefix } = run.recommendation.approval;
      await removeCanary({ target: run.target, keyPrefix, ...key });
      return { aborted };
    });
  } catch (error) {
    throw classifyStoreError(provider, error, deps.attempt(), REFUSED_ATTEMPTS);
  }
}

/** The uploads that could not be aborted when their copy ended. */
async function abortNoted(
  { unabortedUploads }: MigrationEndDeps,
  { record, target }: MigrationRun,
): Promise<number> {
  const noted = await unabortedUploads.ofMigration(record.migrationId);
  for (const { targetKey, uploadId } of noted) {
    await target.abortUpload(targetKey, uploadId);
    await unabortedUploads.remove(record.migrationId, uploadId);
  }
  return noted.length;
}

/** The uploads of workers that were killed. */
async function abortListed(
  { manifests, progress }: MigrationEndDeps,
  { recommendation, record, target }: MigrationRun,
): Promise<number> {
  const { selector, approval } = recommendation;
  const root = approval.keyPrefix;
  const since = new Date(record.startedAt.getTime() - CLOCK_TOLERANCE_MS).toISOString();
  let aborted = 0;
  for await (const upload of target.uploads(root + (selector.prefix ?? ''))) {
    progress.report();
    if (upload.initiatedAt < since) continue;
    if (!(await manifests.holds(record.migrationId, upload.key.slice(root.length)))) continue;
    await target.abortUpload(upload.key, upload.uploadId);
    aborted += 1;
  }
  return aborted;
}

/** The order excludes a worker that begins a page or appends to the ledger after the end. */
async function endMigration(
  { recommendations, migrations, manifests, progress, now }: MigrationEndDeps,
  key: MigrationKey,
  reason: EndReason,
): Promise<EndedMigration> {
  const { migrationId } = key;
  const { isCancelled, error } = reason;
  await migrations.close(migrationId, reason);
  await manifests.close(migrationId, now(), () => progress.report());
  const counts = await manifests.counts(migrationId);
  const completed = counts.failed > 0 ? 'completed_with_failures' : 'completed';
  const status = error ? 'failed' : isCancelled ? 'cancelled' : completed;
  await migrations.end(migrationId, { status, error, counts }, now());
  const record = await migrations.find(key);
  if (!record || !isEnded(record.status)) throw new Error('the migration is not stored');
  await recommendations.clearHasWorkflow(migrationId);
  return { status: record.status, counts };
}
