import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import { toFailure } from '../activities/failures.ts';
import type { Logger } from '../adapters/telemetry/logger.ts';

/** Says a failure to Temporal in our own words, and to the log in full. */
export function guardActivities(log: Logger): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) throw error;
          const { activityType, attempt, workflowExecution } = info;
          const workflowId = workflowExecution?.workflowId;
          log.warn({ err: error, activityType, attempt, workflowId }, 'activity failed');
          throw toFailure(error);
        }
      },
    },
  });
}
