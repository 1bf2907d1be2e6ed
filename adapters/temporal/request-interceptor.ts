import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers, PayloadCodec } from '@temporalio/common';
import { REQUEST_HEADER } from '../../messages/names.ts';
import type { RequestScope } from '../telemetry/request-scope.ts';
import { encodeRequestId } from './request-header.ts';

/**
 * Sends the request id with each start and signal, and stores it in the memo of a started
 * workflow, so that operators can match requests and workflows.
 */
export function carryRequestId(
  scope: Pick<RequestScope, 'current'>,
  codec: PayloadCodec,
): WorkflowClientInterceptor {
  async function withRequestId<T extends StartInput>(input: T): Promise<T> {
    const requestId = scope.current();
    if (requestId === undefined) return input;
    const header = { [REQUEST_HEADER]: await encodeRequestId(codec, requestId) };
    const options = { ...input.options, memo: { ...input.options.memo, requestId } };
    return { ...input, headers: { ...input.headers, ...header }, options };
  }

  return {
    startWithDetails: async (input, next) => next(await withRequestId(input)),
    signalWithStart: async (input, next) => next(await withRequestId(input)),
  };
}

interface StartInput {
  readonly headers: Headers;
  readonly options: { readonly memo?: Record<string, unknown> };
}
