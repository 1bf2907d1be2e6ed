import { create as createContentDisposition } from 'content-disposition';
import { baseName } from '../../domain/upload/file-name.ts';
import { bucketAddress, type FindEndpoint } from './address.ts';
import {
  connectBucket,
  type BucketConnection,
  type BucketConnectionDeps,
} from './bucket-connection.ts';
import { withinBounds, type CallOptions } from './call-bounds.ts';
import { readErrorCode, StoreError, classifyRefusal } from './errors.ts';
import { type StoreHttp, type StoreResponse } from './http-messages.ts';
import { readObjectsPage } from './list-answers.ts';
import { readAll } from './http-response-body.ts';
import { createMultipartUploads } from './multipart-uploads.ts';
import {
  readDescription,
  readWritten,
  type DescribedResponse,
  type WrittenObject,
} from './object-description.ts';
import type { ByteRange, ObjectBody, ObjectStore, OpenObjectStore } from './object-store.ts';
import { sendPreflight } from './preflight.ts';
import { createPresigner, type Presign } from './presigner.ts';

export interface ObjectStoreDeps extends BucketConnectionDeps {
  readonly findEndpoint: FindEndpoint;
}

/** Returns the function that opens customers' buckets, by the S3 API. */
export function createObjectStores(deps: ObjectStoreDeps): OpenObjectStore {
  return (location, credentials, onDenied = () => {}) => {
    const address = bucketAddress(location, deps.findEndpoint);
    const http = watchDenials(deps.http, onDenied);
    const connection = connectBucket({ ...deps, http }, address, credentials);
    return {
      ...createUrls(createPresigner(address, credentials)),
      preflight: (key, request, options) =>
        sendPreflight(deps.http, address, { ...request, key }, options),
      ...createReads(connection),
      ...createWrites(connection),
      ...createMultipartUploads(connection, location.bucketName),
    };
  };
}

function watchDenials(http: StoreHttp, onDenied: () => void): StoreHttp {
  return async (request, options) => {
    const response = await http(request, options);
    if (response.status === 401 || response.status === 403) onDenied();
    return response;
  };
}

function createUrls(
  presign: Presign,
): Pick<ObjectStore, 'presignUpload' | 'presignPart' | 'presignDownload'> {
  return {
    presignUpload: ({ contentType, sizeBytes, contentMd5, ...request }) =>
      presign({
        ...request,
        method: 'PUT',
        headers: {
          'content-type': contentType,
          'content-length': String(sizeBytes),
          ...(contentMd5 === undefined ? {} : { 'content-md5': contentMd5 }),
        },
      }),

    presignPart: ({ uploadId, partNumber, sizeBytes, ...request }) =>
      presign({
        ...request,
        method: 'PUT',
        query: { partNumber: String(partNumber), uploadId },
        headers: { 'content-length': String(sizeBytes) },
      }),

    presignDownload: ({ fileName, ...request }) =>
      presign({
        ...request,
        method: 'GET',
        query: { 'response-content-disposition': attachment(fileName) },
      }),
  };
}

/** RFC 6266, with `filename*` for names beyond ASCII. */
function attachment(fileName: string): string {
  const name = baseName(fileName) || 'file';
  return createContentDisposition(name, { fallback: name.replace(/[^\x20-\x7e]/gu, '_') });
}

const MAX_KEYS = 1_000;
const MAX_DOCUMENT_BYTES = 1 << 20;

function createReads({
  download,
  send,
  getDocument,
}: BucketConnection): Pick<ObjectStore, 'list' | 'head' | 'get' | 'open'> {
  return {
    async list({ prefix, after, maxKeys = MAX_KEYS }, options) {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(maxKeys),
        ...(prefix === '' ? {} : { prefix }),
        ...(after === null ? {} : { 'start-after': after }),
      };
      const page = await getDocument(query, (body) => readObjectsPage(body, after), options);
      return { entries: page.entries, isTruncated: page.next !== null };
    },

    head: (key, options = {}) =>
      withinBounds(options, async (bounds) => {
        const found = await send({ method: 'HEAD', key }, bounds);
        if (found.status === 200) return readDescription(found.rawHeaders);
        // The store is overloaded or fails: a second request would add to it.
        if (found.status >= 429) throw classifyRefusal(found.status, undefined);
        // The response to a HEAD has no body with the reason; the response to a GET of one byte has.
        const oneByte = { range: 'bytes=0-0' };
        const reason = await send({ method: 'GET', key, headers: oneByte }, bounds);
        // The object exists after all: it was written between the two requests (416: and is empty).
        const exists = reason.status < 300 || reason.status === 416;
        if (found.status === 404 && (exists || isMissing(reason))) return undefined;
        throw exists ? classifyRefusal(found.status, undefined) : toRefusal(reason);
      }),

    async get(key, options) {
      const response = await send({ method: 'GET', key }, options);
      if (response.status === 200) return response.body;
      if (isMissing(response)) return undefined;
      throw toRefusal(response);
    },

    async open(key, { ifMatch, range }, options) {
      const headers: Record<string, string> = { 'if-match': `"${ifMatch}"` };
      if (range) headers['range'] = `bytes=${range.first}-${range.last}`;
      const response = await download({ method: 'GET', key, headers }, options?.signal);
      const { status, rawHeaders, body } = response;
      if (status !== 200 && status !== 206) {
        const document = await readAll(body, MAX_DOCUMENT_BYTES);
        throw classifyRefusal(status, readErrorCode(document.toString('utf8')));
      }
      const described = readDescription(rawHeaders);
      if (!matchesRange(status, described, range)) {
        body.close();
        throw new StoreError('failed', new Error('the response contains another range'));
      }
      return { ...described, body, close: () => body.close() };
    },
  };
}

/** A store that ignores the range sends the whole object: correct only if that is the range. */
function matchesRange(
  status: number,
  described: DescribedResponse,
  range: ByteRange | undefined,
): boolean {
  if (!range) return status === 200;
  if (status === 206) return described.firstByte === range.first;
  return range.first === 0 && described.bodyBytes === range.last + 1;
}

function createWrites({
  send,
}: BucketConnection): Pick<ObjectStore, 'write' | 'writePart' | 'delete'> {
  async function put(
    key: string,
    { sizeBytes, md5, body }: ObjectBody,
    more: { headers?: Readonly<Record<string, string>>; query?: Record<string, string> },
    options: CallOptions | undefined,
  ): Promise<WrittenObject> {
    const headers = {
      ...more.headers,
      'content-length': String(sizeBytes),
      ...(md5 ? { 'content-md5': md5.toString('base64') } : {}),
    };
    const response = await send({ ...more, method: 'PUT', key, headers, body }, options);
    if (response.status !== 200) throw toRefusal(response);
    return readWritten(response.rawHeaders);
  }

  return {
    write: (key, { headers, ...body }, options) => put(key, body, { headers }, options),

    writePart: (key, uploadId, partNumber, body, options) =>
      put(key, body, { query: { partNumber: String(partNumber), uploadId } }, options),

    async delete(key, { ifMatch, ...options } = {}) {
      const headers = ifMatch === undefined ? {} : { headers: { 'if-match': `"${ifMatch}"` } };
      const response = await send({ method: 'DELETE', key, ...headers }, options);
      if (response.status >= 300 && !isMissing(response)) throw toRefusal(response);
    },
  };
}

function toRefusal({ status, errorCode }: StoreResponse): StoreError {
  return classifyRefusal(status, errorCode);
}

/** Another 404 (no such bucket, no such access key) does not mean that the object is missing. */
function isMissing(response: StoreResponse): boolean {
  return response.status === 404 && toRefusal(response).failure === 'missing';
}
