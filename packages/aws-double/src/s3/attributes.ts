import { etagOf, STORAGE_CLASSES, type ObjectVersion, type Tag } from '../store/version.ts';
import type { UploadedObject } from '../store/uploads.ts';
import { AwsError } from '../wire/errors.ts';
import { decodeUtf8, parseQuery } from '../wire/query.ts';
import type { WireRequest } from '../wire/request.ts';
import { amzHeader } from './parameters.ts';

const KEPT_HEADERS = [
  'content-type',
  'content-encoding',
  'content-language',
  'content-disposition',
  'cache-control',
  'expires',
] as const;
const META_PREFIX = 'x-amz-meta-';
const MAX_METADATA_BYTES = 2048;
const MAX_TAGS = 10;

/** Headers that a `response-*` query parameter of a GET may override. */
export const RESPONSE_OVERRIDES: readonly string[] = KEPT_HEADERS;

/**
 * Reads an object's metadata from the headers of its PUT.
 *
 * @throws AwsError `InvalidStorageClass`, `MetadataTooLarge`, `InvalidTag`
 */
export function readAttributes(request: WireRequest): UploadedObject {
  return {
    storageClass: readStorageClass(request),
    headers: readHeaders(request),
    metadata: readMetadata(request),
    encryption: amzHeader(request, 'x-amz-server-side-encryption') ?? 'AES256',
    tags: parseTagHeader(amzHeader(request, 'x-amz-tagging') ?? ''),
  };
}

function readStorageClass(request: WireRequest): string {
  const storageClass = amzHeader(request, 'x-amz-storage-class') ?? 'STANDARD';
  if (STORAGE_CLASSES.includes(storageClass)) return storageClass;
  throw new AwsError('InvalidStorageClass', 'The storage class you specified is not valid', {
    details: { StorageClassRequested: storageClass },
  });
}

function readHeaders(request: WireRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = request.headers.get(name);
    if (value === undefined) continue;
    const kept = name === 'content-encoding' ? withoutAwsChunked(value) : value;
    if (kept !== '') headers[name] = kept;
  }
  headers['content-type'] ??= 'binary/octet-stream';
  return headers;
}

// The transfer framing is not the object's own encoding, and S3 keeps only the latter.
function withoutAwsChunked(value: string): string {
  return value
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'aws-chunked')
    .join(',');
}

function readMetadata(request: WireRequest): Record<string, string> {
  const metadata: Record<string, string> = {};
  let bytes = 0;
  const inQuery = request.query.pairs.map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of [...inQuery, ...request.headers]) {
    if (!name.startsWith(META_PREFIX)) continue;
    metadata[name.slice(META_PREFIX.length)] = value;
    bytes += name.length - META_PREFIX.length + value.length;
  }
  if (bytes > MAX_METADATA_BYTES) {
    throw new AwsError(
      'MetadataTooLarge',
      'Your metadata headers exceed the maximum allowed metadata size',
      { details: { Size: String(bytes), MaxSizeAllowed: String(MAX_METADATA_BYTES) } },
    );
  }
  return metadata;
}

/** Reads the query-like form of `x-amz-tagging`. */
function parseTagHeader(text: string): readonly Tag[] {
  const pairs = parseQuery(text.replaceAll('+', '%20')).pairs;
  return checkTags(
    pairs.map(([key, value]) => ({
      key: decodeUtf8(key) ?? key,
      value: decodeUtf8(value) ?? value,
    })),
  );
}

/** @throws AwsError `InvalidTag` for too many tags or a duplicate. */
export function checkTags(tags: readonly Tag[], most = MAX_TAGS): readonly Tag[] {
  const names = new Set(tags.map(({ key }) => key));
  if (tags.length > most || names.size !== tags.length || names.has('')) {
    throw new AwsError('InvalidTag', 'The tags you provided are not valid');
  }
  return tags;
}

/** The headers that GET and HEAD answer for a version. */
export function versionHeaders(version: ObjectVersion, versioned: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    etag: `"${etagOf(version)}"`,
    'last-modified': new Date(version.lastModifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    ...version.headers,
  };
  // Omitted for STANDARD. Source: GetObject, Amazon S3 API Reference.
  if (version.storageClass !== 'STANDARD') headers['x-amz-storage-class'] = version.storageClass;
  if (version.encryption !== '') headers['x-amz-server-side-encryption'] = version.encryption;
  if (versioned) headers['x-amz-version-id'] = version.versionId;
  if (version.tags.length > 0) headers['x-amz-tagging-count'] = String(version.tags.length);
  for (const [name, value] of Object.entries(version.metadata)) {
    headers[META_PREFIX + name] = value;
  }
  return headers;
}
