import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { DueFile } from '../../adapters/mongo/uploads/files.ts';
import { storeOf, type Account } from '../../domain/accounts/account.ts';
import { isPaused, refusalsOf, type WorkAtStore } from '../../domain/providers/pause.ts';
import { StorePausedError } from '../../operations/providers/pause.ts';
import { countPending, holdFile, noteStarted } from '../../operations/uploads/file-transitions.ts';
import { giveUp, type GiveUpDeps } from '../../operations/uploads/give-up.ts';
import type {
  BookingsSum,
  Quota,
  QuotaCounter,
  QuotaPeriod,
} from '../../adapters/mongo/uploads/quota.ts';
import { workAtStore, type FileRecord } from '../../domain/uploads/file.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { afterBackoff } from '../../domain/common/sweep.ts';
import { addMonths, toMonth } from '../../domain/common/time.ts';
import { forEachConcurrently } from '../common/concurrently.ts';
import type { Progress } from '../common/progress.ts';
import { sweepFormerPlaces, type FormerPlaceDeps } from './former-places.ts';
import { chooseFirst, sweepDue, type Portion, type Swept } from '../common/sweep.ts';

/** Each page with a counter that has moved waits once for the inits in flight. */
const RECONCILE_PAGE = 5_000;
const IN_FLIGHT_MS = INTERVALS.inFlightSeconds * 1_000;
const HELD_AT_ONCE = 10;
const NOTHING_HELD = { bytes: 0, uploads: 0 } as const;

export interface MaintenanceDeps extends GiveUpDeps, Omit<FormerPlaceDeps, 'files'> {
  readonly accounts: Pick<Accounts, 'findAccount' | 'endRefusals'>;
  readonly quota: Quota;
  readonly uploads: Pick<UploadCommands, 'startUpload' | 'wake' | 'isWorking'>;
  /** Waits; rejects when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
  readonly progress: Progress;
}

/**
 * A file got its totals counted, had its workflow started, woken or at work already, was given up, or nothing succeeded.
 */
const OUTCOMES = ['counted', 'started', 'woken', 'working', 'given_up', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

export function createMaintenanceActivities(deps: MaintenanceDeps) {
  const { files, quota, uploads, now, wait, progress } = deps;

  /** Counts the totals that are pending, and wakes the workflow for everything else. What was held too long is given up. */
  async function continueFile(file: DueFile): Promise<Outcome> {
    try {
      if (file.unstarted) {
        await uploads.startUpload(file);
        await noteStarted(deps, file);
        return 'started';
      }
      const counted = await countPending(deps, file);
      if (counted.nextAttemptAt === undefined) return 'counted';
      if (counted.held) {
        await giveUp(deps, counted, new StorePausedError(counted.held.store));
        return 'given_up';
      }
      if (await uploads.isWorking(counted)) return 'working';
      await uploads.wake(counted);
      return 'woken';
    } catch {
      return 'failed';
    } finally {
      // Nothing if the file has changed.
      await files.due.postpone(file, afterBackoff(file.attempts, now()));
    }
  }

  /** Files whose store refuses their work to the account wait without workflows; some of the others are continued. */
  async function chooseFiles(
    accountId: string,
    files: readonly DueFile[],
  ): Promise<Portion<DueFile>> {
    const account = await deps.accounts.findAccount(accountId);
    const refused = account ? files.filter((file) => isRefused(account, file)) : [];
    await forEachConcurrently(refused, HELD_AT_ONCE, async (file) => {
      if (account) await holdFile(deps, file, storeOf(account, file.location));
    });
    const { documents, hasMore } = await chooseFirst(
      accountId,
      files.filter((file) => !refused.includes(file)),
    );
    return { documents, hasMore: hasMore || refused.length > 0 };
  }

  function isRefused(account: Account, file: FileRecord): boolean {
    const work = workAtStore(file);
    if (!work || file.held || file.totalsPending || file.unstarted) return false;
    return isPaused(refusalsOf(account, { store: storeOf(account, file.location), work }), now());
  }

  /** Releases what has to wait no longer, store by store. Where that fails now, the next sweep does it. */
  async function releaseHeld(): Promise<void> {
    for (const { at } of await files.listHeld()) {
      await releaseAt(at).catch(() => undefined);
      progress.report();
    }
  }

  /** Files whose store no longer refuses their work are due; where it is to be tried once more, one of them is. */
  async function releaseAt(at: WorkAtStore): Promise<void> {
    const account = await deps.accounts.findAccount(at.accountId);
    const refusals = account && refusalsOf(account, at);
    if (isPaused(refusals, now())) return;
    await files.release(at, refusals?.probeAt ? 'one' : 'all', now());
  }

  /**
   * Subtracts from a counter what no document explains. True if it was lowered.
   *
   * @param after the last account that is finished
   */
  async function reconcileCounter(
    after: QuotaPeriod,
    { counter, held: { bytes, uploads: count }, lastFileId }: BookingsSum,
  ): Promise<boolean> {
    const held = { bytes, uploads: count };
    for await (const piece of files.sumBookings(counter, lastFileId)) {
      held.bytes += piece.bytes;
      held.uploads += piece.uploads;
      const sum = { counter, held, lastFileId: piece.next };
      if (piece.next !== undefined) await quota.savePosition({ ...after, sum });
      progress.report();
    }
    const { bookings } = counter;
    const isLowered = await quota.reconcile(counter, {
      bytes: Math.max(0, bookings.bytes - held.bytes),
      uploads: Math.max(0, bookings.uploads - held.uploads),
    });
    await quota.savePosition({ month: counter.month, accountId: counter.accountId });
    return isLowered;
  }

  /** Reconciles those of a page that have moved, once the inits of their bookings are over. How many were lowered. */
  async function reconcilePage(
    counters: readonly QuotaCounter[],
    first: QuotaPeriod,
  ): Promise<number> {
    const moved = counters.filter(({ isReconciled }) => !isReconciled);
    if (moved.length === 0) return 0;
    await progress.reportWhile(wait(IN_FLIGHT_MS), IN_FLIGHT_MS);
    let lowered = 0;
    let after = first;
    for (const counter of moved) {
      if (await reconcileCounter(after, { counter, held: NOTHING_HELD })) lowered += 1;
      after = { month: counter.month, accountId: counter.accountId };
    }
    return lowered;
  }

  return {
    /**
     * Continues the work on every file whose `nextAttemptAt` has passed: counts pending totals, wakes
     * or replaces the workflow of an overdue file or of a delete.
     *
     * It also deletes the credentials of former places that nothing needs.
     *
     * A file that cannot be helped is due again after a time that doubles. Files whose store refuses their work to the
     * account wait until it is accepted again.
     */
    async sweepUploads(): Promise<Swept<Outcome>> {
      await sweepFormerPlaces(deps);
      await releaseHeld();
      return await sweepDue({
        now,
        outcomes: OUTCOMES,
        due: files.due,
        choose: chooseFiles,
        continueWork: continueFile,
        progress,
      });
    },

    /**
     * Subtracts from each counter of this month and the month before the bookings that an init left without a
     * file. A counter whose value is the one that was reconciled last is passed over. The position is stored account
     * by account, and within one that has many files: the next run continues there, and a run that has reached the
     * end lets the next one begin anew.
     *
     * The counter is read first and the documents after `INTERVALS.inFlightSeconds`, so what happens in between appears
     * in the documents only: the difference can be too small, never too large. Two runs at once correct a
     * counter once.
     */
    async reconcileQuota(): Promise<{ corrected: number }> {
      const present = toMonth(now());
      let corrected = 0;
      const stored = await quota.readPosition();
      for (const month of [addMonths(present, -1), present]) {
        if (stored && month < stored.month) continue;
        let after = stored?.month === month ? stored.accountId : '';
        if (stored?.sum && stored.month === month) {
          if (await reconcileCounter({ month, accountId: after }, stored.sum)) corrected += 1;
          after = stored.sum.counter.accountId;
        }
        let page: QuotaCounter[];
        do {
          page = await quota.listCounters(month, after, RECONCILE_PAGE);
          corrected += await reconcilePage(page, { month, accountId: after });
          after = page.at(-1)?.accountId ?? after;
          await quota.savePosition({ month, accountId: after });
          progress.report();
        } while (page.length === RECONCILE_PAGE);
      }
      await quota.savePosition(undefined);
      return { corrected };
    },
  };
}
