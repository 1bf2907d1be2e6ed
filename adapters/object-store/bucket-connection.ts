import type { StoreCredentials } from '../vault/vault.ts';
import { objectPath, queryString, type BucketAddress } from './address.ts';
import { STORE_CALLS, type CallOptions } from './call-bounds.ts';
import { StoreError, classifyRefusal } from './errors.ts';
import { createHeaderSigner } from './header-signer.ts';
import {
  sendBuffered,
  type StoreHttp,
  type StoreHttpRequest,
  type StoreHttpResponse,
  type StoreResponse,
} from './http-messages.ts';
import { createS3Call, type S3Call } from './s3-client.ts';
import { MalformedAnswer, UnsortedAnswer } from './xml.ts';

export interface BucketConnectionDeps {
  readonly http: StoreHttp;
  readonly now: () => Date;
  /** How long a store may neither send nor receive. */
  readonly idleMs?: number;
}

export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: StoreHttpRequest['body'];
}

/** Sends signed requests to one bucket. */
export interface BucketConnection {
  /** Returns every response; a piece of its body is valid until the next one is asked for. */
  download(request: BucketRequest, signal: AbortSignal | undefined): Promise<StoreHttpResponse>;
  /** Returns every response, read into memory. @throws StoreError */
  send(request: BucketRequest, options?: CallOptions): Promise<StoreResponse>;
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
const NO_HEADERS = {};

export function connectBucket(
  { http, now, idleMs = STORE_CALLS.idleMs }: BucketConnectionDeps,
  address: BucketAddress,
  credentials: StoreCredentials,
): BucketConnection {
  const sign = createHeaderSigner(address, credentials);

  function signed({
    method,
    key,
    query,
    headers = NO_HEADERS,
    body,
  }: BucketRequest): StoreHttpRequest {
    const path = objectPath(address, key);
    const search = query === undefined ? '' : queryString(query);
    const all = sign({ method, path, query: search.slice(1), headers }, now());
    return { address, method, path: path + search, headers: all, body };
  }

  return {
    download: (request, signal) => http(signed(request), { idleMs, signal, isDownload: true }),
    send: (request, options) => sendBuffered(http, signed(request), { idleMs, ...options }),
    async getDocument(query, read, options) {
      const request = signed({ method: 'GET', key: '', query });
      const bounds = { idleMs, ...options, maxBodyBytes: MAX_DOCUMENT_BYTES };
      const { status, errorCode, body } = await sendBuffered(http, request, bounds);
      if (status !== 200) throw classifyRefusal(status, errorCode);
      try {
        return read(body);
      } catch (error) {
        if (error instanceof UnsortedAnswer) throw new StoreError('unsorted', error, false);
        // A truncated document may be complete the next time.
        if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
        throw error;
      }
    },
    callS3: createS3Call({
      address,
      sign,
      now,
      send: (request, options) =>
        sendBuffered(http, request, { idleMs, ...options, maxBodyBytes: MAX_DOCUMENT_BYTES }),
    }),
  };
}
