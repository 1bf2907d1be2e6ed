import {
  defaultPayloadConverter,
  type Payload,
  type PayloadCodec,
  type Headers,
} from '@temporalio/common';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { REQUEST_HEADER } from '../../messages/names.ts';
import type { RequestScope } from '../telemetry/request-scope.ts';

/**
 * Temporal's data converter leaves headers alone, so the ends of a header's way encode and decode
 * it. The workflow between them passes it on as it is.
 */
async function encodeRequestId(codec: PayloadCodec, requestId: string): Promise<Payload> {
  const [encoded] = await codec.encode([defaultPayloadConverter.toPayload(requestId)]);
  if (!encoded) throw new Error('the codec lost the request id');
  return encoded;
}

/** @throws ValueError if the codec has no key for it */
export async function decodeRequestId(codec: PayloadCodec, header: Payload): Promise<string> {
  const [payload] = await codec.decode([header]);
  if (!payload) throw new Error('the codec lost the request id');
  return defaultPayloadConverter.fromPayload<string>(payload);
}

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
