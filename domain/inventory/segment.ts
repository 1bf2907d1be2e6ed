import {
  joinUploadKeys,
  UPLOADS_PREFIX,
  uploadKeysOf,
  type UploadKeys,
} from '../common/file-keys.ts';
import { CONTENT_KINDS, MAX_PREFIXES, SIZE_BANDS } from './bands.ts';
import { exceedsBytes, sizeBandIndex, type AgeBandOf } from './classify.ts';
import { contentKindIndex } from './content-kind.ts';
import type { Count, Group, OldVersions, ObjectStatistics } from './inventory.ts';
import { compareKeys } from './key-order.ts';
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
  /** Of the prefixes that were folded, and of the keys without a first segment. */
  readonly rest: readonly Cell[];
  readonly bySize: readonly Count[];
  /** By index into `CONTENT_KINDS`. */
  readonly byContent: readonly Count[];
  readonly oldVersions: readonly OldVersions[];
  readonly deleteMarkers: number;
  /** The keys of current objects and old versions. */
  readonly uploadKeys: UploadKeys;
  /** Of current objects. */
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
  nested?: NestedKeys;
}

/** A segment while keys are added to it. */
export interface MutableSegment extends Segment {
  readonly prefixes: MutablePrefix[];
  readonly rest: Mutable<Cell>[];
  readonly bySize: Mutable<Count>[];
  readonly byContent: Mutable<Count>[];
  readonly oldVersions: Mutable<OldVersions>[];
  deleteMarkers: number;
  uploadKeys: UploadKeys;
  readonly nesting: MutableNesting;
}

export function emptySegment(): MutableSegment {
  const counts = (list: readonly unknown[]) => list.map(() => ({ objects: 0, bytes: 0 }));
  return {
    prefixes: [],
    rest: [],
    bySize: counts(SIZE_BANDS),
    byContent: counts(CONTENT_KINDS),
    oldVersions: [],
    deleteMarkers: 0,
    uploadKeys: 'none',
    nesting: emptyNesting(),
  };
}

/** How the objects of one listing are classified. */
export interface Classification {
  readonly ageBandOf: AgeBandOf;
  /** The sizes above which objects are counted, in bytes, smallest first. */
  readonly sizeLimits: readonly number[];
  /** The minimum billable sizes below which objects are counted, in bytes, smallest first. */
  readonly minSizes?: readonly number[];
  /** The longest key that fits at the target, in bytes; objects with longer ones are counted. */
  readonly maxKeyBytes: number;
}

/** Adds the next current object; its key sorts after all that were added before. */
export function addObject(
  segment: MutableSegment,
  object: ListedObject,
  { ageBandOf, sizeLimits, minSizes, maxKeyBytes }: Classification,
): void {
  const { key, sizeBytes, storageClass } = object;
  noteUploadKey(segment, key);
  const cells = cellsFor(segment, key, sizeBytes);
  const cell = findCell(cells, storageClass, ageBandOf(object.lastModified));
  countObject(cell, sizeBytes, sizeLimits, minSizes);
  if (exceedsBytes(key, maxKeyBytes)) cell.longKeys = (cell.longKeys ?? 0) + 1;
  const above = addKey(segment.nesting, key);
  if (above !== undefined) noteNested(segment, [oneNested(above, key)]);
  countIn(segment.bySize, sizeBandIndex(sizeBytes), sizeBytes);
  countIn(segment.byContent, contentKindIndex(key), sizeBytes);
}

export function addOldVersion(
  segment: MutableSegment,
  { key, storageClass, sizeBytes }: Pick<ListedObject, 'key' | 'storageClass' | 'sizeBytes'>,
  { minSizes }: Pick<Classification, 'minSizes'> = {},
): void {
  noteUploadKey(segment, key);
  countObject(findOldVersions(segment, storageClass), sizeBytes, [], minSizes);
}

export function addDeleteMarker(segment: MutableSegment): void {
  segment.deleteMarkers += 1;
}

/** Appends the next run of keys, with no key between the two runs. */
export function appendSegment(segment: MutableSegment, next: Segment): void {
  noteNested(segment, appendNesting(segment.nesting, next.nesting));
  for (const { prefix, bytes, cells, nested } of next.prefixes) {
    let open = segment.prefixes.at(-1);
    if (open?.prefix !== prefix) {
      open = { prefix, bytes: 0, cells: [] };
      segment.prefixes.push(open);
    }
    open.bytes += bytes;
    addCells(open.cells, cells);
    if (nested) open.nested = addNested(open.nested ?? null, nested);
  }
  foldIfMany(segment);
  addCells(segment.rest, next.rest);
  for (const [at, count] of segment.bySize.entries()) addCountAt(count, next.bySize, at);
  for (const [at, count] of segment.byContent.entries()) addCountAt(count, next.byContent, at);
  for (const old of next.oldVersions)
    addStatistics(findOldVersions(segment, old.storageClass), old);
  segment.deleteMarkers += next.deleteMarkers;
  segment.uploadKeys = joinUploadKeys(segment.uploadKeys, next.uploadKeys);
}

/** Folds the complete prefixes that can no longer be among the largest, over all runs of a bucket. */
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

/** Counts objects with the prefix that they have in common with the keys above them: it is the last one. */
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

function cellsFor(segment: MutableSegment, key: string, sizeBytes: number): Mutable<Cell>[] {
  const open = segment.prefixes.at(-1);
  if (open !== undefined && key.startsWith(open.prefix)) {
    open.bytes += sizeBytes;
    return open.cells;
  }
  const slash = key.indexOf('/');
  if (slash < 0) return segment.rest;
  const started = { prefix: detached(key.slice(0, slash + 1)), bytes: sizeBytes, cells: [] };
  segment.prefixes.push(started);
  foldIfMany(segment);
  return started.cells;
}

/** A copy without a reference to the listing page; a slice of a string would keep the page in memory. */
function detached(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function findCell(
  cells: Mutable<Cell>[],
  storageClass: string,
  ageBand: number,
): Mutable<ObjectStatistics> {
  for (const cell of cells) {
    if (cell.ageBand === ageBand && cell.storageClass === storageClass) return cell;
  }
  const cell = { storageClass: detached(storageClass), ageBand, ...emptyStatistics() };
  cells.push(cell);
  return cell;
}

function findOldVersions(segment: MutableSegment, storageClass: string): Mutable<ObjectStatistics> {
  const known = segment.oldVersions.find((old) => old.storageClass === storageClass);
  if (known) return known;
  const added = { storageClass: detached(storageClass), ...emptyStatistics() };
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
    else addCells(rest, prefix.cells);
  }
  prefixes.length = kept;
}
