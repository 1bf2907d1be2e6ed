import type { UploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { Files } from '../adapters/mongo/files.ts';
import type { Quota, QuotaPeriod } from '../adapters/mongo/quota.ts';
import type { FileRecord } from '../domain/file.ts';
import type { Booked } from '../domain/plan.ts';
import { addSeconds, monthOf } from '../domain/time.ts';

/** How overdue a file must be before its workflow is given up for lost. */
const OVERDUE_SECONDS = 60;
/** Longer than a worker takes from a command's write to what follows from it. */
const OWING_SECONDS = 15;
const SWEEP_LIMIT = 500;
const REVIEW_LIMIT = 100;
const ASKED_AT_ONCE = 10;
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

/** How many files got a workflow, had theirs told to look, or could not be helped. */
export interface Swept {
  readonly started: number;
  readonly reviewed: number;
  readonly failed: number;
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
     * Has each file looked at whose workflow must have missed something.
     *
     * One that should be settled by now gets a workflow where none holds it. One that owes a delete or
     * a count may well be held, by a run that sleeps: a worker that died after its write left no trace
     * in the history. So that run is told. Looking changes nothing where nothing is missing.
     */
    async sweepUploads(): Promise<Swept> {
      const at = now();
      const owingBefore = addSeconds(at, -OWING_SECONDS);
      const [overdue, undeleted, untallied] = await Promise.all([
        files.findStuck(addSeconds(at, -OVERDUE_SECONDS), SWEEP_LIMIT),
        files.findOwing('deleteDue', owingBefore, REVIEW_LIMIT),
        files.findOwing('totalsPending', owingBefore, REVIEW_LIMIT),
      ]);
      const started = await askAll(overdue, uploads.startIfNone);
      // A fresh delete owes both, and one look is enough.
      const owing = new Map([...undeleted, ...untallied].map((file) => [file.fileId, file]));
      const reviewed = await askAll([...owing.values()], async (file) => {
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

/** Some at once. A file that cannot be helped does not keep the others waiting. */
async function askAll(
  files: readonly FileRecord[],
  ask: (file: FileRecord) => Promise<boolean>,
): Promise<{ done: number; failed: number }> {
  const waiting = files.values();
  let [done, failed] = [0, 0];
  const work = async () => {
    for (const file of waiting) {
      const answer = await ask(file).catch(() => undefined);
      if (answer === undefined) failed += 1;
      else if (answer) done += 1;
    }
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
  return { done, failed };
}
