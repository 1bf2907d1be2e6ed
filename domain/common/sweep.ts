import { INTERVALS } from './intervals.ts';
import { addSeconds } from './time.ts';

/** The time that a workflow has to write an expiry. */
const EXPIRY_SECONDS = 60;
const LONGEST_BACKOFF_SECONDS = 3_600;

/** Lost work ends as failed after so many starts, about five hours after the first. */
export const MAX_RESTARTS = 10;

/** When the sweep looks at a document that was changed now. */
export function afterFollowUp(now: Date): Date {
  return addSeconds(now, INTERVALS.followUpSeconds);
}

/** When the sweep looks at a recommendation that its workflow should mark as expired. */
export function afterExpiry(expiresAt: Date): Date {
  return addSeconds(expiresAt, EXPIRY_SECONDS);
}

/** When the sweep looks at a document again: after 1, 2, 4 … minutes, at most an hour. */
export function afterBackoff(attempts: number, now: Date): Date {
  const seconds = Math.min(LONGEST_BACKOFF_SECONDS, INTERVALS.firstBackoffSeconds * 2 ** attempts);
  return addSeconds(now, seconds);
}

/** When the sweep repeats a signal without effect: after the time since the first signal. */
export function afterWaiting(since: Date, now: Date): Date {
  const waitedSeconds = (now.getTime() - since.getTime()) / 1_000;
  const seconds = Math.max(
    INTERVALS.followUpSeconds,
    Math.min(LONGEST_BACKOFF_SECONDS, waitedSeconds),
  );
  return addSeconds(now, seconds);
}

/** The error of work that was lost again after every restart. */
export function interruptedError(
  what: 'migration' | 'release check' | 'relocation' | 'exit drill' | 'scan',
): {
  code: string;
  message: string;
} {
  return {
    code: 'internal_error',
    message: `The ${what} was interrupted and started again ${MAX_RESTARTS} times without reaching its end.`,
  };
}
