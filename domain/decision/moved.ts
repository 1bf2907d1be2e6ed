import type { Blocker } from './answer.ts';
import type { PricedBucket } from './bucket.ts';
import { BAND_COUNT } from './table.ts';
import { count } from './words.ts';

/** Objects of a prefix (-1: the whole bucket) by what becomes of them in a move. */
export interface Moved {
  /** The classes that move. */
  readonly classes: readonly string[];
  readonly archivedObjects: number;
  /** Of classes without a sheet. */
  readonly leftObjects: number;
}

export function movedOf({ table, rates }: PricedBucket, prefix: number): Moved {
  const cells = prefix < 0 ? table.whole : table.cells;
  const from = Math.max(0, prefix) * table.stride;
  const classes: string[] = [];
  let archivedObjects = 0;
  let leftObjects = 0;
  for (const [index, ofClass] of rates.entries()) {
    let objects = 0;
    for (let band = 0; band < BAND_COUNT; band += 1) {
      objects += cells[from + index * BAND_COUNT + band]?.objects ?? 0;
    }
    if (objects === 0) continue;
    if (ofClass.mayMove) classes.push(ofClass.storageClass);
    else if (ofClass.hasSheet) archivedObjects += objects;
    else leftObjects += objects;
  }
  return { classes, archivedObjects, leftObjects };
}

export function restoreBlockers({ archivedObjects }: Moved): readonly Blocker[] {
  if (archivedObjects === 0) return [];
  const message = `${count(archivedObjects, 'object')} must be restored first and stay behind until then; the figures leave them out.`;
  return [{ code: 'needs_restore', message, objects: archivedObjects }];
}
