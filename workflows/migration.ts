import {
  CancellationScope,
  CancelledFailure,
  condition,
  ContinueAsNew,
  log,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import { isEnded, type EndReason } from '../domain/migration/migration.ts';
import { slicesFor } from '../domain/migration/manifest.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type MigrationInput,
  type MigrationOutcome,
  type OpenedMigration,
  type Waiting,
} from '../messages/migration.ts';
import { createMigrationState } from './migration-state.ts';
import {
  abortUploads,
  beginCancelling,
  beginVerifying,
  buildManifest,
  copyPages,
  endMigration,
  expireRecommendation,
  openMigration,
  toMigrationError,
  tryStores,
  verifyPages,
} from './migration-steps.ts';
import { isLong, runInParallel, startNextRun } from './runs.ts';
import { showMigration, showWaiting } from './visibility.ts';

/** The start delay was computed by another clock than the recommendation's expiry. */
const RECHECK_INTERVAL = '1m';

/**
 * Waits for the approval of a recommended move, and carries it out. It is started with a delay of the
 * recommendation's lifetime. The deadline wakes it, and then it alone writes `expired`; or the approval
 * wakes it.
 *
 * planning → copying → verifying → completed, completed_with_failures, failed or cancelled; before
 * cancelled: cancelling. An end is written when all work has ended. MongoDB holds the manifest, the
 * object ledger and the cursors; the history holds their numbers.
 *
 * A request to cancel the workflow counts as the user's. The run ends as Cancelled after it has written
 * the migration's end.
 *
 * @throws CancelledFailure
 */
export async function migration(input: MigrationInput): Promise<MigrationOutcome> {
  const requested = CancellationScope.current();
  const outcome = await CancellationScope.nonCancellable(() =>
    waitAndMigrate(input, requested.cancelRequested),
  );
  const isCancelled = outcome.status === 'cancelled' || outcome.status === 'open';
  if (isCancelled && requested.consideredCancelled) throw new CancelledFailure('cancelled');
  return outcome;
}

async function waitAndMigrate(
  input: MigrationInput,
  cancelRequested: Promise<never>,
): Promise<MigrationOutcome> {
  const { resume: continued, ...key } = input;
  let resume = continued;
  let state = createMigrationState(resume);
  const work = new CancellationScope();
  let opened = resume?.opened;
  let isCancelled = false;
  /** Set if an earlier run was lost while it wrote the end. */
  let endReason: EndReason | undefined;
  let isSignalled = false;
  setHandler(migrationProgress, () => (opened ? state.view() : null));
  setHandler(approveMigration, () => {
    isSignalled = true;
  });
  setHandler(cancelMigration, cancel);
  cancelRequested.catch(cancel);

  if (!opened) {
    const outcome = await waitForApproval();
    if (outcome.status !== 'approved') return outcome;
    const { begun, isCancelled: isUnwanted, ...fresh } = await openMigration(key);
    opened = fresh;
    upsertMemo({ requestId: opened.requestId });
    if (begun && isEnded(begun.status)) return { status: begun.status };
    ({ resume, endReason } = { ...begun });
    state = createMigrationState(resume);
    if (isUnwanted === true || begun?.status === 'cancelling') cancel();
    showMigration(opened, state);
  }
  return await carryOut(opened);

  function cancel(): void {
    isCancelled = true;
    work.cancel();
  }

  async function waitForApproval(): Promise<Waiting> {
    for (;;) {
      const recommendation = await expireRecommendation(key, new Date().toISOString());
      showWaiting(recommendation);
      // An approved move is opened first, so that its cancellation is written.
      if (recommendation.status !== 'open' || isCancelled) return recommendation;
      if (isLong()) await startNextRun<typeof migration>(key);
      isSignalled = false;
      await condition(() => isSignalled || isCancelled, RECHECK_INTERVAL);
    }
  }

  async function carryOut(known: OpenedMigration): Promise<MigrationOutcome> {
    let isEnding = false;
    const cancelling = showCancelling(known, () => isEnding);
    // A cancellation that comes later changes nothing.
    const reason = endReason ?? (await workUntilEnd(known));
    isEnding = true;
    return await CancellationScope.nonCancellable(async () => {
      await cancelling;
      // The target refuses it, or is away for too long: the record of these uploads stays.
      await abortUploads(key, reason).catch((error: unknown) =>
        log.warn('incomplete multipart uploads are left at the target', { error: String(error) }),
      );
      const { status, counts } = await endMigration(key, reason);
      state.end(status, counts);
      showMigration(known, state);
      return { status };
    });
  }

  /** Does the work, unless it is cancelled or fails. */
  async function workUntilEnd(known: OpenedMigration): Promise<EndReason> {
    try {
      await work.run(() => doWork(known));
      return { isCancelled, error: null };
    } catch (reason) {
      if (reason instanceof ContinueAsNew) throw reason;
      return { isCancelled, error: isCancelled ? null : toMigrationError(reason) };
    }
  }

  /** Shows and stores that a cancelled migration still finishes the objects in flight. */
  async function showCancelling(known: OpenedMigration, isEnding: () => boolean): Promise<void> {
    await CancellationScope.nonCancellable(async () => {
      await condition(() => isCancelled || isEnding());
      if (isEnding()) return;
      state.cancel();
      showMigration(known, state);
      await beginCancelling(key);
    });
  }

  async function doWork(known: OpenedMigration): Promise<void> {
    if (state.phase === 'planning') await buildWholeManifest(known);
    if (state.phase === 'copying') {
      await processPages(copyPages, known, 'Copy');
      await beginVerifying(key);
      state.begin('verifying', Date.now());
      showMigration(known, state);
    }
    await processPages(verifyPages, known, 'Verify');
  }

  async function buildWholeManifest(known: OpenedMigration): Promise<void> {
    if (!resume) await tryStores(key);
    for (let isWhole = false; !isWhole;) {
      if (isLong()) await continueLater(known);
      const slice = await buildManifest(key);
      state.setManifest(slice);
      ({ isWhole } = slice);
      showMigration(known, state);
    }
    state.begin('copying', Date.now());
  }

  function continueLater(known: OpenedMigration): Promise<never> {
    return startNextRun<typeof migration>({ ...key, resume: state.toContinueAsNew(known) });
  }

  /** All pages, by some slices in parallel; a long run continues as new. */
  async function processPages(
    activity: typeof copyPages,
    known: OpenedMigration,
    verb: string,
  ): Promise<void> {
    let busy = 0;
    // Each slice copies several objects in parallel, on any worker.
    const slices = slicesFor(state.pages);
    await runInParallel(slices, runSlices);
    if (state.hasPages()) await continueLater(known);

    async function runSlices(): Promise<void> {
      for (;;) {
        // A slice returns the pages that it did not reach, and others may take them then.
        await condition(() => state.hasPages() || busy === 0 || isLong());
        if (isLong() || !state.hasPages()) return;
        const pages = state.take(slices);
        busy += 1;
        const summary = `${verb} ${describePages(pages, state.pages)}`;
        const slice = await activity.executeWithOptions({ summary }, [
          key,
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

/** For a person: pages are counted from 1. They need not be neighbours. */
function describePages(pages: readonly number[], total: number): string {
  const first = (pages[0] ?? 0) + 1;
  return pages.length === 1
    ? `page ${first} of ${total}`
    : `${pages.length} of ${total} pages, the first of them ${first}`;
}
