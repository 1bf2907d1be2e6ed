import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';

/**
 * Temporal's data converter leaves headers alone, so the ends of a header's way encode and decode it.
 * The workflow between them passes it on as it is.
 */
export async function encodeRequestId(codec: PayloadCodec, requestId: string): Promise<Payload> {
  const [encoded] = await codec.encode([defaultPayloadConverter.toPayload(requestId)]);
  if (!encoded) throw new Error('the codec lost the request id');
  return encoded;
}

/** @throws ValueError where the codec has no key for it */
export async function decodeRequestId(codec: PayloadCodec, header: Payload): Promise<string> {
  const [payload] = await codec.decode([header]);
  if (!payload) throw new Error('the codec lost the request id');
  return defaultPayloadConverter.fromPayload<string>(payload);
}
