import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { DEFECT } from '../messages/names.ts';

/**
 * How often activities are repeated. Attempts are bounded, never the time from the schedule to the end:
 * that includes the time in which no worker is free.
 */

/**
 * A dependency that is unavailable for over six hours ends the work: the waits before the attempts 2 to
 * 13 (0.5 s × 1.5ⁿ) take 2 minutes, those before the other 387 a minute each. Attempts that time out
 * add their own length.
 */
export const RETRIED = {
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '1m',
    maximumAttempts: 400,
    nonRetryableErrorTypes: [DEFECT, 'connection_not_found', 'plan_limit', 'role_not_assumable'],
  },
  // The end is written after the last write: what runs is finished and counted.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

/** Retried without end, also after a defect, which a later version mends: the work must reach an end. */
export const UNTIL_DONE = {
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
} satisfies ActivityOptions;
