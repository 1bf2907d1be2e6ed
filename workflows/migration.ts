import {
  CancellationScope,
  CancelledFailure,
  condition,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import { INTERVALS } from '../domain/common/intervals.ts';
import { isEnded } from '../domain/migrations/migration.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type MigrationInput,
  type MigrationRoundKey,
  type MigrationOutcome,
  type PendingApproval,
} from '../messages/migration.ts';
import { carryOut, createMigration, type Control } from './migration-run.ts';
import { expireRecommendation, openMigration } from './migration-steps.ts';
import { isLong, startNextRun } from './runs.ts';
import { showMigration, showWaiting } from './visibility.ts';

/**
 * Waits for the approval of a recommended move, and carries it out. It starts with a delay of the
 * recommendation's lifetime: the approval wakes it, or the deadline, and then only it writes
 * `expired`.
 *
 * A later round of the migration copies what has changed at the source since, in a workflow of its
 * own.
 *
 * planning → copying → verifying → completed, completed_with_failures, failed or cancelled; before
 * cancelled: cancelling. An end is written when all work has ended. MongoDB holds the manifest, the
 * object ledger and the cursors; the history holds their numbers.
 *
 * A request to cancel the workflow counts as the user's. The run ends as Cancelled after it has
 * written the migration's end.
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

  // A later round is started once a person has asked for it.
  if (key.round === 1) {
    const recommendation = await waitForApproval(key, control);
    if (recommendation.status !== 'approved') return recommendation;
  }
  const { begun, isCancelled, ...opened } = await openMigration(key);
  upsertMemo({ requestId: opened.requestId });
  if (begun && isEnded(begun.status)) return { status: begun.status };
  current = createMigration(key, opened, begun);
  if (isCancelled === true || begun?.status === 'cancelling') control.cancel();
  showMigration(opened, current.state);
  return await carryOut(current, control);
}

async function waitForApproval(key: MigrationRoundKey, control: Control): Promise<PendingApproval> {
  for (;;) {
    // A cancellation that comes during the read may follow an approval that the read has not seen.
    const { isCancelled } = control;
    const recommendation = await expireRecommendation(key, new Date().toISOString());
    showWaiting(recommendation);
    // An approved move is opened first, so that its cancellation is written.
    if (recommendation.status !== 'open' || isCancelled) return recommendation;
    if (isLong() && !control.isCancelled) await startNextRun(key satisfies MigrationInput);
    control.isSignalled = false;
    await condition(() => control.isSignalled || control.isCancelled, INTERVALS.recheckMs);
  }
}
