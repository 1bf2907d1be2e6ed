import { SMALL_OBJECT_BYTES } from './bands.ts';
import { partRequestsFor } from './classify.ts';
import type { Count, Tally } from './inventory.ts';

/** A type whose fields are written while it is reckoned. */
export type Growing<T> = { -readonly [Field in keyof T]: T[Field] };

export function emptyTally(): Growing<Tally> {
  return { objects: 0, bytes: 0, smallObjects: 0, smallBytes: 0, partRequests: 0 };
}

/** Counts one more object. */
export function countObject(tally: Growing<Tally>, sizeBytes: number): void {
  tally.objects += 1;
  tally.bytes += sizeBytes;
  if (sizeBytes < SMALL_OBJECT_BYTES) {
    tally.smallObjects += 1;
    tally.smallBytes += sizeBytes;
  } else {
    tally.partRequests += partRequestsFor(sizeBytes);
  }
}

/** Adds what was reckoned elsewhere. */
export function addTally(tally: Growing<Tally>, other: Tally): void {
  addCount(tally, other);
  tally.smallObjects += other.smallObjects;
  tally.smallBytes += other.smallBytes;
  tally.partRequests += other.partRequests;
}

export function addCount(count: Growing<Count>, other: Count): void {
  count.objects += other.objects;
  count.bytes += other.bytes;
}
