import { addSeconds } from '../common/time.ts';

export const DELIVERY_STATUSES = ['delivered', 'retrying', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The answer to one attempt, or why there was none. */
export interface DeliveryAttempt {
  readonly status: number | null;
  /** Null if there was an answer. */
  readonly error: string | null;
}

/** What follows from an attempt. */
export interface AfterAttempt {
  readonly status: DeliveryStatus;
  /** Null if there is no other. */
  readonly nextAttemptAt: Date | null;
  /** Why no more events are sent to its webhook; null if they are. */
  readonly disables: string | null;
}

/** An answer has to begin within this time. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** From the end of an attempt to the next one, in seconds; the first one is made at once. */
const DELAYS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
const FAILING_DAYS = 5;
const GONE = 410;

/**
 * What follows from the nth attempt of a delivery, which ended `endedAt`.
 *
 * | answer                     | delivery    | webhook  |
 * | -------------------------- | ----------- | -------- |
 * | 200 to 299                 | `delivered` |          |
 * | 410                        | `failed`    | disabled |
 * | anything else, or none     | `retrying`, `failed` after the last of 10 | disabled once five days have passed without a success |
 *
 * @param failingSince the webhook's first failure since its last success
 */
export function afterAttempt(
  attempts: number,
  { status }: DeliveryAttempt,
  failingSince: Date,
  endedAt: Date,
): AfterAttempt {
  if (isSuccess(status)) return { status: 'delivered', nextAttemptAt: null, disables: null };
  if (status === GONE)
    return { status: 'failed', nextAttemptAt: null, disables: 'The receiver answered 410.' };
  if (addSeconds(failingSince, FAILING_DAYS * 24 * HOUR) <= endedAt) {
    const disables = `No attempt has succeeded for ${FAILING_DAYS} days.`;
    return { status: 'failed', nextAttemptAt: null, disables };
  }
  const delay = DELAYS[attempts - 1];
  return delay === undefined
    ? { status: 'failed', nextAttemptAt: null, disables: null }
    : { status: 'retrying', nextAttemptAt: addSeconds(endedAt, delay), disables: null };
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
