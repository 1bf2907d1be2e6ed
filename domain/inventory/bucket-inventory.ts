import { CONTENT_KINDS, REST_PREFIX } from './bands.ts';
import type { BucketInventory, Count, Group } from './inventory.ts';
import { addCells, largestPrefixes, type Cell, type Segment } from './segment.ts';
import { addCount, type Mutable } from './statistics.ts';

/** The part of an inventory that follows from the listing of the keys. */
export type ListedInventory = Pick<
  BucketInventory,
  'groups' | 'bySize' | 'byContent' | 'oldVersions' | 'deleteMarkers'
>;

/**
 * The inventory of a bucket from the segment of all its keys: the largest prefixes have groups of
 * their own, all others are under `REST_PREFIX`; content largest first, ties in the order of
 * `CONTENT_KINDS`.
 */
export function toInventory(segment: Segment): ListedInventory {
  const kept = new Set(largestPrefixes(segment.prefixes));
  const rest: Mutable<Cell>[] = [];
  addCells(rest, segment.rest);
  for (const prefix of segment.prefixes) if (!kept.has(prefix)) addCells(rest, prefix.cells);
  return {
    groups: [
      ...[...kept].flatMap(({ prefix, cells }) => toGroups(prefix, cells)),
      ...toGroups(REST_PREFIX, rest),
    ],
    bySize: segment.bySize.map(({ objects, bytes }) => ({ objects, bytes })),
    byContent: CONTENT_KINDS.map((kind, at) => ({
      kind,
      objects: segment.byContent[at]?.objects ?? 0,
      bytes: segment.byContent[at]?.bytes ?? 0,
    })).toSorted((a, b) => b.bytes - a.bytes),
    oldVersions: segment.oldVersions.map((old) => ({ ...old })),
    deleteMarkers: segment.deleteMarkers,
  };
}

/** The current objects of a segment and their bytes. */
export function countCurrentObjects(segment: Segment): Count {
  const total = { objects: 0, bytes: 0 };
  for (const count of segment.bySize) addCount(total, count);
  return total;
}

function toGroups(prefix: string, cells: readonly Cell[]): Group[] {
  return cells.map((cell) => ({ prefix, ...cell }));
}
