import { raceTimeout } from '../../adapters/deadline.ts';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import { AppError } from '../../domain/common/errors.ts';

/** The time of a call that asks MongoDB and Temporal only. */
export const SHORT_CALL_MS = 5_000;
/** The time of a call whose route says `mayTakeLong`. */
export const LONG_CALL_MS = 15_000;
/** Calls to stores and to Temporal end at the deadline with an error that says more. */
const GRACE_MS = 200;

/** The time of one call, without the time in which the caller sends its body. */
export interface TimeBudget {
  /**
   * Runs a part of the call in what is left of `totalMs` after the parts before it. The deadline is that of
   * the request scope. Work that exceeds it goes on, but begins no call to a store or to Temporal.
   *
   * @throws AppError `unavailable`
   */
  spend<T>(totalMs: number, work: () => Promise<T>): Promise<T>;
}

/** @param onLateError receives the failures of work whose caller has been answered */
export function createTimeBudget(
  requests: Pick<RequestScope, 'answerWithin'>,
  onLateError: (error: unknown) => void,
): TimeBudget {
  let spentMs = 0;
  return {
    async spend(totalMs, work) {
      const startedAt = performance.now();
      const leftMs = totalMs - spentMs;
      requests.answerWithin(leftMs);
      const working = work();
      const late = () => {
        working.catch(onLateError);
        return new AppError('unavailable');
      };
      try {
        return await raceTimeout(leftMs + GRACE_MS, working, late);
      } finally {
        spentMs += performance.now() - startedAt;
      }
    },
  };
}
