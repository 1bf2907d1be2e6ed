import type { UploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { Files } from '../adapters/mongo/files.ts';
import type { Quota, QuotaPeriod } from '../adapters/mongo/quota.ts';
import type { Booked } from '../domain/plan.ts';
import { addSeconds, monthOf } from '../domain/time.ts';

/** How overdue a file must be before its workflow is given up for lost. */
const OVERDUE_SECONDS = 60;
const SWEEP_LIMIT = 500;
/**
 * Longer than any init takes from booking to insert, and than any release from its status to its
 * counter: after it, what a counter showed before is either in the documents or was never there.
 */
const IN_FLIGHT_SECONDS = 30;

export interface UpkeepActivityDeps {
  readonly files: Files;
  readonly quota: Quota;
  readonly uploads: UploadCommands;
  readonly now: () => Date;
  /** Waits; resolves early, by rejecting, when the worker shuts down. */
  readonly wait: (ms: number) => Promise<void>;
  readonly heartbeat: () => void;
}

export type UpkeepActivities = ReturnType<typeof createUpkeepActivities>;

export function createUpkeepActivities({
  files,
  quota,
  uploads,
  now,
  wait,
  heartbeat,
}: UpkeepActivityDeps) {
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
     * Gives a workflow to each file that should be settled, or be in the sums, by now and that none
     * holds. The workflow's first look does what is missing; where nothing is, it changes nothing.
     */
    async sweepUploads(): Promise<{ started: number }> {
      const before = addSeconds(now(), -OVERDUE_SECONDS);
      const stuck = await files.findStuck(before, SWEEP_LIMIT);
      const untallied = await files.findUntallied(before, SWEEP_LIMIT);
      let started = 0;
      for (const file of [...stuck, ...untallied]) {
        if (await uploads.startIfNone(file)) started += 1;
      }
      return { started };
    },

    /**
     * Subtracts from each counter of this month and the last what a crash left in it.
     *
     * A counter is read first and the documents later, so whatever was on its way in between shows
     * up in the documents only: the difference can be too small, never too large.
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
