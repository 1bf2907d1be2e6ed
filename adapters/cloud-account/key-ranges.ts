import { compareKeys } from '../../domain/inventory/key-order.ts';
import {
  addDeleteMarker,
  addObject,
  addOldVersion,
  appendSegment,
  emptySegment,
  noteOldest,
  type Classification,
  type MutableSegment,
} from '../../domain/inventory/segment.ts';
import type { ListedEntry, ListingMarker, ListPage } from '../object-store/list-answers.ts';

/**
 * A range of a bucket's keys with its own cursor. The ranges of a bucket are in key order and never
 * overlap. Plain data.
 */
export interface KeyRange {
  /** Keys after it are not listed yet; null: none is listed. */
  cursor: ListingMarker | null;
  /** The last key that can belong to the range; null: no end. */
  upTo: string | null;
  isDone: boolean;
  /** The first key found in the range. */
  first: string | null;
  /** The latest page's first key and number of entries, to estimate the density of keys. */
  pageFirst: string | null;
  pageEntries: number;
  /** How often its end moved down because no key was found above a split point. */
  misses: number;
  /** The LastModified of the last entry, where more versions of its key follow on the next page. */
  newerAt: string | null;
  segment: MutableSegment;
}

export function openRange(cursor: ListingMarker | null, upTo: string | null): KeyRange {
  return {
    cursor,
    upTo,
    isDone: false,
    first: null,
    pageFirst: null,
    pageEntries: 0,
    misses: 0,
    newerAt: null,
    segment: emptySegment(),
  };
}

/**
 * Counts a page that was requested after `after`, and returns the number of new entries. Only the
 * page after the cursor counts, and only its entries within the range: a duplicate or late page
 * changes nothing.
 */
export function takePage(
  range: KeyRange,
  after: ListingMarker | null,
  page: ListPage,
  classification: Classification,
): number {
  if (range.isDone || !isSameMarker(range.cursor, after)) return 0;
  const { entries, next } = page;
  const from = firstBehind(entries, range.cursor);
  const to = endWithin(entries, from, range.upTo);
  let newer = newestOnEarlierPage(range);
  let oldest: string | null = null;
  for (let at = from; at < to; at += 1) {
    const entry = entries[at];
    if (!entry) continue;
    count(range.segment, entry, newer, classification);
    newer = entry;
    const { kind, lastModified } = entry;
    if (kind !== 'delete_marker' && (oldest === null || lastModified < oldest))
      oldest = lastModified;
  }
  if (oldest !== null) noteOldest(range.segment, oldest);
  const first = entries[from];
  if (first && to > from) {
    range.pageFirst = detached(first.key);
    range.first ??= range.pageFirst;
    range.pageEntries = to - from;
  }
  if (next === null || to < entries.length) range.isDone = true;
  else moveTo(range, next, newer);
  return to - from;
}

/** An entry that is newer than the next one if both have one key. */
type NewerEntry = Pick<ListedEntry, 'key' | 'lastModified'>;

/** If a key's versions continue on the next page, the last one in front of it. */
function newestOnEarlierPage({ cursor, newerAt }: KeyRange): NewerEntry | null {
  return cursor === null || newerAt === null ? null : { key: cursor.key, lastModified: newerAt };
}

/** Splits a range after one of its keys, inserts the upper half and returns it. */
export function splitRange(ranges: KeyRange[], range: KeyRange, splitKey: string): KeyRange {
  const upper = openRange({ key: splitKey, versionId: null }, range.upTo);
  range.upTo = splitKey;
  ranges.splice(ranges.indexOf(range) + 1, 0, upper);
  return upper;
}

/** Merges finished neighbours and drops empty ranges. */
export function mergeDoneRanges(ranges: KeyRange[]): void {
  let kept = 0;
  for (const range of ranges) {
    const left = ranges[kept - 1];
    if (kept > 0 && left && range.isDone && range.first === null) {
      if (!left.isDone) left.misses += 1;
      continue;
    }
    if (kept > 0 && left?.isDone && range.isDone) mergeInto(left, range);
    else ranges[kept++] = range;
  }
  ranges.length = kept;
}

function mergeInto(left: KeyRange, right: KeyRange): void {
  appendSegment(left.segment, right.segment);
  left.first ??= right.first;
  left.cursor = right.cursor;
  left.upTo = right.upTo;
}

function isSameMarker(a: ListingMarker | null, b: ListingMarker | null): boolean {
  return a?.key === b?.key && (a?.versionId ?? null) === (b?.versionId ?? null);
}

/** If a key's versions continue on the next page, the cursor's own key continues. */
function firstBehind(entries: readonly ListedEntry[], cursor: ListingMarker | null): number {
  if (cursor === null) return 0;
  const first = entries.findIndex(({ key }) => {
    const order = compareKeys(key, cursor.key);
    return order > 0 || (order === 0 && cursor.versionId !== null);
  });
  return first < 0 ? entries.length : first;
}

function endWithin(entries: readonly ListedEntry[], from: number, upTo: string | null): number {
  let end = entries.length;
  if (upTo === null) return end;
  while (end > from && compareKeys(entries[end - 1]?.key ?? '', upTo) > 0) end -= 1;
  return end;
}

function moveTo(range: KeyRange, { key, versionId }: ListingMarker, last: NewerEntry | null): void {
  const goesOn = versionId !== null && last?.key === key;
  range.newerAt = goesOn ? detached(last.lastModified) : null;
  range.cursor = { key: detached(key), versionId: versionId && detached(versionId) };
  if (range.upTo === null) return;
  const order = compareKeys(key, range.upTo);
  range.isDone = order > 0 || (order === 0 && versionId === null);
}

function count(
  segment: MutableSegment,
  entry: ListedEntry,
  newer: NewerEntry | null,
  classification: Classification,
): void {
  if (entry.kind === 'current') addObject(segment, entry, classification);
  else if (entry.kind === 'delete_marker') addDeleteMarker(segment);
  else {
    const since = newer?.key === entry.key ? newer.lastModified : null;
    addOldVersion(segment, entry, since, classification);
  }
}

/** A copy: a slice of the page's text would keep the whole page in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
