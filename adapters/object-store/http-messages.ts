import type { BucketAddress } from './address.ts';
import { withinBounds, type CallOptions } from './call-bounds.ts';
import { readErrorCode } from './errors.ts';
import type { UnsignedRequest } from './header-signer.ts';
import { readAll, type ResponseBody, type TransferBounds } from './http-response-body.ts';

/** A signed request. Its body may be a stream. */
export interface StoreHttpRequest {
  readonly address: Pick<
    BucketAddress,
    'provider' | 'protocol' | 'hostname' | 'port' | 'pathPrefix'
  >;
  readonly method: string;
  /** Escaped, with its query, as sent. No URL parser sees it. */
  readonly path: string;
  /** With a `content-length` if there is a body. Values are latin1: one character per byte. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream yields exactly the announced number of bytes, or throws. */
  readonly body?: Buffer | AsyncIterable<Buffer> | undefined;
}

/** A request that is signed when it is sent. */
export interface UnsignedStoreRequest extends UnsignedRequest {
  readonly body: StoreHttpRequest['body'];
}

export interface StoreHttpOptions extends TransferBounds {
  readonly signal?: AbortSignal | undefined;
  /** As in `CallOptions`. */
  readonly keepsSent?: boolean | undefined;
  /** The GET of an object: a piece of its body is valid until the next one is asked for. */
  readonly isDownload?: boolean | undefined;
}

/** A response whose head was read. Its body must be read to the end, or closed. */
export interface StoreHttpResponse {
  readonly status: number;
  /** Names and values in turn, one character per byte (latin1). */
  readonly rawHeaders: readonly string[];
  readonly body: ResponseBody;
}

/**
 * Sends one request. Every response is returned, also one that arrives before the request body is
 * sent, unless it reports success.
 *
 * @throws StoreError `timed_out`, `unreachable`, or `failed` for an early success; the signal's
 *   reason; and what the request body throws, unchanged.
 */
export type StoreHttp = (
  request: StoreHttpRequest,
  options: StoreHttpOptions,
) => Promise<StoreHttpResponse>;

/** The value of a header, of its first occurrence. `name` is lower-case. */
export function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) return rawHeaders[at + 1];
  return undefined;
}

/** A response that was read into memory. */
export interface StoreResponse {
  readonly status: number;
  /** Names and values in turn, one character per byte (latin1). */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The `Code` of an S3 error document. */
  readonly errorCode: string | undefined;
}

export interface BufferedOptions extends CallOptions {
  /** Bounds the store's silence. */
  readonly idleMs?: number | undefined;
  /** The longest response that is read; by default enough for an error document. */
  readonly maxBodyBytes?: number;
  /** The head of a success is enough: a body that is too long, or of unknown length, is dropped. */
  readonly headOnly?: boolean;
}

const DEFAULT_MAX_BODY_BYTES = 1 << 20;
const NOTHING = Buffer.alloc(0);

/**
 * Sends a request and reads its response into memory. Every response is returned.
 *
 * @throws StoreError `timed_out`, `unreachable`, or `failed` for a response that is too long; and
 * the signal's reason
 */
export function sendBuffered(
  http: StoreHttp,
  request: StoreHttpRequest,
  {
    idleMs,
    keepsSent,
    maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
    headOnly = false,
    ...options
  }: BufferedOptions,
): Promise<StoreResponse> {
  return withinBounds(options, async ({ signal }) => {
    const {
      status,
      rawHeaders,
      body: response,
    } = await http(request, {
      idleMs,
      signal,
      keepsSent,
    });
    const isDropped = headOnly && status < 300 && !(announcedLength(rawHeaders) <= maxBodyBytes);
    if (isDropped) response.close();
    const body = isDropped ? NOTHING : await readAll(response, maxBodyBytes);
    const errorCode = status < 300 ? undefined : readErrorCode(body.toString('utf8'));
    return { status, rawHeaders, body, errorCode };
  });
}

/** NaN if none is announced. */
function announcedLength(rawHeaders: readonly string[]): number {
  return Number(findHeader(rawHeaders, 'content-length') ?? Number.NaN);
}
