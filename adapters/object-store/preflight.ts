import type { CorsRequest, PreflightAnswer } from '../../domain/providers/cors.ts';
import { hostHeader, objectPath, type BucketAddress } from './address.ts';
import { classifyRefusal, type StoreFailure } from './errors.ts';
import type { CallOptions } from './call-bounds.ts';
import { sendBuffered, type StoreHttp } from './http-messages.ts';

/** Failures of the call; every other refusal is the answer to the preflight. */
const NO_ANSWER: ReadonlySet<StoreFailure> = new Set([
  'bucket_missing',
  'wrong_region',
  'throttled',
  'timed_out',
]);

/**
 * Sends the preflight of a request to an object, unsigned as browsers send it.
 *
 * @throws StoreError
 */
export async function sendPreflight(
  http: StoreHttp,
  address: BucketAddress,
  { key, origin, method, headers }: CorsRequest & { readonly key: string },
  options: CallOptions = {},
): Promise<PreflightAnswer> {
  const request = {
    address,
    method: 'OPTIONS',
    path: objectPath(address, key),
    headers: {
      host: hostHeader(address),
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers.join(','),
    },
  };
  const { status, errorCode, rawHeaders } = await sendBuffered(http, request, options);
  if (status >= 300) {
    const refusal = classifyRefusal(status, errorCode);
    if (status >= 500 || NO_ANSWER.has(refusal.failure)) throw refusal;
  }
  return {
    status,
    allowOrigin: joined(rawHeaders, 'access-control-allow-origin'),
    allowMethods: joined(rawHeaders, 'access-control-allow-methods'),
    allowHeaders: joined(rawHeaders, 'access-control-allow-headers'),
  };
}

/** All values of a header; undefined if there is none. */
function joined(rawHeaders: readonly string[], name: string): string | undefined {
  const values = rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
  return values.length === 0 ? undefined : values.join(', ');
}
