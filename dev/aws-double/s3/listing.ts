import { CIPHERTEXT_ORDER } from '../store/keys.ts';
import { readEtag, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import type { Answer } from '../wire/response.ts';
import { escapeXml, writeFields } from '../wire/xml.ts';
import { ownerFields } from './buckets.ts';
import type { Call } from './call.ts';
import {
  afterMarker,
  formatDate,
  groupEntry,
  pageAnswer,
  readListQuery,
  walkBucket,
  type Entry,
  type ListQuery,
} from './page.ts';

/** Reads the query in the store's order. @throws AwsError `InvalidArgument`, `NotImplemented` */
function readQuery({ request: { query }, behaviour }: Call): ListQuery {
  if (behaviour.listOrder === 'utf8') return readListQuery(query);
  const list = readListQuery(query, 'max-keys', CIPHERTEXT_ORDER);
  if (/[^/]$/.test(list.prefix) || !['', '/'].includes(list.delimiter)) {
    throw new AwsError('NotImplemented', { message: 'Exhaustive listing is not implemented' });
  }
  return list;
}

/** `ListObjectsV2`. */
export function listObjectsV2(call: Call): Answer {
  const { query } = call.request;
  if (query.get('list-type') !== '2') throw new AwsError('InvalidArgument');
  const list = readQuery(call);
  const startAfter = query.get('start-after') ?? '';
  const token = query.get('continuation-token') || undefined;
  const isReached =
    token === undefined
      ? (key: string) => list.order.compare(key, startAfter) > 0
      : afterMarker(readToken(token), list);
  const hasOwner = query.get('fetch-owner') === 'true';
  const entries = listCurrent(call, list, isReached, hasOwner);
  return pageAnswer('ListBucketResult', list, entries, (count, next) => ({
    Name: call.bucket.name,
    StartAfter: list.encode(startAfter) || undefined,
    ContinuationToken: token,
    NextContinuationToken: next && Buffer.from(`after:${next.key}`).toString('base64url'),
    KeyCount: count,
    MaxKeys: list.most,
  }));
}

function readToken(token: string): string {
  const [, key] = /^after:(.*)$/s.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  if (key !== undefined) return key;
  throw new AwsError('InvalidArgument', { details: { ArgumentName: 'continuation-token' } });
}

/** `ListObjects`, with markers in place of tokens. */
export function listObjects(call: Call): Answer {
  const list = readQuery(call);
  const marker = call.request.query.get('marker') ?? '';
  const entries = listCurrent(call, list, afterMarker(marker, list), true);
  return pageAnswer('ListBucketResult', list, entries, (_count, next) => ({
    Name: call.bucket.name,
    Marker: list.encode(marker),
    // Only with a delimiter; otherwise clients take the last key. Source: ListObjects.
    NextMarker: list.delimiter === '' ? undefined : next && list.encode(next.key),
    MaxKeys: list.most,
  }));
}

function* listCurrent(
  { bucket }: Call,
  list: ListQuery,
  isReached: (key: string) => boolean,
  hasOwner: boolean,
): Generator<Entry> {
  const owner = hasOwner ? writeFields({ Owner: ownerFields(bucket.accountId) }) : '';
  const isVisible = ([newest]: readonly ObjectVersion[]): boolean =>
    newest?.isDeleteMarker === false;
  for (const { key, versions } of walkBucket(bucket, list, isReached, isVisible)) {
    const [version] = versions;
    if (version === undefined) {
      yield groupEntry(key, list);
      continue;
    }
    const content = writeKey(list.encode(key), version) + writeObject(version) + owner;
    yield { key, element: 'Contents', content };
  }
}

function writeKey(key: string, { lastModifiedMs }: ObjectVersion): string {
  return `<Key>${escapeXml(key)}</Key><LastModified>${formatDate(lastModifiedMs)}</LastModified>`;
}

function writeObject(version: ObjectVersion): string {
  const { body, storageClass } = version;
  return `<ETag>&quot;${readEtag(version)}&quot;</ETag><Size>${body.sizeBytes}</Size><StorageClass>${storageClass}</StorageClass>`;
}

/** `ListObjectVersions`: every version and delete marker, the newest of a key first. */
export function listObjectVersions(call: Call): Answer {
  const { query } = call.request;
  const list = readQuery(call);
  const key = query.get('key-marker') ?? '';
  const versionId = query.get('version-id-marker') ?? '';
  if (versionId !== '' && key === '') throw new AwsError('InvalidArgument');
  const entries = listVersions(call, list, key, versionId);
  return pageAnswer('ListVersionsResult', list, entries, (_count, next) => ({
    Name: call.bucket.name,
    KeyMarker: list.encode(key),
    VersionIdMarker: versionId,
    NextKeyMarker: next && list.encode(next.key),
    NextVersionIdMarker: next?.id,
    MaxKeys: list.most,
  }));
}

function* listVersions(
  { bucket }: Call,
  list: ListQuery,
  keyMarker: string,
  versionIdMarker: string,
): Generator<Entry> {
  const owner = writeFields({ Owner: ownerFields(bucket.accountId) });
  const isReached =
    versionIdMarker === ''
      ? afterMarker(keyMarker, list)
      : (key: string) => list.order.compare(key, keyMarker) >= 0;
  for (const { key, versions } of walkBucket(bucket, list, isReached, ({ length }) => length > 0)) {
    if (versions.length === 0) yield groupEntry(key, list);
    // Resume after the marked version; if it was deleted meanwhile, after the key.
    const isMarkedKey = versionIdMarker !== '' && key === keyMarker;
    const marked = versions.findIndex(({ versionId }) => versionId === versionIdMarker);
    const from = isMarkedKey && marked < 0 ? versions.length : marked + 1;
    for (const [at, version] of versions.entries()) {
      if (isMarkedKey && at < from) continue;
      const { versionId, isDeleteMarker } = version;
      const element = isDeleteMarker ? 'DeleteMarker' : 'Version';
      const object = isDeleteMarker ? '' : writeObject(version);
      const state = writeFields({ VersionId: versionId, IsLatest: at === 0 });
      const content = writeKey(list.encode(key), version) + object + owner + state;
      yield { key, id: versionId, element, content };
    }
  }
}
