import { create as createContentDisposition } from 'content-disposition';
import { downloadName } from '../../domain/uploads/file-name.ts';
import { bucketAddress, type FindEndpoint } from './address.ts';
import { BucketConnection, type BucketConnectionDeps } from './bucket-connection.ts';
import { withinBounds, type CallOptions } from './call-bounds.ts';
import { classifyRefusal, isOfCredentials, StoreError } from './errors.ts';
import type { StoreResponse } from './http-messages.ts';
import { readObjectsPage, type ListedEntry } from './list-answers.ts';
import { createBucketSettings, createMultipartUploads } from './multipart-uploads.ts';
import {
  readDescription,
  readWritten,
  type DescribedResponse,
  type WrittenObject,
} from './object-description.ts';
import type {
  ByteRange,
  ListedPage,
  ObjectBody,
  ObjectDescription,
  ObjectHeaders,
  ObjectStore,
  OpenObjectStore,
} from './object-store.ts';
import { sendPreflight } from './preflight.ts';
import { createPresigner, type Presign } from './presigner.ts';

export interface ObjectStoreDeps extends BucketConnectionDeps {
  readonly findEndpoint: FindEndpoint;
}

/** Returns the function that opens customers' buckets, by the S3 API. */
export function createObjectStores(deps: ObjectStoreDeps): OpenObjectStore {
  return (location, credentials, onDenied) => {
    const address = bucketAddress(location, deps.findEndpoint);
    const connection = new BucketConnection({ ...deps, onDenied }, address, credentials);
    const presign = createPresigner(address, credentials);
    const toStoreTime = (time: Date) => deps.clocks.toStoreTime(address.endpoint, time);
    return {
      ...createUrls((request) => presign({ ...request, signedAt: toStoreTime(request.signedAt) })),
      preflight: (key, request, options) =>
        sendPreflight(deps.http, address, { ...request, key }, options),
      ...createReads(connection),
      ...createWrites(connection),
      ...createMultipartUploads(connection, location.bucketName),
      ...createBucketSettings(connection, location.bucketName),
    };
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
  const name = downloadName(fileName);
  return createContentDisposition(name, { fallback: name.replace(/[^\x20-\x7e]/gu, '_') });
}

const MAX_KEYS = 1_000;

function createReads(
  connection: BucketConnection,
): Pick<ObjectStore, 'list' | 'head' | 'get' | 'open'> {
  /**
   * Asks for one byte: the response to a HEAD has no body with the reason of a refusal, and lacks
   * the length at stores that compress; and some stores answer it 404 where a GET finds the object.
   *
   * @throws StoreError
   */
  async function describeByGet(key: string, bounds: CallOptions): Promise<ObjectDescription> {
    const read = (headers: ObjectHeaders) =>
      connection.send({ method: 'GET', key, headers }, { ...bounds, headOnly: true });
    const oneByte = await read({ range: 'bytes=0-0' });
    // An empty object has no first byte.
    const response = oneByte.status === 416 ? await read({}) : oneByte;
    if (response.status >= 300) throw toRefusal(response);
    const described = readDescription(response.rawHeaders);
    if (!Number.isNaN(described.sizeBytes)) return described;
    const listed = await listKey(connection, key, bounds);
    if (!listed) throw new StoreError('missing');
    return { ...described, sizeBytes: listed.sizeBytes };
  }

  return {
    list: (request, options) => listPage(connection, request, options),

    head: (key, { throwsDenied = false, ...options } = {}) =>
      withinBounds(options, async (bounds) => {
        const response = await connection.send({ method: 'HEAD', key }, bounds);
        if (response.status === 200) {
          const described = readDescription(response.rawHeaders);
          if (!Number.isNaN(described.sizeBytes)) return described;
        }
        // The store is overloaded or fails: a second request would add to it.
        if (response.status >= 429) throw classifyRefusal(response.status, undefined);
        try {
          return await describeByGet(key, bounds);
        } catch (error) {
          const isDenied = error instanceof StoreError && error.failure === 'access_denied';
          if (throwsDenied && isDenied) throw error;
          if (await isMissing(connection, key, error, bounds)) return undefined;
          throw error;
        }
      }),

    get: (key, options = {}) =>
      withinBounds(options, async (bounds) => {
        const response = await connection.send({ method: 'GET', key }, bounds);
        if (response.status === 200) return response.body;
        const refusal = toRefusal(response);
        if (await isMissing(connection, key, refusal, bounds)) return undefined;
        throw refusal;
      }),

    async open(key, { ifMatch, range }, options) {
      const headers: Record<string, string> = { 'if-match': `"${ifMatch}"` };
      if (range) headers['range'] = `bytes=${range.first}-${range.last}`;
      const request = { method: 'GET', key, headers } as const;
      const response = await connection
        .download(request, options?.signal)
        .catch(async (error: unknown) => {
          throw (await isMissing(connection, key, error, options))
            ? new StoreError('missing', error)
            : error;
        });
      const { status, rawHeaders, body } = response;
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

function createWrites(
  connection: BucketConnection,
): Pick<ObjectStore, 'write' | 'writePart' | 'delete'> {
  async function put(
    key: string,
    { sizeBytes, md5, body }: ObjectBody,
    extra: { headers?: Readonly<Record<string, string>>; query?: Record<string, string> },
    options: CallOptions | undefined,
  ): Promise<WrittenObject> {
    const headers = {
      ...extra.headers,
      'content-length': String(sizeBytes),
      ...(md5 ? { 'content-md5': md5.toString('base64') } : {}),
    };
    const response = await connection.send(
      { ...extra, method: 'PUT', key, headers, body },
      options,
    );
    if (response.status !== 200) throw toRefusal(response);
    return readWritten(response.rawHeaders);
  }

  return {
    write: (key, { headers, ...body }, options) => put(key, body, { headers }, options),

    writePart: (key, uploadId, partNumber, body, options) =>
      put(key, body, { query: { partNumber: String(partNumber), uploadId } }, options),

    delete: (key, { ifMatch, versionId, ...options } = {}) =>
      withinBounds(options, async ({ signal }) => {
        const bounds = { ...options, timeoutMs: undefined, signal };
        const headers = ifMatch === undefined ? {} : { headers: { 'if-match': `"${ifMatch}"` } };
        const query = versionId === undefined ? {} : { query: { versionId } };
        const request = { method: 'DELETE', key, ...headers, ...query } as const;
        const response = await connection.send(request, bounds);
        if (response.status < 300) return;
        const refusal = toRefusal(response);
        // The listing of a key does not show its versions.
        const isGone =
          versionId === undefined
            ? await isMissing(connection, key, refusal, bounds)
            : refusal.failure === 'missing';
        if (!isGone) throw refusal;
      }),
  };
}

function toRefusal({ status, errorCode }: StoreResponse): StoreError {
  return classifyRefusal(status, errorCode);
}

async function listPage(
  connection: BucketConnection,
  { prefix, after, maxKeys = MAX_KEYS }: Parameters<ObjectStore['list']>[0],
  options: CallOptions | undefined,
): Promise<ListedPage> {
  const query = {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(maxKeys),
    ...(prefix === '' ? {} : { prefix }),
    ...(after === null ? {} : { 'start-after': after }),
  };
  const page = await connection.getDocument(query, (body) => readObjectsPage(body, after), options);
  return { entries: page.entries, isTruncated: page.next !== null };
}

/** The object of a key as a listing shows it: the key is the first of those that begin with it. */
async function listKey(
  connection: BucketConnection,
  key: string,
  options: CallOptions | undefined,
): Promise<ListedEntry | undefined> {
  const { entries } = await listPage(connection, { prefix: key, after: null, maxKeys: 1 }, options);
  return entries.find((entry) => entry.key === key);
}

/**
 * Whether an object that the store refuses to read or to delete is missing. Another 404 (no such
 * bucket, no such access key) does not mean that; and a 403 may: stores answer it for a missing
 * object where the credentials have not the permission that S3 calls `s3:ListBucket` and B2
 * `listBuckets`. Then the listing of the key decides, if it is permitted.
 *
 * @throws StoreError of the listing
 */
async function isMissing(
  connection: BucketConnection,
  key: string,
  error: unknown,
  options: CallOptions | undefined,
): Promise<boolean> {
  if (!(error instanceof StoreError)) return false;
  if (error.failure === 'missing') return true;
  const { status, code } = error.refusal ?? {};
  if (error.failure !== 'access_denied' || status !== 403 || isOfCredentials(code)) return false;
  return (await listKey(connection, key, options)) === undefined;
}
