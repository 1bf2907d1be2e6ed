import type { Behaviour } from '../store/behaviour.ts';
import type { Bucket } from '../store/bucket.ts';
import {
  CUSTOMER_KEY,
  isStorageClass,
  readEtag,
  type ObjectAttributes,
  type ObjectVersion,
  type Tag,
} from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { amzHeader, decodeUtf8, parseQuery, type WireRequest } from '../wire/request.ts';

/** The headers that an object keeps, and that a `response-*` parameter of a GET may override. */
export const KEPT_HEADERS = [
  'content-type',
  'content-encoding',
  'content-language',
  'content-disposition',
  'cache-control',
  'expires',
] as const;
/** Where a website answers to, instead of the object. */
const REDIRECT = 'x-amz-website-redirect-location';
const META_PREFIX = 'x-amz-meta-';
const SSE = 'x-amz-server-side-encryption';
const MAX_METADATA_BYTES = 2048;
const MAX_TAGS = 10;

/**
 * Reads an object's attributes from the headers of its PUT.
 *
 * @throws AwsError `InvalidStorageClass`, `MetadataTooLarge`, `InvalidTag`, `InvalidArgument` for too many entries
 */
export function readAttributes(
  request: WireRequest,
  bucket: Pick<Bucket, 'settings'>,
  { metadataEntries }: Pick<Behaviour, 'metadataEntries'>,
): ObjectAttributes {
  const storageClass = amzHeader(request, 'x-amz-storage-class') ?? 'STANDARD';
  if (!isStorageClass(storageClass)) {
    throw new AwsError('InvalidStorageClass', { details: { StorageClassRequested: storageClass } });
  }
  const tagging = parseQuery((amzHeader(request, 'x-amz-tagging') ?? '').replaceAll('+', '%20'));
  const tags = tagging.pairs.map(([key, value]) => ({
    key: decodeUtf8(key) ?? key,
    value: decodeUtf8(value) ?? value,
  }));
  return {
    storageClass,
    headers: readHeaders(request),
    metadata: readMetadata(request, metadataEntries),
    encryption: amzHeader(request, SSE) ?? defaultEncryption(bucket),
    tags: checkTags(tags),
  };
}

/** What the bucket's own setting says; S3 encrypts with its own keys without one. */
function defaultEncryption({ settings }: Pick<Bucket, 'settings'>): string {
  return /<SSEAlgorithm>([^<]+)</.exec(settings.get('encryption') ?? '')?.[1] ?? 'AES256';
}

function readHeaders(request: WireRequest): Record<string, string> {
  const headers: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of [...KEPT_HEADERS, REDIRECT]) {
    const value = request.headers.get(name);
    if (value !== undefined) headers[name] = value;
  }
  // The transfer framing is not the object's own encoding, and S3 keeps only the latter.
  const codings = (headers['content-encoding'] ?? '').split(',').map((coding) => coding.trim());
  const own = codings.filter((coding) => coding !== '' && coding !== 'aws-chunked').join(',');
  delete headers['content-encoding'];
  if (own !== '') headers['content-encoding'] = own;
  return headers;
}

function readMetadata(
  { headers, query }: WireRequest,
  mostEntries: number,
): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [anyCase, value] of [...query.pairs, ...headers]) {
    const name = anyCase.toLowerCase();
    if (name.startsWith(META_PREFIX)) metadata[name.slice(META_PREFIX.length)] = value;
  }
  if (Object.keys(metadata).length > mostEntries) throw new AwsError('InvalidArgument');
  const size = Object.entries(metadata).flat().join('').length;
  if (size <= MAX_METADATA_BYTES) return metadata;
  throw new AwsError('MetadataTooLarge', { details: { Size: String(size) } });
}

/** @throws AwsError `InvalidTag` for too many tags or a duplicate. */
export function checkTags(tags: readonly Tag[], most = MAX_TAGS): readonly Tag[] {
  const names = new Set(tags.map(({ key }) => key));
  if (tags.length > most || names.size !== tags.length || names.has('')) {
    throw new AwsError('InvalidTag');
  }
  return tags;
}

/** The headers that GET and HEAD answer for a version. */
export function versionHeaders(
  version: ObjectVersion,
  isVersioned: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    etag: `"${readEtag(version)}"`,
    'last-modified': new Date(version.lastModifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    ...version.headers,
  };
  // Omitted for STANDARD. Source: GetObject, Amazon S3 API Reference.
  if (version.storageClass !== 'STANDARD') headers['x-amz-storage-class'] = version.storageClass;
  Object.assign(headers, encryptionHeaders(version));
  if (isVersioned) headers['x-amz-version-id'] = version.versionId;
  if (version.tags.length > 0) headers['x-amz-tagging-count'] = String(version.tags.length);
  for (const [name, value] of Object.entries(version.metadata)) {
    headers[META_PREFIX + name] = value;
  }
  return headers;
}

/** How an object is encrypted, as every answer about it says. */
export function encryptionHeaders({
  encryption,
}: Pick<ObjectVersion, 'encryption'>): Record<string, string> {
  if (encryption === '') return {};
  return encryption === CUSTOMER_KEY
    ? { [`${SSE}-customer-algorithm`]: 'AES256' }
    : { [SSE]: encryption };
}
