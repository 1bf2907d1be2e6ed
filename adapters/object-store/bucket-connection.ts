import { objectPath, queryString, type BucketAddress } from './address.ts';
import { STORE_CALLS, withinBounds, type CallOptions } from './call-bounds.ts';
import { classifyRefusal, isOfCredentials, isOfTime, readErrorCode, StoreError } from './errors.ts';
import { createHeaderSigner, type HeaderSigner, type SigningCredentials } from './header-signer.ts';
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

/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
const MAX_DOCUMENT_BYTES = 8 * 2 ** 20;
const MAX_REFUSAL_BYTES = 1 << 20;
const NO_HEADERS = {};

/** Sends signed requests to a bucket; one refused for its time again, by the store's time. */
export class BucketConnection {
  readonly #deps: BucketConnectionDeps;
  readonly #address: BucketAddress;
  readonly #sign: HeaderSigner;
  /** For rare calls: not one per object or page. */
  readonly callS3: S3Call;

  constructor(deps: BucketConnectionDeps, address: BucketAddress, credentials: SigningCredentials) {
    this.#deps = deps;
    this.#address = address;
    this.#sign = createHeaderSigner(address, credentials);
    this.callS3 = createS3Call({
      address,
      send: (request, options) =>
        this.#send(request, { ...options, maxBodyBytes: MAX_DOCUMENT_BYTES }),
    });
  }

  /** Returns a success; a piece of its body is valid until the next one. @throws StoreError */
  async download(
    given: BucketRequest,
    signal: AbortSignal | undefined,
  ): Promise<StoreHttpResponse> {
    const request = this.#unsigned(given);
    try {
      return await this.#download(request, signal);
    } catch (error) {
      if (!(error instanceof StoreError && error.failure === 'clock_skewed')) throw error;
      return await this.#download(request, signal);
    }
  }

  /** Returns every response, read into memory. @throws StoreError */
  send(
    request: BucketRequest,
    options: CallOptions & Pick<BufferedOptions, 'headOnly'> = {},
  ): Promise<StoreResponse> {
    return this.#send(this.#unsigned(request), options);
  }

  /** Gets a document of the bucket and reads it. @throws StoreError */
  async getDocument<Document>(
    query: Readonly<Record<string, string>>,
    read: (body: Buffer) => Document,
    options?: CallOptions,
  ): Promise<Document> {
    const { status, errorCode, body } = await this.#send(
      this.#unsigned({ method: 'GET', key: '', query }),
      { ...options, maxBodyBytes: MAX_DOCUMENT_BYTES },
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
  }

  async #download(
    request: UnsignedStoreRequest,
    signal: AbortSignal | undefined,
  ): Promise<StoreHttpResponse> {
    const { http, idleMs = STORE_CALLS.idleMs } = this.#deps;
    const response = await http(this.#signed(request), { idleMs, signal, isDownload: true });
    const { status, rawHeaders, body } = response;
    if (status < 300) return response;
    const document = (await readAll(body, MAX_REFUSAL_BYTES)).toString('utf8');
    const code = codeOf(request, status, readErrorCode(document));
    this.#note(code, rawHeaders);
    throw classifyRefusal(status, code);
  }

  #send(
    request: UnsignedStoreRequest,
    { timeoutMs, signal, ...options }: BufferedOptions,
  ): Promise<StoreResponse> {
    return withinBounds({ timeoutMs, signal }, async (bounds) => {
      const response = await this.#exchange(request, { ...options, ...bounds });
      const isRepeated = isOfTime(response.errorCode) && isRepeatable(request);
      return isRepeated ? await this.#exchange(request, { ...options, ...bounds }) : response;
    });
  }

  async #exchange(request: UnsignedStoreRequest, options: BufferedOptions): Promise<StoreResponse> {
    const { http, idleMs = STORE_CALLS.idleMs } = this.#deps;
    const response = await sendBuffered(http, this.#signed(request), { idleMs, ...options });
    const errorCode = codeOf(request, response.status, response.errorCode);
    this.#note(errorCode, response.rawHeaders);
    return { ...response, errorCode };
  }

  #unsigned({
    method,
    key,
    query,
    headers = NO_HEADERS,
    body,
  }: BucketRequest): UnsignedStoreRequest {
    const search = query === undefined ? '' : queryString(query).slice(1);
    return { method, path: objectPath(this.#address, key), query: search, headers, body };
  }

  #signed({ body, ...request }: UnsignedStoreRequest): StoreHttpRequest {
    const { method, path, query } = request;
    const { clocks } = this.#deps;
    const address = this.#address;
    const headers = this.#sign(request, clocks.toStoreTime(address.endpoint, clocks.now()));
    // Unsigned, because Google changes the header in transit. A store that compresses an object
    // announces no length.
    if (method === 'GET' || method === 'HEAD') headers['accept-encoding'] = 'identity';
    return { address, method, path: query === '' ? path : `${path}?${query}`, headers, body };
  }

  #note(code: string | undefined, rawHeaders: readonly string[]): void {
    const { clocks, onDenied } = this.#deps;
    if (isOfCredentials(code)) onDenied?.();
    if (isOfTime(code)) clocks.noteRefusal(this.#address.endpoint, findHeader(rawHeaders, 'date'));
  }
}

const CONDITIONS = ['if-match', 'if-none-match'];

/**
 * The code of a refusal. A 412 to a condition says that it does not hold, and a 401 that the
 * credentials are not accepted, with a document or without. Nothing is known of a HEAD, whose
 * answer has none: a GET follows it.
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
