import { SMALL_OBJECT_BYTES } from './bands.ts';
import { partRequestsFor } from './classify.ts';
import type { Count, ObjectStatistics } from './inventory.ts';

/** A type whose fields are writable while its sums are computed. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function emptyStatistics(): Mutable<ObjectStatistics> {
  return { objects: 0, bytes: 0, smallObjects: 0, smallBytes: 0, partRequests: 0 };
}

/** Counts one more object. */
export function countObject(sum: Mutable<ObjectStatistics>, sizeBytes: number): void {
  sum.objects += 1;
  sum.bytes += sizeBytes;
  if (sizeBytes < SMALL_OBJECT_BYTES) {
    sum.smallObjects += 1;
    sum.smallBytes += sizeBytes;
  } else {
    sum.partRequests += partRequestsFor(sizeBytes);
  }
}

export function addStatistics(sum: Mutable<ObjectStatistics>, other: ObjectStatistics): void {
  addCount(sum, other);
  sum.smallObjects += other.smallObjects;
  sum.smallBytes += other.smallBytes;
  sum.partRequests += other.partRequests;
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
