import type { StoreCredentials } from '../vault/vault.ts';
import { objectPath, queryString, type BucketAddress } from './address.ts';
import { STORE_CALLS, withinBounds, type CallOptions } from './call-bounds.ts';
import { classifyRefusal, isOfCredentials, isOfTime, readErrorCode, StoreError } from './errors.ts';
import { createHeaderSigner } from './header-signer.ts';
import {
  findHeader,
  sendBuffered,
  type BufferedOptions,
  type StoreHttp,
  type StoreHttpRequest,
  type StoreHttpResponse,
  type StoreResponse,
  type UnsignedStoreRequest,
} from './http-messages.ts';
import { readAll } from './http-response-body.ts';
import { createS3Call, type S3Call } from './s3-client.ts';
import type { StoreClocks } from './store-clocks.ts';
import { MalformedAnswerError, UnsortedAnswerError } from './xml.ts';

export interface BucketConnectionDeps {
  readonly http: StoreHttp;
  readonly clocks: StoreClocks;
  /** How long a store may neither send nor receive. */
  readonly idleMs?: number;
  /** Called where the store refuses the credentials themselves. */
  readonly onDenied?: (() => void) | undefined;
}

export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: StoreHttpRequest['body'];
}

/** Sends signed requests to one bucket. A request that is refused for its time is sent again with the store's time. */
export interface BucketConnection {
  /** Returns a success; a piece of its body is valid until the next one is asked for. @throws StoreError */
  download(request: BucketRequest, signal: AbortSignal | undefined): Promise<StoreHttpResponse>;
  /** Returns every response, read into memory. @throws StoreError */
  send(
    request: BucketRequest,
    options?: CallOptions & Pick<BufferedOptions, 'headOnly'>,
  ): Promise<StoreResponse>;
  /** Gets a document of the bucket and reads it. @throws StoreError */
  getDocument<Document>(
    query: Readonly<Record<string, string>>,
    read: (body: Buffer) => Document,
    options?: CallOptions,
  ): Promise<Document>;
  /** For rare calls: not one per object or page. */
  readonly callS3: S3Call;
}

/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
const MAX_DOCUMENT_BYTES = 8 * 2 ** 20;
const MAX_REFUSAL_BYTES = 1 << 20;
const NO_HEADERS = {};

export function connectBucket(
  { http, clocks, idleMs = STORE_CALLS.idleMs, onDenied }: BucketConnectionDeps,
  address: BucketAddress,
  credentials: StoreCredentials,
): BucketConnection {
  const sign = createHeaderSigner(address, credentials);

  function unsigned({
    method,
    key,
    query,
    headers = NO_HEADERS,
    body,
  }: BucketRequest): UnsignedStoreRequest {
    const search = query === undefined ? '' : queryString(query).slice(1);
    return { method, path: objectPath(address, key), query: search, headers, body };
  }

  function signed({ body, ...request }: UnsignedStoreRequest): StoreHttpRequest {
    const { method, path, query } = request;
    const headers = sign(request, clocks.toStoreTime(address.endpoint, clocks.now()));
    // Unsigned, because Google changes the header in transit. A store that compresses an object announces no length.
    if (method === 'GET' || method === 'HEAD') headers['accept-encoding'] = 'identity';
    return { address, method, path: query === '' ? path : `${path}?${query}`, headers, body };
  }

  function note(code: string | undefined, rawHeaders: readonly string[]): void {
    if (isOfCredentials(code)) onDenied?.();
    if (isOfTime(code)) clocks.noteRefusal(address.endpoint, findHeader(rawHeaders, 'date'));
  }

  async function exchange(
    request: UnsignedStoreRequest,
    options: BufferedOptions,
  ): Promise<StoreResponse> {
    const response = await sendBuffered(http, signed(request), { idleMs, ...options });
    const errorCode = codeOf(request, response.status, response.errorCode);
    note(errorCode, response.rawHeaders);
    return { ...response, errorCode };
  }

  const send = (
    request: UnsignedStoreRequest,
    { timeoutMs, signal, ...options }: BufferedOptions,
  ): Promise<StoreResponse> =>
    withinBounds({ timeoutMs, signal }, async (bounds) => {
      const response = await exchange(request, { ...options, ...bounds });
      const isRepeated = isOfTime(response.errorCode) && isRepeatable(request);
      return isRepeated ? await exchange(request, { ...options, ...bounds }) : response;
    });

  async function download(
    request: UnsignedStoreRequest,
    signal: AbortSignal | undefined,
  ): Promise<StoreHttpResponse> {
    const response = await http(signed(request), { idleMs, signal, isDownload: true });
    const { status, rawHeaders, body } = response;
    if (status < 300) return response;
    const document = (await readAll(body, MAX_REFUSAL_BYTES)).toString('utf8');
    const code = codeOf(request, status, readErrorCode(document));
    note(code, rawHeaders);
    throw classifyRefusal(status, code);
  }

  return {
    async download(given, signal) {
      const request = unsigned(given);
      try {
        return await download(request, signal);
      } catch (error) {
        if (!(error instanceof StoreError && error.failure === 'clock_skewed')) throw error;
        return await download(request, signal);
      }
    },
    send: (request, options = {}) => send(unsigned(request), options),
    async getDocument(query, read, options) {
      const bounds = { ...options, maxBodyBytes: MAX_DOCUMENT_BYTES };
      const { status, errorCode, body } = await send(
        unsigned({ method: 'GET', key: '', query }),
        bounds,
      );
      if (status !== 200) throw classifyRefusal(status, errorCode);
      try {
        return read(body);
      } catch (error) {
        if (error instanceof UnsortedAnswerError) throw new StoreError('unsorted', error, false);
        // A truncated document may be complete the next time.
        if (error instanceof MalformedAnswerError) throw new StoreError('failed', error, true);
        throw error;
      }
    },
    callS3: createS3Call({
      address,
      send: (request, options) => send(request, { ...options, maxBodyBytes: MAX_DOCUMENT_BYTES }),
    }),
  };
}

const CONDITIONS = ['if-match', 'if-none-match'];

/**
 * The code of a refusal. A 412 to a condition says that it does not hold, and a 401 that the credentials are not accepted,
 * with a document or without. Nothing is known of a HEAD, whose answer has none: a GET follows it.
 */
function codeOf(
  { method, headers }: UnsignedStoreRequest,
  status: number,
  code: string | undefined,
): string | undefined {
  const isOfCondition = status === 412 && CONDITIONS.some((name) => name in headers);
  if (isOfCondition) return code ?? 'PreconditionFailed';
  const isOfKey = status === 401 && method !== 'HEAD' && !isOfCredentials(code) && !isOfTime(code);
  return isOfKey ? 'Unauthorized' : code;
}

/** A stream can be sent once. */
function isRepeatable({ body }: UnsignedStoreRequest): boolean {
  return body === undefined || Buffer.isBuffer(body);
}
