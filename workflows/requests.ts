import {
  defaultPayloadConverter,
  workflowInfo,
  type Headers,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { REQUEST_HEADER } from '../messages/names.ts';

/**
 * Passes the request id to each activity, so that the logs of worker and API match: the id of the last
 * signal, else of the request that started the workflow.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let last: string | undefined;

  const withHeader = <T extends { headers: Headers }>(input: T): T => {
    const requestId = last ?? workflowInfo().memo?.['requestId'];
    if (typeof requestId !== 'string') return input;
    const header = { [REQUEST_HEADER]: defaultPayloadConverter.toPayload(requestId) };
    return { ...input, headers: { ...input.headers, ...header } };
  };

  return {
    inbound: [
      {
        handleSignal: (input, next) => {
          const payload = input.headers[REQUEST_HEADER];
          if (payload) last = defaultPayloadConverter.fromPayload<string>(payload);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withHeader(input)),
        scheduleLocalActivity: (input, next) => next(withHeader(input)),
      },
    ],
  };
};
