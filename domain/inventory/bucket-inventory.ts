import { joinUploadKeys, UPLOADS_PREFIX, type UploadKeys } from '../common/file-keys.ts';
import { CONTENT_KINDS, REST_PREFIX } from './bands.ts';
import type { BucketInventory, Count, Group } from './inventory.ts';
import { toKeyMarks } from './key-marks.ts';
import { addCells, largestPrefixes, type Cell, type Segment } from './segment.ts';
import { addCount, type Mutable } from './statistics.ts';

/** The part of an inventory that follows from the listing of the keys. */
export type ListedInventory = Pick<
  BucketInventory,
  | 'groups'
  | 'bySize'
  | 'byContent'
  | 'oldVersions'
  | 'deleteMarkers'
  | 'oldestAt'
  | 'marks'
  | 'uploadKeys'
  | 'nestedKeys'
>;

/**
 * The inventory of a bucket from the segment of all its keys: the largest prefixes have groups of
 * their own, and so has `UPLOADS_PREFIX` if all keys below it, those of `incomplete` uploads too,
 * have the form of a file's; all others are under `REST_PREFIX`. Content largest first, ties in the
 * order of `CONTENT_KINDS`.
 */
export function toInventory(segment: Segment, incomplete: UploadKeys = 'none'): ListedInventory {
  const uploadKeys = joinUploadKeys(segment.uploadKeys, incomplete);
  const kept = new Set(largestPrefixes(segment.prefixes));
  const uploads = segment.prefixes.find(({ prefix }) => prefix === UPLOADS_PREFIX);
  if (uploads && uploadKeys === 'files') kept.add(uploads);
  const folded: Mutable<Cell>[] = [];
  addCells(folded, segment.rest);
  let restMarks = segment.restMarks;
  for (const prefix of segment.prefixes) {
    if (kept.has(prefix)) continue;
    addCells(folded, prefix.cells);
    restMarks |= prefix.marks;
  }
  return {
    groups: [
      ...[...kept].flatMap(({ prefix, cells }) => toGroups(prefix, cells)),
      ...toGroups(REST_PREFIX, folded),
    ],
    bySize: segment.bySize.map(({ objects, bytes }) => ({ objects, bytes })),
    byContent: CONTENT_KINDS.map((kind, at) => ({
      kind,
      objects: segment.byContent[at]?.objects ?? 0,
      bytes: segment.byContent[at]?.bytes ?? 0,
    })).toSorted((a, b) => b.bytes - a.bytes),
    oldVersions: segment.oldVersions.map((old) => ({ ...old })),
    deleteMarkers: segment.deleteMarkers,
    oldestAt: segment.oldestAt ? new Date(segment.oldestAt) : null,
    marks: [...kept, { prefix: REST_PREFIX, marks: restMarks }]
      .filter(({ marks }) => marks > 0)
      .map(({ prefix, marks }) => ({ prefix, marks: toKeyMarks(marks) })),
    uploadKeys,
    nestedKeys: [
      ...(segment.nesting.found ? [{ prefix: null, ...segment.nesting.found }] : []),
      ...[...kept].flatMap(({ prefix, nested }) => (nested ? [{ prefix, ...nested }] : [])),
    ],
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
