import type { StoreLocation } from '../../domain/provider/catalogue.ts';
import type { StoreCredentials } from '../vault/vault.ts';
import { bucketAddress, objectPath, queryString, type EndpointOverrides } from './address.ts';
import { errorCodeOf, StoreError, storeErrorFor } from './errors.ts';
import { createHeaderSigner } from './header-signer.ts';
import { sendBuffered } from './http-buffered.ts';
import type { StoreHttp, StoreHttpRequest, StoreHttpResponse } from './http-messages.ts';
import { createS3Call, type S3Call } from './s3-client.ts';
import type { TransferOptions } from './transfer-store.ts';
import { MalformedAnswer } from './xml.ts';

export interface BucketDeps {
  readonly http: StoreHttp;
  readonly endpoints: EndpointOverrides;
  readonly now: () => Date;
  /** How long a store may send and take nothing; 15 s by default. */
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

/** Signs and sends. Every response is returned; its body must be read, discarded or closed. */
export type SendToBucket = (
  request: BucketRequest,
  options: TransferOptions | undefined,
) => Promise<StoreHttpResponse>;

/** One bucket, with the credentials to reach it. */
export interface BucketConnection {
  readonly bucketName: string;
  /** For the requests of which there is one per object. */
  readonly send: SendToBucket;
  /** For the rare calls. */
  readonly callS3: S3Call;
}

const IDLE_MS = 15_000;
/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
const MAX_DOCUMENT_BYTES = 8 * 2 ** 20;
const NO_HEADERS = {};

export function openBucket(
  { http, endpoints, now, idleMs = IDLE_MS }: BucketDeps,
  location: StoreLocation,
  credentials: StoreCredentials,
): BucketConnection {
  const address = bucketAddress(location, endpoints);
  const sign = createHeaderSigner(address, credentials);
  return {
    bucketName: location.bucketName,
    send({ method, key, query, headers = NO_HEADERS, body }, options) {
      const path = objectPath(address, key);
      const search = query === undefined ? '' : queryString(query);
      const signed = sign({ method, path, query: search.slice(1), headers }, now());
      return http(
        { address, method, path: path + search, headers: signed, body },
        { idleMs, signal: options?.signal },
      );
    },
    callS3: createS3Call({
      address,
      sign,
      now,
      send: (request, options) =>
        sendBuffered(http, request, {
          signal: options.signal,
          idleMs: options.idleMs ?? idleMs,
          maxBodyBytes: MAX_DOCUMENT_BYTES,
        }),
    }),
  };
}

/** The code of a refusal, read from the response body. */
export async function codeOf(response: StoreHttpResponse): Promise<string | undefined> {
  return errorCodeOf((await response.body.readAll(MAX_DOCUMENT_BYTES)).toString('utf8'));
}

/** The error of a refusal, read from the response body. */
export async function refusalOf(response: StoreHttpResponse): Promise<StoreError> {
  return storeErrorFor(response.status, await codeOf(response));
}

/** The document of a response with status 200. @throws StoreError */
export async function readDocument<Document>(
  response: StoreHttpResponse,
  read: (body: Buffer) => Document,
): Promise<Document> {
  if (response.status !== 200) throw await refusalOf(response);
  const body = await response.body.readAll(MAX_DOCUMENT_BYTES);
  try {
    return read(body);
  } catch (error) {
    // A document that ends in its middle may be complete the next time.
    if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
    throw error;
  }
}
