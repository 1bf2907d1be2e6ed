import type { Bucket } from '../store/bucket.ts';
import { firstPosition, UTF8_ORDER, type KeyOrder } from '../store/keys.ts';
import type { ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import type { Query } from '../wire/request.ts';
import { textAnswer, type Answer } from '../wire/response.ts';
import { s3Document, writeFields, type XmlValue } from '../wire/xml.ts';

/** What all listings read of their query. */
export interface ListQuery {
  readonly prefix: string;
  /** Empty: none. */
  readonly delimiter: string;
  /** At most 1,000. */
  readonly most: number;
  readonly order: KeyOrder;
  /** Encodes keys in the response. */
  encode(key: string): string;
  /** The elements that repeat the query. */
  readonly echo: { readonly [name: string]: XmlValue };
}

const MAX_KEYS = 1000;
const MAX_INT = 2 ** 31 - 1;

/** Reads the query of a listing. @throws AwsError `InvalidArgument` */
export function readListQuery(query: Query, mostName = 'max-keys', order = UTF8_ORDER): ListQuery {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const EncodingType = query.get('encoding-type') || undefined;
  if (EncodingType !== undefined && EncodingType !== 'url') throw new AwsError('InvalidArgument');
  const encode = EncodingType === 'url' ? encodeForm : (key: string): string => key;
  const Delimiter = delimiter === '' ? undefined : encode(delimiter);
  const echo = { Prefix: encode(prefix), Delimiter, EncodingType };
  return { prefix, delimiter, most: readMost(query, mostName), order, encode, echo };
}

/** `max-keys` and its like. @throws AwsError `InvalidArgument` */
export function readMost(query: Query, name: string): number {
  const text = query.get(name) || String(MAX_KEYS);
  if (/^[0-9]+$/.test(text) && Number(text) <= MAX_INT) return Math.min(Number(text), MAX_KEYS);
  throw new AwsError('InvalidArgument', { details: { ArgumentName: name, ArgumentValue: text } });
}

/**
 * With `encoding-type=url` keys are form-encoded: a space as `+`, the slash unchanged.
 * Source: ListObjectsV2, "EncodingType", Amazon S3 API Reference; the form is that of java.net.URLEncoder.
 */
function encodeForm(key: string): string {
  // Half a surrogate pair has no UTF-8; it goes out as U+FFFD, as every encoder writes it.
  return encodeURIComponent(Buffer.from(key).toString()).replace(/%2F|%20|[!~'()]/g, (text) => {
    if (text === '%2F') return '/';
    return text === '%20' ? '+' : `%${text.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

const DAY_MS = 86_400_000;
// Neighbours in a listing often share their day, and toISOString is a tenth of the cost of a page.
let latest = { day: 0, text: '1970-01-01' };

/** The date format of listings: S3 keeps whole seconds. */
export function formatDate(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== latest.day) latest = { day, text: new Date(day * DAY_MS).toISOString().slice(0, 10) };
  const seconds = Math.floor((ms % DAY_MS) / 1000);
  const two = (count: number) => (count < 10 ? `0${count}` : String(count));
  return `${latest.text}T${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.000Z`;
}

/** An entry of a listing. */
export interface Entry {
  /** The key, or the common prefix of several. */
  readonly key: string;
  readonly element: string;
  /** What the element contains, written: a page has a thousand. */
  readonly content: string;
  /** Tells entries of one key apart: a version or an upload. */
  readonly id?: string;
}

/** The entry of a common prefix. */
export function groupEntry(prefix: string, { encode }: ListQuery): Entry {
  return {
    key: prefix,
    element: 'CommonPrefixes',
    content: writeFields({ Prefix: encode(prefix) }),
  };
}

/**
 * Answers a page of entries: the keys, then the groups.
 *
 * @param write makes the fields of the document, given the last entry if others follow
 */
export function pageAnswer(
  root: string,
  list: ListQuery,
  entries: Iterable<Entry>,
  write: (count: number, next: Entry | undefined) => { readonly [name: string]: XmlValue },
): Answer {
  let keys = '';
  let groups = '';
  let count = 0;
  let last: Entry | undefined;
  let isTruncated = false;
  for (const entry of list.most === 0 ? [] : entries) {
    isTruncated = count === list.most;
    if (isTruncated) break;
    const text = `<${entry.element}>${entry.content}</${entry.element}>`;
    if (entry.element === 'CommonPrefixes') groups += text;
    else keys += text;
    count += 1;
    last = entry;
  }
  const fields = write(count, isTruncated ? last : undefined);
  const document = { ...fields, ...list.echo, IsTruncated: isTruncated };
  return textAnswer(s3Document(root, document, keys + groups));
}

/** The common prefix of a key; null if the key is listed itself. */
export function findGroup(
  key: string,
  { prefix, delimiter }: Pick<ListQuery, 'prefix' | 'delimiter'>,
): string | null {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
  return at < 0 ? null : key.slice(0, at + delimiter.length);
}

/** Tests for the keys that come after a marker: a common prefix covers all keys under it. */
export function afterMarker(marker: string, list: ListQuery): (key: string) => boolean {
  const isGroup = findGroup(marker, list) === marker;
  return (key) => list.order.compare(key, marker) > 0 && !(isGroup && key.startsWith(marker));
}

/**
 * Walks a bucket in the order of the listing, from the first key for which a monotone test holds. The cost is
 * proportional to what it yields: keys with their versions, and common prefixes with none.
 */
export function* walkBucket(
  bucket: Bucket,
  list: ListQuery,
  isReached: (key: string) => boolean,
  isVisible: (versions: readonly ObjectVersion[]) => boolean,
): Generator<{ readonly key: string; readonly versions: readonly ObjectVersion[] }> {
  const { prefix, order } = list;
  const keys = order.arrange(bucket.keys());
  const seek = (start: number, test: (key: string) => boolean): number =>
    firstPosition(start, keys.length, (position) => test(keys[position] ?? ''));
  let at = seek(0, (key) => isReached(key) && order.compare(key, prefix) >= 0);
  for (let key = keys[at]; key?.startsWith(prefix) === true; key = keys[at]) {
    const versions = bucket.versions(key);
    const isListed = isVisible(versions);
    const group = isListed ? findGroup(key, list) : null;
    if (group !== null) yield { key: group, versions: [] };
    else if (isListed) yield { key, versions };
    at = group === null ? at + 1 : seek(at + 1, afterMarker(group, list));
  }
}
