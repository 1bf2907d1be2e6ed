import {
  joinUploadKeys,
  UPLOADS_PREFIX,
  uploadKeysOf,
  type UploadKeys,
} from '../common/file-keys.ts';
import { CONTENT_KINDS, MAX_PREFIXES, SIZE_BANDS, type AgeBandIndex } from './bands.ts';
import { exceedsBytes, sizeBandIndex, type AgeBandOf } from './classify.ts';
import { contentKindIndex } from './content-kind.ts';
import type { Count, Group, OldVersions, ObjectStatistics } from './inventory.ts';
import type { LeftAlonePatterns } from './key-marks.ts';
import { compareKeys } from './key-order.ts';
import type { IsLeftOver } from './left-over.ts';
import {
  addKey,
  addNested,
  appendNesting,
  emptyNesting,
  oneNested,
  outermost,
  type MutableNesting,
  type NestedKeys,
  type Nesting,
} from './nested-keys.ts';
import {
  addCount,
  addStatistics,
  countObject,
  emptyStatistics,
  type Mutable,
} from './statistics.ts';

/** Objects of one storage class and age band. */
export type Cell = Omit<Group, 'prefix'>;

/** The current objects under one first segment of their keys. */
export interface PrefixStatistics {
  readonly prefix: string;
  readonly bytes: number;
  readonly cells: readonly Cell[];
  /** A set of bits, see `toKeyMarks`. */
  readonly marks: number;
  /** Below keys of the prefix; absent if there are none. */
  readonly nested?: NestedKeys;
}

/**
 * The aggregates of a contiguous, ordered run of keys. Plain data: it is stored between slices of a
 * listing, and its size depends on prefixes, classes and ages only, never on objects.
 *
 * All keys of a prefix are adjacent, so every prefix but the first and the last of a run is
 * complete in it, and only the `MAX_PREFIXES` largest of the complete ones can be among the largest
 * of the bucket: the others are folded into `rest` at once, but for `UPLOADS_PREFIX`.
 */
export interface Segment {
  /** In the order of their keys. */
  readonly prefixes: readonly PrefixStatistics[];
  /** The groups of the prefixes that were folded, and of the keys without a first segment. */
  readonly rest: readonly Cell[];
  readonly restMarks: number;
  readonly bySize: readonly Count[];
  /** By index into `CONTENT_KINDS`. */
  readonly byContent: readonly Count[];
  readonly oldVersions: readonly OldVersions[];
  readonly deleteMarkers: number;
  /** The earliest LastModified of a current object or old version; null: there is none. */
  readonly oldestAt: string | null;
  /** The keys of current objects and old versions. */
  readonly uploadKeys: UploadKeys;
  /** Current objects only. */
  readonly nesting: Nesting;
}

/** An object as listed. */
export interface ListedObject {
  readonly key: string;
  /** As `toISOString()` writes it. */
  readonly lastModified: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
}

interface MutablePrefix {
  readonly prefix: string;
  bytes: number;
  readonly cells: Mutable<Cell>[];
  marks: number;
  nested?: NestedKeys;
}

/** A segment while keys are added to it. */
export interface MutableSegment extends Segment {
  readonly prefixes: MutablePrefix[];
  readonly rest: Mutable<Cell>[];
  restMarks: number;
  readonly bySize: Mutable<Count>[];
  readonly byContent: Mutable<Count>[];
  readonly oldVersions: Mutable<OldVersions>[];
  deleteMarkers: number;
  oldestAt: string | null;
  uploadKeys: UploadKeys;
  readonly nesting: MutableNesting;
}

export function emptySegment(): MutableSegment {
  const counts = (list: readonly unknown[]) => list.map(() => ({ objects: 0, bytes: 0 }));
  return {
    prefixes: [],
    rest: [],
    restMarks: 0,
    bySize: counts(SIZE_BANDS),
    byContent: counts(CONTENT_KINDS),
    oldVersions: [],
    deleteMarkers: 0,
    oldestAt: null,
    uploadKeys: 'none',
    nesting: emptyNesting(),
  };
}

/** How the objects of one listing are classified. */
export interface Classification extends Pick<LeftAlonePatterns, 'marksOf'> {
  readonly ageBandOf: AgeBandOf;
  /** The sizes above which objects are counted, in bytes, smallest first. */
  readonly sizeLimits: readonly number[];
  /** The minimum billable sizes below which objects are counted, in bytes, smallest first. */
  readonly minSizes?: readonly number[];
  /** The longest key that fits at the target, in bytes; objects with longer ones are counted. */
  readonly maxKeyBytes: number;
  /** Days for which old versions have been noncurrent. */
  readonly isLeftOver: IsLeftOver;
}

/** Adds the next current object; its key sorts after all that were added before. */
export function addObject(
  segment: MutableSegment,
  object: ListedObject,
  { ageBandOf, sizeLimits, minSizes, maxKeyBytes, marksOf }: Classification,
): void {
  const { key, sizeBytes, storageClass } = object;
  noteUploadKey(segment, key);
  const cells = cellsFor(segment, key, sizeBytes, marksOf(key));
  const cell = findCell(cells, storageClass, ageBandOf(object.lastModified));
  countObject(cell, sizeBytes, sizeLimits, minSizes);
  if (exceedsBytes(key, maxKeyBytes)) cell.longKeys = (cell.longKeys ?? 0) + 1;
  const above = addKey(segment.nesting, key);
  if (above !== undefined) noteNested(segment, [oneNested(above, key)]);
  countIn(segment.bySize, sizeBandIndex(sizeBytes), sizeBytes);
  countIn(segment.byContent, contentKindIndex(key), sizeBytes);
}

/**
 * @param noncurrentSince the LastModified of the next newer version or delete marker of the key;
 * null: there is none in   the listing
 */
export function addOldVersion(
  segment: MutableSegment,
  { key, storageClass, sizeBytes, lastModified }: ListedObject,
  noncurrentSince: string | null,
  { ageBandOf, minSizes, isLeftOver }: Classification,
): void {
  noteUploadKey(segment, key);
  const ageBand = ageBandOf(lastModified);
  const isDeletable = isLeftOver(key, noncurrentSince);
  const cell = findOldVersions(segment, { storageClass, ageBand, isDeletable });
  countObject(cell, sizeBytes, [], minSizes);
}

/** Notes the LastModified of the oldest object or old version of a page that was added. */
export function noteOldest(segment: MutableSegment, lastModified: string): void {
  if (segment.oldestAt === null || lastModified < segment.oldestAt)
    segment.oldestAt = detached(lastModified);
}

export function addDeleteMarker(segment: MutableSegment): void {
  segment.deleteMarkers += 1;
}

/** Appends the next run of keys, with no key between the two runs. */
export function appendSegment(segment: MutableSegment, next: Segment): void {
  noteNested(segment, appendNesting(segment.nesting, next.nesting));
  for (const { prefix, bytes, cells, marks, nested } of next.prefixes) {
    let open = segment.prefixes.at(-1);
    if (open?.prefix !== prefix) {
      open = { prefix, bytes: 0, cells: [], marks: 0 };
      segment.prefixes.push(open);
    }
    open.bytes += bytes;
    open.marks |= marks;
    addCells(open.cells, cells);
    if (nested) open.nested = addNested(open.nested ?? null, nested);
  }
  foldIfMany(segment);
  addCells(segment.rest, next.rest);
  segment.restMarks |= next.restMarks;
  for (const [at, count] of segment.bySize.entries()) addCountAt(count, next.bySize, at);
  for (const [at, count] of segment.byContent.entries()) addCountAt(count, next.byContent, at);
  for (const old of next.oldVersions) addStatistics(findOldVersions(segment, old), old);
  segment.deleteMarkers += next.deleteMarkers;
  if (next.oldestAt !== null) noteOldest(segment, next.oldestAt);
  segment.uploadKeys = joinUploadKeys(segment.uploadKeys, next.uploadKeys);
}

/** Folds complete prefixes that can no longer be among the largest, over all runs of a bucket. */
export function foldSmallPrefixes(segments: readonly MutableSegment[]): void {
  const complete = segments.flatMap(({ prefixes }) => prefixes.slice(1, -1));
  const kept = new Set(largestPrefixes(complete));
  for (const segment of segments) foldUnless(segment, (prefix) => kept.has(prefix));
}

/** The `MAX_PREFIXES` largest by bytes, ties in UTF-8 order. */
export function largestPrefixes<P extends PrefixStatistics>(prefixes: readonly P[]): P[] {
  return prefixes
    .toSorted((a, b) => b.bytes - a.bytes || compareKeys(a.prefix, b.prefix))
    .slice(0, MAX_PREFIXES);
}

/** Adds cells to others of the same kinds. */
export function addCells(cells: Mutable<Cell>[], others: readonly Cell[]): void {
  for (const other of others)
    addStatistics(findCell(cells, other.storageClass, other.ageBand), other);
}

/** Counts objects with the prefix that they share with the keys above them: the last one. */
function noteNested({ prefixes }: MutableSegment, found: readonly NestedKeys[]): void {
  const last = prefixes.at(-1);
  if (!last) return;
  for (const nested of outermost(found.filter(({ above }) => above.startsWith(last.prefix))))
    last.nested = addNested(last.nested ?? null, nested);
}

function noteUploadKey(segment: MutableSegment, key: string): void {
  if (segment.uploadKeys === 'others') return;
  segment.uploadKeys = joinUploadKeys(segment.uploadKeys, uploadKeysOf(key));
}

function cellsFor(
  segment: MutableSegment,
  key: string,
  sizeBytes: number,
  marks: number,
): Mutable<Cell>[] {
  const open = segment.prefixes.at(-1);
  if (open !== undefined && key.startsWith(open.prefix)) {
    open.bytes += sizeBytes;
    open.marks |= marks;
    return open.cells;
  }
  const slash = key.indexOf('/');
  if (slash < 0) {
    segment.restMarks |= marks;
    return segment.rest;
  }
  const prefix = detached(key.slice(0, slash + 1));
  const started = { prefix, bytes: sizeBytes, cells: [], marks };
  segment.prefixes.push(started);
  foldIfMany(segment);
  return started.cells;
}

/** A copy: a slice of a string would keep the listing page in memory. */
function detached(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function findCell(
  cells: Mutable<Cell>[],
  storageClass: string,
  ageBand: AgeBandIndex,
): Mutable<ObjectStatistics> {
  for (const cell of cells) {
    if (cell.ageBand === ageBand && cell.storageClass === storageClass) return cell;
  }
  const cell = { storageClass: detached(storageClass), ageBand, ...emptyStatistics() };
  cells.push(cell);
  return cell;
}

function findOldVersions(
  segment: MutableSegment,
  { storageClass, ageBand, isDeletable }: Omit<OldVersions, keyof ObjectStatistics>,
): Mutable<ObjectStatistics> {
  for (const old of segment.oldVersions) {
    const isOfAge = old.ageBand === ageBand && old.isDeletable === isDeletable;
    if (isOfAge && old.storageClass === storageClass) return old;
  }
  const own = { storageClass: detached(storageClass), ageBand, isDeletable };
  const added = { ...own, ...emptyStatistics() };
  segment.oldVersions.push(added);
  return added;
}

function countIn(counts: readonly Mutable<Count>[], at: number, sizeBytes: number): void {
  const count = counts[at];
  if (!count) return;
  count.objects += 1;
  count.bytes += sizeBytes;
}

function addCountAt(count: Mutable<Count>, others: readonly Count[], at: number): void {
  const other = others[at];
  if (other) addCount(count, other);
}

/** Twice as many as are kept, so that the sort cost per prefix is negligible. */
const MANY_PREFIXES = 2 * MAX_PREFIXES + 2;

function foldIfMany(segment: MutableSegment): void {
  if (segment.prefixes.length <= MANY_PREFIXES) return;
  const kept = new Set(largestPrefixes(segment.prefixes.slice(1, -1)));
  foldUnless(segment, (prefix) => kept.has(prefix));
}

function foldUnless(segment: MutableSegment, isKept: (prefix: MutablePrefix) => boolean): void {
  const { prefixes, rest } = segment;
  const last = prefixes.length - 1;
  let kept = 0;
  for (const [at, prefix] of prefixes.entries()) {
    const isEdge = at === 0 || at === last;
    if (isEdge || prefix.prefix === UPLOADS_PREFIX || isKept(prefix)) prefixes[kept++] = prefix;
    else {
      addCells(rest, prefix.cells);
      segment.restMarks |= prefix.marks;
    }
  }
  prefixes.length = kept;
}
