import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import {
  countPending,
  type FileTransitionDeps,
} from '../../operations/uploads/file-transitions.ts';
import type { Quota } from '../../adapters/mongo/quota.ts';
import type { FileRecord } from '../../domain/upload/file.ts';
import type { Booked } from '../../domain/account/plan.ts';
import { afterBackoff } from '../../domain/common/sweep.ts';
import { addMonths, addSeconds, toMonth, type Month } from '../../domain/common/time.ts';
import type { Progress } from '../common/progress.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';

const RECONCILE_PAGE = 500;
/**
 * Longer than an init takes from booking to insert. After this time the documents hold everything that
 * a counter showed before.
 */
const IN_FLIGHT_SECONDS = 30;

export interface MaintenanceDeps extends FileTransitionDeps {
  readonly quota: Quota;
  readonly uploads: UploadCommands;
  /** Waits; rejects when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
  readonly progress: Progress;
  /** The position that an earlier attempt of the activity reached. */
  readonly resumeFrom: () => ReconcilePosition | undefined;
}

/** A file got its totals counted, had its workflow woken, or neither succeeded. */
const OUTCOMES = ['counted', 'woken', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The reconciliation has done the accounts up to this one. */
export interface ReconcilePosition {
  readonly month: Month;
  readonly accountId: string;
  readonly corrected: number;
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

export function createMaintenanceActivities(deps: MaintenanceDeps) {
  const { files, quota, uploads, now, wait, progress, resumeFrom } = deps;

  /** Counts the totals that are pending; wakes the workflow for everything else. */
  async function continueFile(file: FileRecord): Promise<Outcome> {
    try {
      const counted = await countPending(deps, file);
      if (counted.nextAttemptAt === undefined) return 'counted';
      await uploads.wake(counted);
      return 'woken';
    } catch {
      return 'failed';
    } finally {
      await files.postpone(file, afterBackoff(file.attempts ?? 0, now()));
    }
  }

  /** The bookings of a page of accounts that no document explains. */
  async function findSurplus(
    counters: readonly { readonly accountId: string; readonly bookings: Booked }[],
    month: Month,
    readAt: Date,
  ): Promise<{ accountId: string; bookings: Booked; surplus: Booked }[]> {
    const [first, last] = [counters.at(0)?.accountId, counters.at(-1)?.accountId];
    if (first === undefined || last === undefined) return [];
    const releasedAfter = addSeconds(readAt, -IN_FLIGHT_SECONDS);
    const sums = await files.sumBookings(month, { first, last }, releasedAfter);
    return counters
      .map(({ accountId, bookings }) => {
        const held = sums.get(accountId) ?? { bytes: 0, uploads: 0 };
        const bytes = Math.max(0, bookings.bytes - held.bytes);
        const uploads = Math.max(0, bookings.uploads - held.uploads);
        return { accountId, bookings, surplus: { bytes, uploads } };
      })
      .filter(({ surplus }) => surplus.bytes > 0 || surplus.uploads > 0);
  }

  /** Corrects one page; a surplus counts only if it is still found after `IN_FLIGHT_SECONDS`. */
  async function correct(
    counters: readonly { readonly accountId: string; readonly bookings: Booked }[],
    month: Month,
    readAt: Date,
  ): Promise<number> {
    const suspects = await findSurplus(counters, month, readAt);
    if (suspects.length === 0) return 0;
    const waitMs = IN_FLIGHT_SECONDS * 1_000;
    await progress.reportWhile(wait(waitMs), waitMs);
    const confirmed = await findSurplus(suspects, month, readAt);
    for (const { accountId, surplus } of confirmed)
      await quota.withdraw({ accountId, month }, surplus);
    return confirmed.length;
  }

  return {
    /**
     * Continues the work on every file whose `nextAttemptAt` has passed: counts pending totals, wakes
     * or replaces the workflow of an overdue file or of a delete.
     *
     * A file that cannot be helped is due again after a time that doubles, so that many of them do not
     * delay other files.
     */
    sweepUploads: (): Promise<Swept<Outcome>> =>
      sweepDue({
        now,
        outcomes: OUTCOMES,
        findDue: files.findDue,
        cursorOf: ({ fileId, nextAttemptAt }) => ({ id: fileId, nextAttemptAt }),
        continueWork: continueFile,
        progress,
      }),

    /**
     * Subtracts from each counter of this month and the month before the bookings that an init left without a
     * file. Works page by page; another attempt continues after the last page.
     *
     * The counter is read first and the documents later, so what happens in between appears in the
     * documents only: the difference can be too small, never too large.
     */
    async reconcileQuota(): Promise<{ corrected: number }> {
      const present = toMonth(now());
      const months = [addMonths(present, -1), present];
      const resumed = resumeFrom();
      let corrected = resumed?.corrected ?? 0;
      for (const month of months) {
        if (resumed && month < resumed.month) continue;
        let accountId = resumed?.month === month ? resumed.accountId : '';
        let listed: number;
        do {
          const readAt = now();
          const counters = await quota.listBookings(month, accountId, RECONCILE_PAGE);
          listed = counters.length;
          corrected += await correct(counters, month, readAt);
          accountId = counters.at(-1)?.accountId ?? accountId;
          progress.report({ month, accountId, corrected });
        } while (listed === RECONCILE_PAGE);
      }
      return { corrected };
    },
  };
}
