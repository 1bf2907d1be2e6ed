import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import type { Headers, PayloadCodec } from '@temporalio/common';
import { isSuspended, toFailure, toPostponement } from '../activities/common/failures.ts';
import type { Logger } from '../adapters/telemetry/logger.ts';
import type { RequestScope } from '../adapters/telemetry/request-scope.ts';
import { decodeRequestId } from '../adapters/temporal/request-interceptor.ts';
import { REQUEST_HEADER } from '../messages/names.ts';
import { notePostponed } from './progress.ts';

/**
 * Runs each activity with the id of its request, and logs its end. Reports a failure to Temporal
 * without foreign messages, and to the log in full. An attempt at a suspended store is repeated
 * later.
 */
export function guardActivities(
  log: Logger,
  requests: RequestScope,
  codec: PayloadCodec,
): ActivityInterceptorsFactory {
  return ({ info }) => ({
    inbound: {
      execute: (input, next) =>
        inScope(requests, codec, input.headers, async () => {
          const { activityType, attempt, workflowExecution } = info;
          const line = { activityType, attempt, workflowId: workflowExecution?.workflowId };
          const startedAt = performance.now();
          const ms = () => Math.round((performance.now() - startedAt) * 10) / 10;
          try {
            const result = await next(input);
            log.info({ ...line, ms: ms() }, 'activity');
            return result;
          } catch (error) {
            if (error instanceof CancelledFailure || error instanceof CompleteAsyncError)
              throw error;
            if (isSuspended(error)) {
              notePostponed();
              log.info({ ...line, ms: ms() }, 'activity postponed');
              throw toPostponement(attempt);
            }
            log.warn({ err: error, ...line, ms: ms() }, 'activity failed');
            throw toFailure(error);
          }
        }),
    },
  });
}

async function inScope<T>(
  requests: RequestScope,
  codec: PayloadCodec,
  headers: Headers,
  work: () => Promise<T>,
): Promise<T> {
  const header = headers[REQUEST_HEADER];
  if (!header) return work();
  return requests.run(await decodeRequestId(codec, header), work);
}
