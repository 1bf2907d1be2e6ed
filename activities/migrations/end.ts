import type { MigrationRoundKey } from '../../messages/migration.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { MigrationCounts } from '../../domain/migrations/counts.ts';
import {
  isEnded,
  type EndReason,
  type MigrationError,
  type MigrationStatus,
} from '../../domain/migrations/migration.ts';
import {
  decideRemoval,
  findRequest,
  roundId,
  tooManyGone,
} from '../../domain/migrations/rounds.ts';
import { endedMigration } from '../../domain/webhooks/event.ts';
import type { MigrationContext } from '../contexts.ts';
import { removeCanary } from './preflight.ts';
import { atStores, classifyStoreError, openRun } from './run.ts';

export type MigrationEnding = ReturnType<typeof createMigrationEnding>;

export interface EndedMigration {
  readonly status: Exclude<MigrationStatus, 'queued'>;
  readonly counts: MigrationCounts;
}

/** A target that refuses to abort an upload this often keeps it. */
const REFUSED_ATTEMPTS = 6;

export function createMigrationEnding(context: MigrationContext) {
  const { migrations, now } = context;
  return {
    beginVerifying: (key: MigrationRoundKey) => migrations.verify(key, now()),

    /** Stores that a user has cancelled the migration and that objects in flight are finished. */
    beginCancelling: (key: MigrationRoundKey) => migrations.cancel(key, now()),

    abortUploads: (key: MigrationRoundKey, reason: EndReason) => abortUploads(context, key, reason),
    endMigration: (key: MigrationRoundKey, reason: EndReason) => endMigration(context, key, reason),
  };
}

/**
 * Closes the migration, and removes what it has left at the target besides its objects: incomplete
 * multipart uploads and the canary. The reason is stored, so that a run that is started again
 * after this one was lost ends the same way.
 */
async function abortUploads(
  context: MigrationContext,
  key: MigrationRoundKey,
  reason: EndReason,
): Promise<{ aborted: number }> {
  // A worker that was presumed dead begins no further upload.
  await context.migrations.close(key, reason);
  const run = await openRun(context, key);
  const { provider } = run.recommendation.approval.target;
  try {
    return await atStores(context, run, async () => {
      const { keyPrefix } = run.recommendation.approval;
      const { migrationId } = key;
      // A target that refuses to abort an upload may delete an object.
      const [uploads, canary] = await Promise.allSettled([
        abortNoted(context, migrationId, run.target),
        removeCanary({ target: run.target, keyPrefix, migrationId }),
      ]);
      if (uploads.status === 'rejected') throw uploads.reason;
      if (canary.status === 'rejected') throw canary.reason;
      return { aborted: uploads.value };
    });
  } catch (error) {
    throw classifyStoreError(context, provider, error, REFUSED_ATTEMPTS);
  }
}

/** Aborts the multipart uploads that a migration or a relocation has left at its target. */
export async function abortNoted(
  { migrationUploads, progress }: MigrationContext,
  migrationId: string,
  target: ObjectStore,
): Promise<number> {
  const noted = await migrationUploads.ofMigration(migrationId);
  for (const { targetKey, uploadId } of noted) {
    await target.abortUpload(targetKey, uploadId);
    await migrationUploads.remove(migrationId, uploadId);
    progress.report();
  }
  return noted.length;
}

/**
 * Closes the object ledger, and stores the final status. From then on the migration no longer uses
 * its providers. The order excludes a worker that begins a page or appends to the ledger after the
 * end.
 */
async function endMigration(
  context: MigrationContext,
  key: MigrationRoundKey,
  reason: EndReason,
): Promise<EndedMigration> {
  const { recommendations, migrations, manifests, progress, now } = context;
  const { migrationId, round } = key;
  const id = roundId(key);
  await migrations.close(key, reason);
  await manifests.close(id, now(), () => progress.report());
  const counts = await manifests.counts(id);
  const notRemoved = reason.error || reason.isCancelled ? null : await findNotRemoved(context, key);
  const completed = counts.failed > 0 || notRemoved ? 'completed_with_failures' : 'completed';
  const status = reason.error ? 'failed' : reason.isCancelled ? 'cancelled' : completed;
  const error = reason.error ?? notRemoved;
  const endedAt = now();
  const event = endedMigration({ ...key, round }, status, counts, error, endedAt);
  await migrations.end(key, { status, error, counts }, endedAt, [event]);
  const record = await migrations.findMigration(key);
  if (!record) throw new Error('the migration is not stored');
  await recommendations.clearHasWorkflow(migrationId, round);
  // A newer round may have begun meanwhile.
  const ended = record.earlierRounds.find(({ number }) => number === round) ?? record;
  if (!isEnded(ended.status)) throw new Error('the end of the migration is not stored');
  return { status: ended.status, counts };
}

/** Why the round has removed none of the gone objects, although it was to remove some. */
async function findNotRemoved(
  { recommendations, migrations }: MigrationContext,
  key: MigrationRoundKey,
): Promise<MigrationError | null> {
  const [approved, record] = await Promise.all([
    recommendations.findApproved(key),
    migrations.findMigration(key),
  ]);
  const missing = record?.manifest?.gone ?? 0;
  const { removeAtMost } = (approved && findRequest(approved.approval, key)) ?? { removeAtMost: 0 };
  return decideRemoval(missing, removeAtMost) === 'too_many_gone'
    ? tooManyGone(missing, removeAtMost)
    : null;
}
