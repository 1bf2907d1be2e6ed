import { firstOf } from '../abort-signals.ts';
import { errorCodeOf, StoreError } from './errors.ts';
import type { StoreHttp, StoreHttpRequest } from './http-messages.ts';

/** A response that was read into memory. */
export interface StoreResponse {
  readonly status: number;
  /** Names and values in turn, one character per byte (latin1). */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The `Code` of an S3 error document. */
  readonly errorCode: string | undefined;
}

export interface BufferedOptions {
  /** Bounds the whole call. */
  readonly timeoutMs?: number | undefined;
  /** Bounds the store's silence. */
  readonly idleMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The longest response that is read; by default enough for an error document. */
  readonly maxBodyBytes?: number;
}

const DEFAULT_MAX_BODY_BYTES = 1 << 20;

/**
 * Sends a request and reads its response into memory. Every response is returned.
 *
 * @throws StoreError `timed_out`, `unreachable`, or `failed` for a response that is too long; and the
 *   signal's reason
 */
export async function sendBuffered(
  http: StoreHttp,
  request: StoreHttpRequest,
  { timeoutMs, idleMs, signal, maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: BufferedOptions,
): Promise<StoreResponse> {
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const bounds = firstOf([signal, timeout]);
  try {
    const answer = await http(request, { idleMs, signal: bounds.signal });
    const { status, rawHeaders } = answer;
    const body = await answer.body.readAll(maxBodyBytes);
    const errorCode = status < 300 ? undefined : errorCodeOf(body.toString('utf8'));
    return { status, rawHeaders, body, errorCode };
  } catch (error) {
    if (timeout?.aborted && error === timeout.reason) throw new StoreError('timed_out', error);
    throw error;
  } finally {
    bounds.release();
  }
}
