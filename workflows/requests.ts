import {
  AsyncLocalStorage,
  defaultPayloadConverter,
  workflowInfo,
  type Headers,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { REQUEST_HEADER } from '../messages/names.ts';

/**
 * Passes the request id to each activity, so that the logs of worker and API match: the id of the
 * current update or signal, else of the last one, else of the request that started the workflow.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const commands = new AsyncLocalStorage<string>();
  let last: string | undefined;

  const during = <T>(headers: Headers, work: () => T): T => {
    const payload = headers[REQUEST_HEADER];
    if (!payload) return work();
    last = defaultPayloadConverter.fromPayload<string>(payload);
    return commands.run(last, work);
  };
  const withHeader = <T extends { headers: Headers }>(input: T): T => {
    const requestId = commands.getStore() ?? last ?? workflowInfo().memo?.['requestId'];
    if (typeof requestId !== 'string') return input;
    const header = { [REQUEST_HEADER]: defaultPayloadConverter.toPayload(requestId) };
    return { ...input, headers: { ...input.headers, ...header } };
  };

  return {
    inbound: [
      {
        handleUpdate: (input, next) => during(input.headers, () => next(input)),
        handleSignal: (input, next) => during(input.headers, () => next(input)),
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
