import {
  ActivityCancellationType,
  ApplicationFailure,
  TimeoutFailure,
  type ActivityOptions,
} from '@temporalio/workflow';
import { INTERVALS } from '../domain/common/intervals.ts';
import { DEFECT } from '../messages/names.ts';

/**
 * Attempts are bounded, not the time from the schedule to the end: that includes the time in which
 * no worker is free. A dependency that is unavailable for over six hours ends the work: the waits
 * before the attempts 2 to 13 (0.5 s × 1.5ⁿ) take 2 minutes, those before the other 387 a minute
 * each. Attempts that time out add their own length.
 */
export const RETRIED = {
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: INTERVALS.maxRetryMs,
    maximumAttempts: 400,
    nonRetryableErrorTypes: [DEFECT, 'connection_not_found', 'plan_limit', 'role_not_assumable'],
  },
  // The end is written after the last write: what runs is finished and counted.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/** The same, of activities that report their progress. */
export const WATCHED = {
  ...RETRIED,
  heartbeatTimeout: INTERVALS.heartbeatTimeoutMs,
} satisfies ActivityOptions;

/** Retried without end, also after a defect, which a later version fixes. */
export const UNTIL_DONE = {
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: INTERVALS.maxRetryMs },
} satisfies ActivityOptions;

/** Why a scan or a migration failed, as its owner reads it. */
export interface FailureReason<Code extends string> {
  readonly code: Code | 'internal_error';
  readonly message: string;
}

/**
 * Why a scan or a migration failed. The failure keeps its code if it is one of `codes`. All others
 * are `internal_error`: defects, time-outs, a database that did not answer.
 */
export function toFailureReason<Code extends string>(
  work: 'scan' | 'migration' | 'release check' | 'relocation' | 'exit drill',
  codes: readonly Code[],
  error: unknown,
): FailureReason<Code> {
  const internal = (message: string) => ({ code: 'internal_error', message }) as const;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof TimeoutFailure) return internal(`The ${work} took longer than it may.`);
  if (!(cause instanceof ApplicationFailure) || cause.type === DEFECT)
    return internal('Something went wrong on our side.');
  const type = cause.type === 'provider_unavailable' ? 'provider_error' : cause.type;
  const code = codes.find((each) => each === type);
  return { code: code ?? 'internal_error', message: cause.message };
}
