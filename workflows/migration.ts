import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  upsertMemo,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { MigrationCopying } from '../activities/migration-copy.ts';
import type { MigrationEnding } from '../activities/migration-end.ts';
import type { MigrationPlanning } from '../activities/migration-plan.ts';
import type { RecommendationActivities } from '../activities/recommendations.ts';
import type { MigrationError } from '../domain/migration/migration.ts';
import type { StopCode } from '../domain/migration/stop.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type MigrationInput,
  type MigrationKey,
  type MigrationOutcome,
  type OpenedMigration,
} from '../messages/migration.ts';
import { createMigrationState } from './migration-state.ts';
import { showMigration } from './visibility.ts';

/** The start delay was computed by another clock than the recommendation's expiry. */
const RECHECK_INTERVAL = '1m';
/** Slices that run in parallel, on any worker; each copies several objects in parallel. */
const CONCURRENCY = 4;
/** A worker that dies within a slice is noticed after this time. */
const HEARTBEAT_TIMEOUT = '6s';
/** A slice ends after the objects in flight, which may be terabytes. */
const LONGEST_SLICE = '7d';
/** With the intervals below, a store that is unavailable for over six hours ends the migration. */
const MAX_ATTEMPTS = 400;
/** A run continues as new before the server suggests it. */
const MAX_EVENTS = 6_000;

/** Failure types that end a migration with their own code. */
const STOP_CODES: readonly string[] = [
  'provider_error',
  'provider_not_configured',
  'quote_exceeded',
  'too_many_failures',
] satisfies StopCode[];

const RETRIED = {
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '1m',
    maximumAttempts: MAX_ATTEMPTS,
  },
} satisfies ActivityOptions;

const { expireRecommendation } = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  summary: 'Check whether the move was approved',
});
const { openMigration } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Store that the migration begins',
});
const { tryStores } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '2m',
  summary: 'Read at the source; write, read and delete at the target',
});
const { buildManifest } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'List the objects to copy, and compare them with the quote',
});
const { copyPages, verifyPages } = proxyActivities<MigrationCopying>({
  ...RETRIED,
  startToCloseTimeout: LONGEST_SLICE,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // Objects in flight are finished and counted.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const { beginVerifying } = proxyActivities<MigrationEnding>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Store that all objects are copied',
});
const { abortUploads } = proxyActivities<MigrationEnding>({
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 6 },
  summary: 'Abort incomplete multipart uploads of this migration',
});
/** Retried without end: the migration must reach a final status. */
const { endMigration } = proxyActivities<MigrationEnding>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Store how the migration ended',
});

/**
 * Waits for the approval of a recommended move, and carries it out. It is started with a delay of the
 * recommendation's lifetime. The deadline wakes it, and then it alone writes `expired`; or the approval
 * wakes it.
 *
 * planning → copying → verifying → completed, completed_with_failures, failed or cancelled. MongoDB
 * holds the manifest, the object ledger and the cursors; the history holds their numbers.
 */
export async function migration(input: MigrationInput): Promise<MigrationOutcome> {
  const { resume, ...key } = input;
  const state = createMigrationState(resume);
  const work = new CancellationScope();
  let opened = resume?.opened;
  let isCancelled = false;
  let isSignalled = false;
  setHandler(migrationProgress, (id) => (opened?.migrationId === id ? state.view() : null));
  setHandler(approveMigration, () => {
    isSignalled = true;
  });
  setHandler(cancelMigration, () => {
    isCancelled = true;
    work.cancel();
  });

  if (!opened) {
    const outcome = await waitForApproval();
    if (outcome.status !== 'approved') return outcome;
    opened = await openMigration(key);
    upsertMemo({ requestId: opened.requestId });
    showMigration(opened, state);
  }
  return await carryOut(opened);

  async function waitForApproval(): Promise<MigrationOutcome> {
    for (;;) {
      const outcome = await expireRecommendation(key, new Date().toISOString());
      if (outcome.status !== 'open') return outcome;
      isSignalled = false;
      await condition(() => isSignalled, RECHECK_INTERVAL);
    }
  }

  async function carryOut(known: OpenedMigration): Promise<MigrationOutcome> {
    const run = { migrationId: known.migrationId, accountId: key.accountId };
    let error: MigrationError | null = null;
    try {
      await work.run(async () => {
        if (!resume) await buildWholeManifest(run, known);
        if (state.phase === 'copying') {
          await processPages(copyPages, run, known, 'Copy');
          await beginVerifying(run);
          state.begin('verifying', Date.now());
          showMigration(known, state);
        }
        await processPages(verifyPages, run, known, 'Verify');
      });
    } catch (reason) {
      if (reason instanceof ContinueAsNew) throw reason;
      error = isCancelled ? null : toMigrationError(reason);
    }
    return await CancellationScope.nonCancellable(async () => {
      await abortUploads(run).catch(() => undefined);
      const ended = await endMigration(run, { isCancelled: isCancelled && error === null, error });
      state.phase = ended.status;
      showMigration(known, state);
      return ended;
    });
  }

  async function buildWholeManifest(run: MigrationKey, known: OpenedMigration): Promise<void> {
    await tryStores(run);
    for (let isWhole = false; !isWhole;) {
      const slice = await buildManifest(run);
      state.setManifest(slice);
      ({ isWhole } = slice);
      showMigration(known, state);
    }
    state.begin('copying', Date.now());
  }

  /** All pages, by some slices in parallel; a long run continues as new. */
  async function processPages(
    activity: typeof copyPages,
    run: MigrationKey,
    known: OpenedMigration,
    verb: string,
  ): Promise<void> {
    let busy = 0;
    await Promise.all(Array.from({ length: CONCURRENCY }, runSlices));
    const next = state.toContinueAsNew(known);
    if (next) await continueAsNew<typeof migration>({ ...key, resume: next });

    async function runSlices(): Promise<void> {
      for (;;) {
        // A slice returns the pages that it did not reach, and others may take them then.
        await condition(() => state.hasPages() || busy === 0 || isLong());
        if (isLong() || !state.hasPages()) return;
        const pages = state.take(CONCURRENCY);
        busy += 1;
        const summary = `${verb} ${pages.length} pages, from page ${pages[0]} on`;
        const slice = await activity.executeWithOptions({ summary }, [
          run,
          pages,
          state.sliceMs(Date.now()),
        ]);
        busy -= 1;
        state.note(pages, slice, Date.now());
        showMigration(known, state);
      }
    }
  }
}

function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_EVENTS;
}

/** Why a migration failed, worded for its owner. */
function toMigrationError(error: unknown): MigrationError {
  if (isCancellation(error)) {
    return { code: 'internal_error', message: 'The migration was cancelled by an operator.' };
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof ApplicationFailure))
    return { code: 'internal_error', message: 'The migration took longer than it may.' };
  const { message } = cause;
  const type = cause.type ?? '';
  if (type === 'provider_unavailable') return { code: 'provider_error', message };
  return { code: STOP_CODES.includes(type) ? type : 'internal_error', message };
}
