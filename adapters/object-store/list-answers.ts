import { compareKeys } from '../../domain/inventory/key-order.ts';
import { isoTime, unquotedEtag } from './object-description.ts';
import { MalformedAnswerError, unescapeXml, UnsortedAnswerError, XmlReader } from './xml.ts';

/** One entry of a listing: an object, one of its versions, or a delete marker. */
export interface ListedEntry {
  readonly key: string;
  /** As `toISOString()` writes it. */
  readonly lastModified: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  /** Without its quotes; empty for a delete marker. */
  readonly etag: string;
  readonly kind: 'current' | 'old_version' | 'delete_marker';
}

/** Where a listing of versions continues: after that version, or after all of the key's. */
export interface ListingMarker {
  readonly key: string;
  readonly versionId: string | null;
}

/** One page of a bucket's keys, in the order in which the store sent them. */
export interface ListPage {
  readonly entries: readonly ListedEntry[];
  /** The next page begins after it; null: this is the last page. */
  readonly next: ListingMarker | null;
}

/** @throws MalformedAnswerError; UnsortedAnswerError if the keys do not rise from `after` */
export function readObjectsPage(body: Buffer, after: string | null): ListPage {
  const { reader, readKey } = openPage(body);
  const entries: ListedEntry[] = [];
  let isTruncated = false;
  reader.openDocument('ListBucketResult');
  while (reader.open()) {
    if (reader.is('Contents')) entries.push(readEntry(reader, readKey, 'current').entry);
    else if (reader.is('IsTruncated')) isTruncated = reader.text() === 'true';
    else reader.skip();
  }
  requireRising(entries, after);
  if (!isTruncated) return { entries, next: null };
  const last = entries.at(-1);
  if (!last)
    throw new MalformedAnswerError('the page is truncated and has no key to continue from');
  return { entries, next: { key: last.key, versionId: null } };
}

/**
 * The page after a version, in the order of the keys: a store may list all delete markers of a page
 * before its versions.
 *
 * @throws MalformedAnswer; UnsortedAnswer if the keys of either kind fall, or the page does not
 * advance
 */
export function readVersionsPage(body: Buffer, after: ListingMarker | null): ListPage {
  const { reader, readKey } = openPage(body);
  const listed: ListedVersion[] = [];
  let isTruncated = false;
  let nextKey: string | null = null;
  let nextVersionId: string | null = null;
  reader.openDocument('ListVersionsResult');
  while (reader.open()) {
    if (reader.is('Version') || reader.is('DeleteMarker')) {
      const kind = reader.is('Version') ? 'old_version' : 'delete_marker';
      listed.push(readEntry(reader, readKey, kind));
    } else if (reader.is('IsTruncated')) isTruncated = reader.text() === 'true';
    else if (reader.is('NextKeyMarker')) nextKey = readKey(reader.text());
    else if (reader.is('NextVersionIdMarker')) nextVersionId = unescapeXml(reader.text()) || null;
    else reader.skip();
  }
  const merged = mergeKinds(listed, after?.key ?? null);
  const entries = merged.map(({ entry }) => entry);
  if (!isTruncated) return { entries, next: null };
  const end = merged.at(-1);
  const last = end ? { key: end.entry.key, versionId: end.versionId } : null;
  const next = nextKey === null ? last : { key: nextKey, versionId: nextVersionId };
  if (next === null)
    throw new MalformedAnswerError('the page is truncated and has no version to continue from');
  return { entries, next: behind(next, after) };
}

interface ListedVersion {
  readonly entry: ListedEntry;
  readonly versionId: string | null;
}

/**
 * In the order of the keys. Where the delete markers come before the versions, of one key the
 * newest comes first.
 *
 * @throws UnsortedAnswer
 */
function mergeKinds(
  listed: readonly ListedVersion[],
  after: string | null,
): readonly ListedVersion[] {
  if (isRising(listed, after) && !listed.some(hasOlderMarkerInFront)) return listed;
  const isMarker = ({ entry }: ListedVersion) => entry.kind === 'delete_marker';
  const kinds = [listed.filter(isMarker), listed.filter((each) => !isMarker(each))];
  if (!kinds.every((kind) => isRising(kind, after))) throw unsorted();
  return listed.toSorted(
    ({ entry: a }, { entry: b }) =>
      compareKeys(a.key, b.key) || Date.parse(b.lastModified) - Date.parse(a.lastModified),
  );
}

/** Whether an older delete marker of the version's key is in front: markers come first. */
function hasOlderMarkerInFront(
  { entry }: ListedVersion,
  at: number,
  listed: readonly ListedVersion[],
): boolean {
  const previous = at === 0 ? undefined : listed[at - 1]?.entry;
  if (previous?.kind !== 'delete_marker' || entry.kind === 'delete_marker') return false;
  return previous.key === entry.key && previous.lastModified < entry.lastModified;
}

function isRising(listed: readonly ListedVersion[], after: string | null): boolean {
  let previous = after;
  return listed.every(({ entry: { key } }) => {
    const isNext = previous === null || compareKeys(key, previous) >= 0;
    previous = key;
    return isNext;
  });
}

function unsorted(): UnsortedAnswerError {
  return new UnsortedAnswerError('the listing is not in the order of its keys');
}

/** A scan reads ranges of keys: it would miss those that are not where their order puts them. */
function requireRising(entries: readonly ListedEntry[], after: string | null): void {
  let previous = after;
  for (const { key } of entries) {
    if (previous !== null && compareKeys(key, previous) <= 0) throw unsorted();
    previous = key;
  }
}

/** A listing that does not advance would never end, and would count its objects again and again. */
function behind(next: ListingMarker, after: ListingMarker | null): ListingMarker {
  if (after === null) return next;
  const order = compareKeys(next.key, after.key);
  const isOtherVersion = next.versionId !== null && next.versionId !== after.versionId;
  if (order > 0 || (order === 0 && isOtherVersion)) return next;
  throw new UnsortedAnswerError('the listing does not advance');
}

/** A page and the decoder of its keys. */
interface OpenPage {
  readonly reader: XmlReader;
  readonly readKey: (text: string) => string;
}

const URL_ENCODED = /<(?:\w+:)?EncodingType>\s*url\s*</;

/** With encoded keys the whole document is ASCII, which needs no UTF-8 decoding. */
function openPage(body: Buffer): OpenPage {
  const ascii = body.toString('latin1');
  if (URL_ENCODED.test(ascii)) return { reader: new XmlReader(ascii), readKey: decodeKey };
  return { reader: new XmlReader(body.toString('utf8')), readKey: unescapeXml };
}

const ENCODED = /[%+&]/;

/** A key in the encoding `url`, which is form encoding: a blank is a plus sign. */
export function decodeKey(encoded: string): string {
  if (!ENCODED.test(encoded)) return encoded;
  const text = unescapeXml(encoded);
  // Most keys have no blank: to look for one costs less than to replace none.
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // The bytes are not UTF-8: invalid ones become U+FFFD.
    const bytes = spaced.replace(/%([0-9a-fA-F]{2})/g, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** A version counts as old unless its `IsLatest` is true. */
function readEntry(
  reader: XmlReader,
  readKey: (text: string) => string,
  listedAs: ListedEntry['kind'],
): ListedVersion {
  let key = '';
  let lastModified = '';
  let sizeBytes = 0;
  let storageClass = 'STANDARD';
  let kind = listedAs;
  let versionId: string | null = null;
  let etag = '';
  while (reader.open()) {
    if (reader.is('Key')) key = readKey(reader.text());
    else if (reader.is('LastModified')) lastModified = toIsoTime(reader.text());
    else if (reader.is('Size')) sizeBytes = Number(reader.text());
    else if (reader.is('StorageClass')) storageClass = reader.text() || storageClass;
    else if (reader.is('ETag')) etag = unquoted(reader.text());
    else if (reader.is('IsLatest')) {
      if (reader.text() === 'true' && kind === 'old_version') kind = 'current';
    } else if (reader.is('VersionId')) versionId = unescapeXml(reader.text());
    else reader.skip();
  }
  return { entry: { key, lastModified, sizeBytes, storageClass, etag, kind }, versionId };
}

const QUOTE = '&quot;';

/** An ETag is a quoted string within XML; stores escape the quotes, or not, or omit them. */
function unquoted(text: string): string {
  if (text.startsWith(QUOTE)) return text.slice(QUOTE.length, -QUOTE.length);
  return unquotedEtag(unescapeXml(text));
}

const ISO_LENGTH = '2024-01-01T00:00:00.000Z'.length;

/** Most stores write times as `toISOString()` does; others are converted. */
function toIsoTime(text: string): string {
  if (text.length === ISO_LENGTH && text.endsWith('Z')) return text;
  return isoTime(text);
}
