import type { Tally } from '../inventory/inventory.ts';

/** A tally that is being added up. */
export type Sum = { -readonly [Field in keyof Tally]: Tally[Field] };

export function emptySum(): Sum {
  return { objects: 0, bytes: 0, smallObjects: 0, smallBytes: 0, partRequests: 0 };
}

export function clear(sum: Sum): void {
  sum.objects = 0;
  sum.bytes = 0;
  sum.smallObjects = 0;
  sum.smallBytes = 0;
  sum.partRequests = 0;
}

export function add(sum: Sum, tally: Tally): void {
  sum.objects += tally.objects;
  sum.bytes += tally.bytes;
  sum.smallObjects += tally.smallObjects;
  sum.smallBytes += tally.smallBytes;
  sum.partRequests += tally.partRequests;
}

/** Leaves in `sum` the objects that are not small: the ones that a change of class changes. */
export function setLarge(sum: Sum, tally: Tally): void {
  sum.objects = tally.objects - tally.smallObjects;
  sum.bytes = tally.bytes - tally.smallBytes;
  sum.smallObjects = 0;
  sum.smallBytes = 0;
  sum.partRequests = tally.partRequests;
}
