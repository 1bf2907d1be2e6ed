import { CONTENT_KINDS, MAX_PREFIXES, SIZE_BANDS } from './bands.ts';
import { sizeBandIndex, type AgeBandOf } from './classify.ts';
import { contentKindIndex } from './content-kind.ts';
import type { Count, Group, OldVersions, Tally } from './inventory.ts';
import { compareKeys } from './key-order.ts';
import { addCount, addTally, countObject, emptyTally, type Growing } from './statistics.ts';

/** Objects of one storage class and age band. */
export type Cell = Omit<Group, 'prefix'>;

/** The current objects under one first segment of their keys. */
export interface PrefixTally {
  readonly prefix: string;
  readonly bytes: number;
  readonly cells: readonly Cell[];
}

/**
 * What is kept of a contiguous, ordered run of keys. Plain data: it is stored between slices of a
 * listing, and its size depends on prefixes, classes and ages only, never on objects.
 *
 * All keys of a prefix stand together, so every prefix but the first and the last of a run is
 * complete in it, and only the `MAX_PREFIXES` largest of the complete ones can be among the largest
 * of the bucket: the others go into `rest` at once.
 */
export interface Segment {
  /** In the order of their keys. */
  readonly prefixes: readonly PrefixTally[];
  /** Of the prefixes that were folded, and of the keys without a first segment. */
  readonly rest: readonly Cell[];
  readonly bySize: readonly Count[];
  /** By index into `CONTENT_KINDS`. */
  readonly byContent: readonly Count[];
  readonly oldVersions: readonly OldVersions[];
  readonly deleteMarkers: number;
}

/** An object as it was listed. */
export interface ListedObject {
  readonly key: string;
  /** As `toISOString()` writes it. */
  readonly lastModified: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
}

interface GrowingPrefix {
  readonly prefix: string;
  bytes: number;
  readonly cells: Growing<Cell>[];
}

/** A segment while keys are added to it. */
export interface GrowingSegment extends Segment {
  readonly prefixes: GrowingPrefix[];
  readonly rest: Growing<Cell>[];
  readonly bySize: Growing<Count>[];
  readonly byContent: Growing<Count>[];
  readonly oldVersions: Growing<OldVersions>[];
  deleteMarkers: number;
}

export function emptySegment(): GrowingSegment {
  const counts = (list: readonly unknown[]) => list.map(() => ({ objects: 0, bytes: 0 }));
  return {
    prefixes: [],
    rest: [],
    bySize: counts(SIZE_BANDS),
    byContent: counts(CONTENT_KINDS),
    oldVersions: [],
    deleteMarkers: 0,
  };
}

/** Adds the next current object; its key stands behind all that were added before. */
export function addObject(
  segment: GrowingSegment,
  object: ListedObject,
  ageBandOf: AgeBandOf,
): void {
  const { key, sizeBytes, storageClass } = object;
  const cells = cellsFor(segment, key, sizeBytes);
  countObject(findCell(cells, storageClass, ageBandOf(object.lastModified)), sizeBytes);
  countIn(segment.bySize, sizeBandIndex(sizeBytes), sizeBytes);
  countIn(segment.byContent, contentKindIndex(key), sizeBytes);
}

/** Adds a version that is not the current one. */
export function addOldVersion(
  segment: GrowingSegment,
  { storageClass, sizeBytes }: Pick<ListedObject, 'storageClass' | 'sizeBytes'>,
): void {
  countObject(findOldVersions(segment, storageClass), sizeBytes);
}

export function addDeleteMarker(segment: GrowingSegment): void {
  segment.deleteMarkers += 1;
}

/** Adds the run of keys that follows, between which and this one there is no other key. */
export function appendSegment(segment: GrowingSegment, next: Segment): void {
  for (const { prefix, bytes, cells } of next.prefixes) {
    let open = segment.prefixes.at(-1);
    if (open?.prefix !== prefix) {
      open = { prefix, bytes: 0, cells: [] };
      segment.prefixes.push(open);
    }
    open.bytes += bytes;
    addCells(open.cells, cells);
  }
  foldWhereMany(segment);
  addCells(segment.rest, next.rest);
  for (const [at, count] of segment.bySize.entries()) addCountAt(count, next.bySize, at);
  for (const [at, count] of segment.byContent.entries()) addCountAt(count, next.byContent, at);
  for (const old of next.oldVersions) addTally(findOldVersions(segment, old.storageClass), old);
  segment.deleteMarkers += next.deleteMarkers;
}

/** Folds the complete prefixes that cannot be among the largest any more, over all runs of a bucket. */
export function foldSmallPrefixes(segments: readonly GrowingSegment[]): void {
  const complete = segments.flatMap(({ prefixes }) => prefixes.slice(1, -1));
  const kept = new Set(largestPrefixes(complete));
  for (const segment of segments) foldUnless(segment, (prefix) => kept.has(prefix));
}

/** The `MAX_PREFIXES` largest by bytes, ties in UTF-8 order. */
export function largestPrefixes<P extends PrefixTally>(prefixes: readonly P[]): P[] {
  return prefixes
    .toSorted((a, b) => b.bytes - a.bytes || compareKeys(a.prefix, b.prefix))
    .slice(0, MAX_PREFIXES);
}

/** Adds cells to others of the same kinds. */
export function addCells(cells: Growing<Cell>[], others: readonly Cell[]): void {
  for (const other of others) addTally(findCell(cells, other.storageClass, other.ageBand), other);
}

function cellsFor(segment: GrowingSegment, key: string, sizeBytes: number): Growing<Cell>[] {
  const open = segment.prefixes.at(-1);
  if (open !== undefined && key.startsWith(open.prefix)) {
    open.bytes += sizeBytes;
    return open.cells;
  }
  const slash = key.indexOf('/');
  if (slash < 0) return segment.rest;
  const started = { prefix: detached(key.slice(0, slash + 1)), bytes: sizeBytes, cells: [] };
  segment.prefixes.push(started);
  foldWhereMany(segment);
  return started.cells;
}

/** A copy that does not keep the page alive that it was cut from, as a slice of a string does. */
function detached(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

function findCell(cells: Growing<Cell>[], storageClass: string, ageBand: number): Growing<Tally> {
  for (const cell of cells) {
    if (cell.ageBand === ageBand && cell.storageClass === storageClass) return cell;
  }
  const cell = { storageClass: detached(storageClass), ageBand, ...emptyTally() };
  cells.push(cell);
  return cell;
}

function findOldVersions(segment: GrowingSegment, storageClass: string): Growing<Tally> {
  const known = segment.oldVersions.find((old) => old.storageClass === storageClass);
  if (known) return known;
  const added = { storageClass: detached(storageClass), ...emptyTally() };
  segment.oldVersions.push(added);
  return added;
}

function countIn(counts: readonly Growing<Count>[], at: number, sizeBytes: number): void {
  const count = counts[at];
  if (!count) return;
  count.objects += 1;
  count.bytes += sizeBytes;
}

function addCountAt(count: Growing<Count>, others: readonly Count[], at: number): void {
  const other = others[at];
  if (other) addCount(count, other);
}

/** Twice as many as are kept, so that the sorting costs nothing to speak of per prefix. */
const MANY_PREFIXES = 2 * MAX_PREFIXES + 2;

function foldWhereMany(segment: GrowingSegment): void {
  if (segment.prefixes.length <= MANY_PREFIXES) return;
  const kept = new Set(largestPrefixes(segment.prefixes.slice(1, -1)));
  foldUnless(segment, (prefix) => kept.has(prefix));
}

function foldUnless(segment: GrowingSegment, isKept: (prefix: GrowingPrefix) => boolean): void {
  const { prefixes, rest } = segment;
  const last = prefixes.length - 1;
  let kept = 0;
  for (const [at, prefix] of prefixes.entries()) {
    if (at === 0 || at === last || isKept(prefix)) prefixes[kept++] = prefix;
    else addCells(rest, prefix.cells);
  }
  prefixes.length = kept;
}
