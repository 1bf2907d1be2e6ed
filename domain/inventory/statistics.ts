import { SMALL_OBJECT_BYTES } from './bands.ts';
import { partRequestsFor } from './classify.ts';
import type { Count, ObjectStatistics } from './inventory.ts';

/** A type whose fields are written while it is reckoned. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function emptyStatistics(): Mutable<ObjectStatistics> {
  return { objects: 0, bytes: 0, smallObjects: 0, smallBytes: 0, partRequests: 0 };
}

/** Counts one more object. */
export function countObject(tally: Mutable<ObjectStatistics>, sizeBytes: number): void {
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
export function addStatistics(tally: Mutable<ObjectStatistics>, other: ObjectStatistics): void {
  addCount(tally, other);
  tally.smallObjects += other.smallObjects;
  tally.smallBytes += other.smallBytes;
  tally.partRequests += other.partRequests;
}

export function addCount(count: Mutable<Count>, other: Count): void {
  count.objects += other.objects;
  count.bytes += other.bytes;
}

export function sumStatistics(parts: readonly ObjectStatistics[]): ObjectStatistics {
  const sum = emptyStatistics();
  for (const part of parts) addStatistics(sum, part);
  return sum;
}

/** The objects of `SMALL_OBJECT_BYTES` and more. */
export function largeObjects(held: ObjectStatistics): ObjectStatistics {
  return {
    objects: held.objects - held.smallObjects,
    bytes: held.bytes - held.smallBytes,
    smallObjects: 0,
    smallBytes: 0,
    partRequests: held.partRequests,
  };
}
