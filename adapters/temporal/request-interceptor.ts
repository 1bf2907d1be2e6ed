import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { REQUEST_HEADER } from '../../messages/names.ts';
import type { RequestScope } from '../telemetry/request-scope.ts';

/**
 * Sends the request id with each start and signal, and stores it in the memo of a started
 * workflow, so that operators can match requests and workflows.
 */
export function carryRequestId(scope: Pick<RequestScope, 'current'>): WorkflowClientInterceptor {
  const withHeader = (headers: Headers): Headers => {
    const requestId = scope.current();
    if (requestId === undefined) return headers;
    return { ...headers, [REQUEST_HEADER]: defaultPayloadConverter.toPayload(requestId) };
  };
  const withMemo = <T extends { memo?: Record<string, unknown> }>(options: T): T => {
    const requestId = scope.current();
    return requestId === undefined ? options : { ...options, memo: { ...options.memo, requestId } };
  };

  return {
    startWithDetails: (input, next) =>
      next({ ...input, headers: withHeader(input.headers), options: withMemo(input.options) }),
    signalWithStart: (input, next) =>
      next({ ...input, headers: withHeader(input.headers), options: withMemo(input.options) }),
  };
}
