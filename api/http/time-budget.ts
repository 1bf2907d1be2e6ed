import { raceTimeout } from '../../adapters/deadline.ts';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import { AppError } from '../../domain/common/errors.ts';

/** The time of a call that uses only MongoDB and Temporal. */
export const SHORT_CALL_MS = 5_000;
/** The time of a call whose route `mayTakeLong`. */
export const LONG_CALL_MS = 15_000;
/**
 * Lets calls to stores and to Temporal, which end at the deadline, fail with a more specific error.
 */
const GRACE_MS = 200;

/** The time of one call, without the time in which the caller sends its body. */
export interface TimeBudget {
  /**
   * Runs a part of the call within `totalMs` minus the time of earlier parts, and sets the deadline
   * of the request scope. Work that exceeds it continues, but starts no call to a store or to
   * Temporal.
   *
   * @throws AppError `unavailable`
   */
  spend<T>(totalMs: number, work: () => Promise<T>): Promise<T>;
}

/** @param onLateError receives failures of work that ends after the answer */
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
