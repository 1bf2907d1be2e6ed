import type { UploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { Files } from '../adapters/mongo/files.ts';
import type { Quota, QuotaPeriod } from '../adapters/mongo/quota.ts';
import type { FileRecord } from '../domain/file.ts';
import type { Booked } from '../domain/plan.ts';
import { addSeconds, monthOf } from '../domain/time.ts';

/** Grace period before the sweep replaces a missing workflow. */
const OVERDUE_SECONDS = 60;
/** Longer than a worker takes from a command's write to what follows from it. */
const PENDING_SECONDS = 15;
const SWEEP_LIMIT = 500;
const REVIEW_LIMIT = 100;
const CONCURRENCY = 10;
/**
 * Longer than an init takes from booking to insert, and a release from status to counter. After this
 * time the documents hold everything that a counter showed before.
 */
const IN_FLIGHT_SECONDS = 30;

export interface MaintenanceDeps {
  readonly files: Files;
  readonly quota: Quota;
  readonly uploads: UploadCommands;
  readonly now: () => Date;
  /** Waits; rejects when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
  readonly heartbeat: () => void;
}

/** How many files got a workflow, had theirs signalled, or failed. */
export interface Swept {
  readonly started: number;
  readonly reviewed: number;
  readonly failed: number;
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

export function createMaintenanceActivities({
  files,
  quota,
  uploads,
  now,
  wait,
  heartbeat,
}: MaintenanceDeps) {
  async function correct(
    { accountId, month, booked }: QuotaPeriod & { booked: Booked },
    readAt: Date,
  ) {
    const held = await files.sumHeld(accountId, month, addSeconds(readAt, -IN_FLIGHT_SECONDS));
    const surplus = {
      bytes: Math.max(0, booked.bytes - held.bytes),
      uploads: Math.max(0, booked.uploads - held.uploads),
    };
    if (surplus.bytes === 0 && surplus.uploads === 0) return 0;
    await quota.release({ accountId, month }, surplus);
    return 1;
  }

  return {
    /**
     * Wakes or replaces the workflow of each file that is overdue.
     *
     * A file past its deadline gets a workflow where it has none. A file with a pending delete or
     * pending totals may have a sleeping run: a worker that died after its write left no trace in the
     * history. That run is told to read the file again, which changes nothing where nothing is missing.
     */
    async sweepUploads(): Promise<Swept> {
      const at = now();
      const pendingBefore = addSeconds(at, -PENDING_SECONDS);
      const [overdue, undeleted, uncounted] = await Promise.all([
        files.findStuck(addSeconds(at, -OVERDUE_SECONDS), SWEEP_LIMIT),
        files.findPending('deletePending', pendingBefore, REVIEW_LIMIT),
        files.findPending('totalsPending', pendingBefore, REVIEW_LIMIT),
      ]);
      const started = await forAll(overdue, uploads.startIfNone);
      // A new delete has both; one review is enough.
      const pending = new Map([...undeleted, ...uncounted].map((file) => [file.fileId, file]));
      const reviewed = await forAll([...pending.values()], async (file) => {
        await uploads.review(file);
        return true;
      });
      return {
        started: started.done,
        reviewed: reviewed.done,
        failed: started.failed + reviewed.failed,
      };
    },

    /**
     * Subtracts from each counter of this month and the last what a crash left booked.
     *
     * The counter is read first and the documents later, so what happens in between appears in the
     * documents only: the difference can be too small, never too large.
     */
    async reconcileQuota(): Promise<{ corrected: number }> {
      const readAt = now();
      const months = new Set([monthOf(addSeconds(readAt, -31 * 86_400)), monthOf(readAt)]);
      const counters: (QuotaPeriod & { booked: Booked })[] = [];
      for (const month of months) {
        for await (const counter of quota.counters(month)) counters.push(counter);
      }
      await wait(IN_FLIGHT_SECONDS * 1000);
      let corrected = 0;
      for (const counter of counters) {
        heartbeat();
        corrected += await correct(counter, readAt);
      }
      return { corrected };
    },
  };
}

/** Runs a call for each file, some in parallel. A failure does not delay the other files. */
async function forAll(
  files: readonly FileRecord[],
  call: (file: FileRecord) => Promise<boolean>,
): Promise<{ done: number; failed: number }> {
  const waiting = files.values();
  let [done, failed] = [0, 0];
  const work = async () => {
    for (const file of waiting) {
      const answer = await call(file).catch(() => undefined);
      if (answer === undefined) failed += 1;
      else if (answer) done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { done, failed };
}
