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
  type BegunMigration,
  type MigrationInput,
  type MigrationKey,
  type MigrationOutcome,
  type OpenedMigration,
  type Waiting,
} from '../messages/migration.ts';
import { createMigrationState, type MigrationState } from './migration-state.ts';
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
 * Waits for the approval of a recommended move, and carries it out. It starts with a delay of the
 * recommendation's lifetime: the approval wakes it, or the deadline, and then only it writes `expired`.
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

/** A migration that this run carries out. */
interface Migration {
  readonly key: MigrationKey;
  readonly opened: OpenedMigration;
  readonly state: MigrationState;
  /** An earlier run has tried the stores. */
  readonly isResumed: boolean;
  /** Set if an earlier run was lost while it wrote the end. */
  readonly endReason: EndReason | undefined;
}

/** What signals have asked of this run. */
interface Control {
  isSignalled: boolean;
  isCancelled: boolean;
  /** Cancelled with the migration; the end is written outside of it. */
  readonly work: CancellationScope;
  cancel(): void;
}

function listenToSignals(cancelRequested: Promise<never>): Control {
  const control: Control = {
    isSignalled: false,
    isCancelled: false,
    work: new CancellationScope(),
    cancel() {
      control.isCancelled = true;
      control.work.cancel();
    },
  };
  setHandler(approveMigration, () => {
    control.isSignalled = true;
  });
  setHandler(cancelMigration, control.cancel);
  cancelRequested.catch(control.cancel);
  return control;
}

async function waitAndMigrate(
  { resume, ...key }: MigrationInput,
  cancelRequested: Promise<never>,
): Promise<MigrationOutcome> {
  let current = resume && createMigration(key, resume.opened, { resume });
  setHandler(migrationProgress, () => current?.state.view() ?? null);
  const control = listenToSignals(cancelRequested);
  if (current) return await carryOut(current, control);

  const recommendation = await waitForApproval(key, control);
  if (recommendation.status !== 'approved') return recommendation;
  const { begun, isCancelled, ...opened } = await openMigration(key);
  upsertMemo({ requestId: opened.requestId });
  if (begun && isEnded(begun.status)) return { status: begun.status };
  current = createMigration(key, opened, begun);
  if (isCancelled === true || begun?.status === 'cancelling') control.cancel();
  showMigration(opened, current.state);
  return await carryOut(current, control);
}

function createMigration(
  key: MigrationKey,
  opened: OpenedMigration,
  begun: Pick<BegunMigration, 'resume' | 'endReason'> = {},
): Migration {
  return {
    key,
    opened,
    state: createMigrationState(begun.resume),
    isResumed: begun.resume !== undefined,
    endReason: begun.endReason,
  };
}

async function waitForApproval(key: MigrationKey, control: Control): Promise<Waiting> {
  for (;;) {
    const recommendation = await expireRecommendation(key, new Date().toISOString());
    showWaiting(recommendation);
    // An approved move is opened first, so that its cancellation is written.
    if (recommendation.status !== 'open' || control.isCancelled) return recommendation;
    if (isLong()) await startNextRun<typeof migration>(key);
    control.isSignalled = false;
    await condition(() => control.isSignalled || control.isCancelled, RECHECK_INTERVAL);
  }
}

async function carryOut(current: Migration, control: Control): Promise<MigrationOutcome> {
  const { key, opened, state } = current;
  let isEnding = false;
  const cancelling = showCancelling(current, control, () => isEnding);
  // A cancellation that comes later changes nothing.
  const reason = current.endReason ?? (await workUntilEnd(current, control));
  isEnding = true;
  return await CancellationScope.nonCancellable(async () => {
    await cancelling;
    // If the target refuses, or is unavailable for too long, the record of these uploads stays.
    await abortUploads(key, reason).catch((error: unknown) =>
      log.warn('incomplete multipart uploads are left at the target', { error: String(error) }),
    );
    const { status, counts } = await endMigration(key, reason);
    state.end(status, counts);
    showMigration(opened, state);
    return { status };
  });
}

/** Does the work, unless it is cancelled or fails. */
async function workUntilEnd(current: Migration, control: Control): Promise<EndReason> {
  try {
    await control.work.run(() => doWork(current));
    return { isCancelled: control.isCancelled, error: null };
  } catch (reason) {
    if (reason instanceof ContinueAsNew) throw reason;
    const { isCancelled } = control;
    return { isCancelled, error: isCancelled ? null : toMigrationError(reason) };
  }
}

/** Shows and stores that a cancelled migration still finishes the objects in flight. */
async function showCancelling(
  { key, opened, state }: Migration,
  control: Control,
  isEnding: () => boolean,
): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    await condition(() => control.isCancelled || isEnding());
    if (isEnding()) return;
    state.cancel();
    showMigration(opened, state);
    await beginCancelling(key);
  });
}

async function doWork(current: Migration): Promise<void> {
  const { key, opened, state } = current;
  if (state.phase === 'planning') await buildWholeManifest(current);
  if (state.phase === 'copying') {
    await processPages(current, copyPages, 'Copy');
    await beginVerifying(key);
    state.begin('verifying', Date.now());
    showMigration(opened, state);
  }
  await processPages(current, verifyPages, 'Verify');
}

async function buildWholeManifest(current: Migration): Promise<void> {
  const { key, opened, state, isResumed } = current;
  if (!isResumed) await tryStores(key);
  for (let isWhole = false; !isWhole;) {
    if (isLong()) await continueLater(current);
    const slice = await buildManifest(key);
    state.setManifest(slice);
    ({ isWhole } = slice);
    showMigration(opened, state);
  }
  state.begin('copying', Date.now());
}

function continueLater({ key, opened, state }: Migration): Promise<never> {
  return startNextRun<typeof migration>({ ...key, resume: state.toContinueAsNew(opened) });
}

/** All pages, by some slices in parallel; a long run continues as new. */
async function processPages(
  current: Migration,
  activity: typeof copyPages,
  verb: string,
): Promise<void> {
  const { key, opened, state } = current;
  let busy = 0;
  // Each slice copies several objects in parallel, on any worker.
  const slices = slicesFor(state.pages);
  await runInParallel(slices, runSlices);
  if (state.hasPages()) await continueLater(current);

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
      showMigration(opened, state);
    }
  }
}

/** Pages are counted from 1, and need not be adjacent. */
function describePages(pages: readonly number[], total: number): string {
  const first = (pages[0] ?? 0) + 1;
  return pages.length === 1
    ? `page ${first} of ${total}`
    : `${pages.length} of ${total} pages, the first of them ${first}`;
}
