import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import type { Progress } from '../activities/common/progress.ts';

/** Further progress within this time is not reported: a copy makes thousands of steps a second. */
const MIN_INTERVAL_MS = 1_000;
/** Well below the heartbeat timeout, for a worker that stalls for some seconds. */
const WAITING_INTERVAL_MS = 5_000;

interface Reported {
  details: unknown;
  atMs: number;
}

const reported = new WeakMap<Context, Reported>();

/** Reports the progress of the activity that calls it; does nothing elsewhere. */
export function reportProgress(details?: object): void {
  const context = asyncLocalStorage.getStore();
  if (context?.info.heartbeatTimeoutMs === undefined) return;
  const last = reported.get(context) ?? {
    details: context.info.heartbeatDetails as unknown,
    atMs: Number.NEGATIVE_INFINITY,
  };
  reported.set(context, last);
  if (details !== undefined) last.details = details;
  else if (performance.now() - last.atMs < MIN_INTERVAL_MS) return;
  last.atMs = performance.now();
  context.heartbeat(last.details);
}

export const progress: Progress = {
  report: reportProgress,

  requireAlive: () => asyncLocalStorage.getStore()?.cancellationSignal.throwIfAborted(),

  async reportWhile(wait, maxMs) {
    const endsAtMs = performance.now() + maxMs;
    const timer = setInterval(() => {
      if (performance.now() < endsAtMs) reportProgress();
      else clearInterval(timer);
    }, WAITING_INTERVAL_MS);
    try {
      return await wait;
    } finally {
      clearInterval(timer);
    }
  },
};

interface Postponed {
  /** Attempts that ended before their work, because the store was suspended. */
  readonly postponed: number;
}

/** The number of this attempt, from 1. Attempts at a suspended store do not count. */
export function attempt(): number {
  const { info } = Context.current();
  return info.attempt - countPostponed(info);
}

/** Notes that this attempt ends before its work. */
export function notePostponed(): void {
  reportProgress({ postponed: countPostponed(Context.current().info) + 1 } satisfies Postponed);
}

function countPostponed({ heartbeatDetails }: Info): number {
  const details: unknown = heartbeatDetails;
  if (typeof details !== 'object' || details === null || !('postponed' in details)) return 0;
  return Number(details.postponed);
}
