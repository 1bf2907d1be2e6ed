import { etagOf, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { element, s3Document, textElement } from '../wire/xml.ts';
import { ownerElement } from './buckets.ts';
import { xmlReply, type BucketCall, type Operation, type Reply } from './call.ts';
import { readEncoding, readMost, type EncodeKey } from './parameters.ts';
import { groupOf, walkBucket, type ListedItem, type ListStart } from './walk.ts';

/** The two listings of current objects. */
export const listingOperations: readonly Operation[] = [
  {
    name: 'ListObjectsV2',
    level: 'bucket',
    method: 'GET',
    query: 'list-type',
    action: 's3:ListBucket',
    run: listObjectsV2,
  },
  {
    name: 'ListObjects',
    level: 'bucket',
    method: 'GET',
    query: null,
    action: 's3:ListBucket',
    run: listObjects,
  },
];

interface Page {
  readonly items: readonly ListedItem[];
  readonly truncated: boolean;
}

interface PageRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly most: number;
  readonly start: ListStart;
}

function takePage(call: BucketCall, request: PageRequest): Page {
  const items: ListedItem[] = [];
  if (request.most === 0) return { items, truncated: false };
  const visible = ([newest]: readonly ObjectVersion[]): boolean =>
    newest !== undefined && !newest.deleteMarker;
  for (const item of walkBucket(call.bucket, { ...request, visible })) {
    if (items.length === request.most) return { items, truncated: true };
    items.push(item);
  }
  return { items, truncated: false };
}

function listObjectsV2(call: BucketCall): Reply {
  const { query } = call.request;
  if (query.get('list-type') !== '2') {
    throw new AwsError('InvalidArgument', 'Invalid List Type specified in Request');
  }
  const encode = readEncoding(query);
  const request: PageRequest = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    most: readMost(query, 'max-keys'),
    start: readStart(query.get('continuation-token'), query.get('start-after')),
  };
  const page = takePage(call, request);
  const owner = query.get('fetch-owner') === 'true' ? ownerElement(call.bucket.accountId) : '';
  const last = page.items.at(-1);
  return xmlReply(
    s3Document(
      'ListBucketResult',
      textElement('Name', call.bucket.name),
      textElement('Prefix', encode(request.prefix)),
      ...optional('StartAfter', query.get('start-after'), encode),
      ...optional('ContinuationToken', query.get('continuation-token'), (token) => token),
      ...(page.truncated && last !== undefined
        ? [textElement('NextContinuationToken', writeToken(last))]
        : []),
      textElement('KeyCount', page.items.length),
      textElement('MaxKeys', request.most),
      ...optional('Delimiter', query.get('delimiter'), encode),
      ...optional('EncodingType', query.get('encoding-type'), (type) => type),
      textElement('IsTruncated', page.truncated),
      itemElements(page.items, owner, encode),
    ),
  );
}

function listObjects(call: BucketCall): Reply {
  const { query } = call.request;
  const encode = readEncoding(query);
  const marker = query.get('marker') ?? '';
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  // A marker that is a common prefix covers all keys under it.
  const start: ListStart =
    groupOf(marker, prefix, delimiter) === marker
      ? { kind: 'past', prefix: marker }
      : { kind: 'after', key: marker };
  const most = readMost(query, 'max-keys');
  const page = takePage(call, { prefix, delimiter, most, start });
  const last = page.items.at(-1);
  return xmlReply(
    s3Document(
      'ListBucketResult',
      textElement('Name', call.bucket.name),
      textElement('Prefix', encode(prefix)),
      textElement('Marker', encode(marker)),
      // Only with a delimiter; otherwise clients take the last key. Source: ListObjects.
      ...(page.truncated && delimiter !== '' && last !== undefined
        ? [textElement('NextMarker', encode(last.kind === 'key' ? last.key : last.prefix))]
        : []),
      textElement('MaxKeys', most),
      ...optional('Delimiter', query.get('delimiter'), encode),
      ...optional('EncodingType', query.get('encoding-type'), (type) => type),
      textElement('IsTruncated', page.truncated),
      itemElements(page.items, ownerElement(call.bucket.accountId), encode),
    ),
  );
}

/** An element, omitted without a value. */
export function optional(name: string, value: string | undefined, write: EncodeKey): string[] {
  return value === undefined || value === '' ? [] : [textElement(name, write(value))];
}

const DAY_MS = 86_400_000;
// Neighbouring keys often share their day, and toISOString would dominate the cost of a page.
let lastDay = { day: 0, text: '1970-01-01' };

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

/** The date format of listings: S3 keeps whole seconds. */
export function listedDate(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay.day)
    lastDay = { day, text: new Date(day * DAY_MS).toISOString().slice(0, 10) };
  const second = Math.floor((ms - day * DAY_MS) / 1000);
  return `${lastDay.text}T${two(Math.floor(second / 3600))}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)}.000Z`;
}

// String concatenation: joining a thousand elements twice would double the cost of a page.
function itemElements(items: readonly ListedItem[], owner: string, encode: EncodeKey): string {
  let keys = '';
  let groups = '';
  for (const item of items) {
    if (item.kind === 'group') {
      groups += element('CommonPrefixes', textElement('Prefix', encode(item.prefix)));
      continue;
    }
    const [version] = item.versions;
    if (version !== undefined) keys += contentsElement(item.key, version, owner, encode);
  }
  return keys + groups;
}

// Inlined for speed: a page has a thousand of these.
function contentsElement(
  key: string,
  version: ObjectVersion,
  owner: string,
  encode: EncodeKey,
): string {
  return `<Contents>${textElement('Key', encode(key))}<LastModified>${listedDate(version.lastModifiedMs)}</LastModified><ETag>&quot;${etagOf(version)}&quot;</ETag><Size>${version.sizeBytes}</Size>${owner}<StorageClass>${version.storageClass}</StorageClass></Contents>`;
}

function writeToken(last: ListedItem): string {
  const start: ListStart =
    last.kind === 'key' ? { kind: 'after', key: last.key } : { kind: 'past', prefix: last.prefix };
  return Buffer.from(JSON.stringify(start)).toString('base64url');
}

function readStart(token: string | undefined, startAfter: string | undefined): ListStart {
  if (token === undefined) {
    return startAfter === undefined ? { kind: 'beginning' } : { kind: 'after', key: startAfter };
  }
  try {
    const start: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (typeof start === 'object' && start !== null && 'kind' in start) return start as ListStart;
  } catch {
    // Refused below, as every invalid token.
  }
  throw new AwsError('InvalidArgument', 'The continuation token provided is incorrect', {
    details: { ArgumentName: 'continuation-token' },
  });
}
