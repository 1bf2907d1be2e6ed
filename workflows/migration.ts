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
  type MigrationOutcome,
  type OpenedMigration,
} from '../messages/messages.ts';
import { createMigrationState } from './migration-state.ts';
import { showMigration } from './visibility.ts';

/** The delay was reckoned by another clock than the one that counts here. */
const LOOK_AGAIN = '1m';
/** Slices of work that go on side by side, on whichever workers; each copies many objects at once. */
const HANDS = 4;
/** How soon a worker that died in the middle is noticed. */
const HEARTBEAT_TIMEOUT = '6s';
/** A slice ends after the objects in flight, and those may be terabytes. */
const LONGEST_SLICE = '7d';
/** With the pauses below, a store that stays away for over six hours ends the migration. */
const MAX_TRIES = 400;
/** A run hands over to a fresh one well before the server asks for it. */
const MAX_EVENTS = 6_000;

/** What a migration ends with, by its own account. */
const STOPS: readonly string[] = [
  'provider_error',
  'provider_not_configured',
  'quote_exceeded',
  'too_many_failures',
] satisfies StopCode[];

const STEADILY = {
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '1m',
    maximumAttempts: MAX_TRIES,
  },
} satisfies ActivityOptions;

const { expireRecommendation } = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  summary: 'Look whether the move was approved',
});
const { openMigration } = proxyActivities<MigrationPlanning>({
  ...STEADILY,
  startToCloseTimeout: '15s',
  summary: 'Write down that the migration begins',
});
const { tryStores } = proxyActivities<MigrationPlanning>({
  ...STEADILY,
  startToCloseTimeout: '2m',
  summary: 'Read at the source; write, read and delete at the target',
});
const { planMigration } = proxyActivities<MigrationPlanning>({
  ...STEADILY,
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'List what is to be copied, and hold it against the quote',
});
const { copyPages, verifyPages } = proxyActivities<MigrationCopying>({
  ...STEADILY,
  startToCloseTimeout: LONGEST_SLICE,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  // What is in flight is finished, and what came of it is counted.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
const { beginVerifying } = proxyActivities<MigrationEnding>({
  ...STEADILY,
  startToCloseTimeout: '15s',
  summary: 'Write down that all is copied',
});
const { abortUploads } = proxyActivities<MigrationEnding>({
  startToCloseTimeout: '2m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 6 },
  summary: 'Abort multipart uploads that were left behind',
});
/** The last word: it may take as long as the database does. */
const { endMigration } = proxyActivities<MigrationEnding>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Write down how the migration ended',
});

/**
 * Waits for the approval of a recommended move, and carries it out. It is started with a delay as long
 * as the recommendation's life, so it costs nothing until it is woken: by its deadline, and then it is
 * the only one that writes `expired`; or by the approval.
 *
 * planning → copying → verifying → completed, completed_with_failures, failed or cancelled. Manifest,
 * ledger and cursors lie in the database; the history carries their numbers.
 */
export async function migration(input: MigrationInput): Promise<MigrationOutcome> {
  const { carried, ...key } = input;
  const table = createMigrationState(carried);
  const work = new CancellationScope();
  let opened = carried?.opened;
  let isCancelled = false;
  let isToLook = false;
  setHandler(migrationProgress, (id) => (opened?.migrationId === id ? table.view() : null));
  setHandler(approveMigration, () => {
    isToLook = true;
  });
  setHandler(cancelMigration, () => {
    isCancelled = true;
    work.cancel();
  });

  if (!opened) {
    const state = await waitForApproval();
    if (state.status !== 'approved') return state;
    opened = await openMigration(key);
    upsertMemo({ requestId: opened.requestId });
    showMigration(opened, table);
  }
  return await carryOut(opened);

  async function waitForApproval(): Promise<MigrationOutcome> {
    for (;;) {
      const state = await expireRecommendation(key, new Date().toISOString());
      if (state.status !== 'open') return state;
      isToLook = false;
      await condition(() => isToLook, LOOK_AGAIN);
    }
  }

  async function carryOut(known: OpenedMigration): Promise<MigrationOutcome> {
    const run = { migrationId: known.migrationId, accountId: key.accountId };
    let error: MigrationError | null = null;
    try {
      await work.run(async () => {
        if (!carried) await plan(run, known);
        if (table.phase === 'copying') {
          await goThrough(copyPages, run, known, 'Copy');
          await beginVerifying(run);
          table.begin('verifying', Date.now());
          showMigration(known, table);
        }
        await goThrough(verifyPages, run, known, 'Verify');
      });
    } catch (reason) {
      if (reason instanceof ContinueAsNew) throw reason;
      error = isCancelled ? null : describe(reason);
    }
    return await CancellationScope.nonCancellable(async () => {
      await abortUploads(run).catch(() => undefined);
      const ended = await endMigration(run, { isCancelled: isCancelled && error === null, error });
      table.phase = ended.status;
      showMigration(known, table);
      return ended;
    });
  }

  async function plan(run: Run, known: OpenedMigration): Promise<void> {
    await tryStores(run);
    for (let isWhole = false; !isWhole;) {
      const slice = await planMigration(run);
      table.plan(slice);
      ({ isWhole } = slice);
      showMigration(known, table);
    }
    table.begin('copying', Date.now());
  }

  /** All pages, by a few hands; a run that has grown long hands over. */
  async function goThrough(
    activity: typeof copyPages,
    run: Run,
    known: OpenedMigration,
    verb: string,
  ): Promise<void> {
    let busy = 0;
    await Promise.all(Array.from({ length: HANDS }, hand));
    const left = table.toContinueAsNew(known);
    if (left) await continueAsNew<typeof migration>({ ...key, carried: left });

    async function hand(): Promise<void> {
      for (;;) {
        // A slice gives back the pages that it did not come to, and then others may take them.
        await condition(() => table.hasPages() || busy === 0 || isLong());
        if (isLong() || !table.hasPages()) return;
        const pages = table.take(HANDS);
        busy += 1;
        const summary = `${verb} ${pages.length} pages, from page ${pages[0]} on`;
        const slice = await activity.executeWithOptions({ summary }, [
          run,
          pages,
          table.sliceMs(Date.now()),
        ]);
        busy -= 1;
        table.note(pages, slice, Date.now());
        showMigration(known, table);
      }
    }
  }
}

interface Run {
  readonly migrationId: string;
  readonly accountId: string;
}

function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_EVENTS;
}

/** Why a migration failed, in the words that its owner reads. */
function describe(error: unknown): MigrationError {
  if (isCancellation(error)) {
    return { code: 'internal_error', message: 'The migration was cancelled by an operator.' };
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof ApplicationFailure))
    return { code: 'internal_error', message: 'The migration took longer than it may.' };
  const { message } = cause;
  const type = cause.type ?? '';
  if (type === 'provider_unavailable') return { code: 'provider_error', message };
  return { code: STOPS.includes(type) ? type : 'internal_error', message };
}
