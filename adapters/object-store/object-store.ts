import { create as createContentDisposition } from 'content-disposition';
import type { StoreLocation } from '../../domain/provider/catalogue.ts';
import type { CorsRequest, PreflightAnswer } from '../../domain/provider/cors.ts';
import { baseName } from '../../domain/upload/file-name.ts';
import type { StoreCredentials } from '../vault/vault.ts';
import { bucketAddress, objectPath, type EndpointOverrides } from './address.ts';
import { storeErrorFor } from './errors.ts';
import { sendBuffered, type StoreResponse } from './http-buffered.ts';
import { headerOf, type StoreHttp } from './http-messages.ts';
import { createHeaderSigner } from './header-signer.ts';
import { sendPreflight } from './preflight.ts';
import { createPresigner } from './presigner.ts';

export interface StoredObject {
  readonly sizeBytes: number;
}

export interface UploadUrlRequest {
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Base64; the PUT must send it as `Content-MD5`. */
  readonly contentMd5?: string | undefined;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

export interface PartUrlRequest {
  readonly key: string;
  readonly uploadId: string;
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

export interface DownloadUrlRequest {
  readonly key: string;
  /** The name under which a browser saves it. */
  readonly fileName: string;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

/** Bounds one call to a store. */
export interface CallOptions {
  readonly timeoutMs: number;
}

/**
 * One bucket of a customer, with the customer's credentials. The contract holds for every provider and
 * is tested by `test/contract/object-store.ts`.
 *
 * Every method that sends a request rejects with a `StoreError` where the store refuses or does not
 * respond. A missing object is a result, not an error.
 */
export interface ObjectStore {
  /** A URL for one PUT of exactly this type and size. */
  presignUpload(request: UploadUrlRequest): string;
  /** A URL for PUTs of one part of exactly this size. */
  presignPart(request: PartUrlRequest): string;
  /** A URL for GETs that saves the file under its own name. */
  presignDownload(request: DownloadUrlRequest): string;
  /** The size of the object; undefined where it is missing. */
  head(key: string, options: CallOptions): Promise<StoredObject | undefined>;
  /** Writes a small object from memory. */
  put(key: string, body: Buffer, options: CallOptions): Promise<void>;
  /** Reads a small object into memory; undefined where it is missing. */
  get(key: string, options: CallOptions): Promise<Buffer | undefined>;
  /** Deletes the object; a missing one counts as deleted. */
  delete(key: string, options: CallOptions): Promise<void>;
  /** Asks as a browser would whether a page may send this request; a refusal is an answer. */
  preflight(key: string, request: CorsRequest, options: CallOptions): Promise<PreflightAnswer>;
}

export interface ObjectStoreDeps {
  readonly http: StoreHttp;
  readonly endpoints: EndpointOverrides;
  readonly now: () => Date;
}

export type OpenObjectStore = (
  location: StoreLocation,
  credentials: StoreCredentials,
) => ObjectStore;

interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Gives the function that opens customers' stores. Opening sends nothing. */
export function createObjectStores(deps: ObjectStoreDeps): OpenObjectStore {
  return (location, credentials) => {
    const address = bucketAddress(location, deps.endpoints);
    const sign = createHeaderSigner(address, credentials);
    const presign = createPresigner(address, credentials);

    function send(
      { method, key, headers = {} }: ObjectRequest,
      options: CallOptions,
      body?: Buffer,
    ): Promise<StoreResponse> {
      const path = objectPath(address, key);
      const signed = sign({ method, path, query: '', headers }, deps.now());
      return sendBuffered(deps.http, { address, method, path, headers: signed, body }, options);
    }

    /** The response to a HEAD has no body with the reason; the response to a GET of one byte has. */
    const askForReason = (key: string, timeoutMs: number): Promise<StoreResponse> =>
      send({ method: 'GET', key, headers: { range: 'bytes=0-0' } }, { timeoutMs });

    return {
      presignUpload: ({ key, contentType, sizeBytes, contentMd5, expiresInSeconds, signedAt }) =>
        presign({
          method: 'PUT',
          key,
          headers: {
            'content-type': contentType,
            'content-length': String(sizeBytes),
            ...(contentMd5 === undefined ? {} : { 'content-md5': contentMd5 }),
          },
          expiresInSeconds,
          signedAt,
        }),

      presignPart: ({ key, uploadId, partNumber, sizeBytes, expiresInSeconds, signedAt }) =>
        presign({
          method: 'PUT',
          key,
          query: { partNumber: String(partNumber), uploadId },
          headers: { 'content-length': String(sizeBytes) },
          expiresInSeconds,
          signedAt,
        }),

      presignDownload: ({ key, fileName, expiresInSeconds, signedAt }) =>
        presign({
          method: 'GET',
          key,
          query: { 'response-content-disposition': attachment(fileName) },
          expiresInSeconds,
          signedAt,
        }),

      async head(key, options) {
        const startedAt = performance.now();
        const found = await send({ method: 'HEAD', key }, options);
        if (found.status === 200)
          return { sizeBytes: Number(headerOf(found.rawHeaders, 'content-length')) };
        // The store is overloaded or fails: a second request would add to it.
        if (found.status >= 429) throw storeErrorFor(found.status, undefined);
        const leftMs = options.timeoutMs - (performance.now() - startedAt);
        const reason = await askForReason(key, Math.max(1, Math.floor(leftMs)));
        if (found.status === 404 && (isMissingObject(reason) || exists(reason))) return undefined;
        const { status, errorCode } = exists(reason) ? found : reason;
        throw storeErrorFor(status, errorCode);
      },

      async put(key, body, options) {
        const headers = {
          'content-type': 'application/octet-stream',
          'content-length': String(body.length),
        };
        const response = await send({ method: 'PUT', key, headers }, options, body);
        if (response.status !== 200) throw storeErrorFor(response.status, response.errorCode);
      },

      async get(key, options) {
        const response = await send({ method: 'GET', key }, options);
        if (response.status === 200) return response.body;
        if (isMissingObject(response)) return undefined;
        throw storeErrorFor(response.status, response.errorCode);
      },

      async delete(key, options) {
        const response = await send({ method: 'DELETE', key }, options);
        if (response.status === 204 || response.status === 200 || isMissingObject(response)) return;
        throw storeErrorFor(response.status, response.errorCode);
      },

      preflight: (key, request, options) =>
        sendPreflight(deps.http, address, { ...request, key }, options),
    };
  };
}

/** Another 404 (no such bucket, no such access key) does not mean that the object is missing. */
function isMissingObject({ status, errorCode }: StoreResponse): boolean {
  return status === 404 && (errorCode === 'NoSuchKey' || errorCode === 'NoSuchVersion');
}

/** The object exists after all: it was written between the two requests (416: and is empty). */
function exists({ status }: StoreResponse): boolean {
  return status < 300 || status === 416;
}

/** RFC 6266, with `filename*` for names beyond ASCII. */
function attachment(fileName: string): string {
  const name = baseName(fileName) || 'file';
  return createContentDisposition(name, { fallback: name.replace(/[^\x20-\x7e]/gu, '_') });
}
