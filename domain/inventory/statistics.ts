import { SMALL_OBJECT_BYTES } from './bands.ts';
import { partRequestsFor } from './classify.ts';
import type { Count, ObjectStatistics, OversizedCount, UndersizedCount } from './inventory.ts';

/** A type whose fields are writable while its sums are computed. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

export function emptyStatistics(): Mutable<ObjectStatistics> {
  return { objects: 0, bytes: 0, smallObjects: 0, smallBytes: 0, partRequests: 0 };
}

/** Counts one more object; `sizeLimits` and `minSizes` ascend. */
export function countObject(
  sum: Mutable<ObjectStatistics>,
  sizeBytes: number,
  sizeLimits: readonly number[] = [],
  minSizes: readonly number[] = [],
): void {
  sum.objects += 1;
  sum.bytes += sizeBytes;
  if (sizeBytes < (minSizes.at(-1) ?? 0)) countUndersized(sum, sizeBytes, minSizes);
  if (sizeBytes < SMALL_OBJECT_BYTES) {
    sum.smallObjects += 1;
    sum.smallBytes += sizeBytes;
  } else {
    sum.partRequests += partRequestsFor(sizeBytes);
    if (sizeBytes > (sizeLimits[0] ?? Infinity)) {
      const exceeded = sizeLimits.filter((limitBytes) => sizeBytes > limitBytes);
      addOversized(
        sum,
        exceeded.map((limitBytes) => ({ limitBytes, objects: 1 })),
      );
    }
  }
}

export function addStatistics(sum: Mutable<ObjectStatistics>, other: ObjectStatistics): void {
  addCount(sum, other);
  sum.smallObjects += other.smallObjects;
  sum.smallBytes += other.smallBytes;
  sum.partRequests += other.partRequests;
  if (other.oversized) addOversized(sum, other.oversized);
  if (other.longKeys) sum.longKeys = (sum.longKeys ?? 0) + other.longKeys;
  if (other.undersized) addUndersized(sum, other.undersized);
}

const NONE: Count = { objects: 0, bytes: 0 };

/**
 * The objects below a minimum billable size. A size that the objects were not compared with has
 * none: then they are billed by their bytes.
 */
export function objectsBelow(statistics: ObjectStatistics, minBytes: number): Count {
  if (minBytes === SMALL_OBJECT_BYTES)
    return { objects: statistics.smallObjects, bytes: statistics.smallBytes };
  return statistics.undersized?.find((count) => count.minBytes === minBytes) ?? NONE;
}

/** The bytes that are billed beyond those of objects below a minimum billable size. */
export function bytesToMinimum(statistics: ObjectStatistics, minBytes: number): number {
  const { objects, bytes } = objectsBelow(statistics, minBytes);
  return objects * minBytes - bytes;
}

/**
 * The counts of a sum are changed in place, for each of a million objects; other sums get copies.
 */
function countUndersized(
  sum: Mutable<ObjectStatistics>,
  sizeBytes: number,
  minSizes: readonly number[],
): void {
  for (const minBytes of minSizes) {
    if (sizeBytes >= minBytes) continue;
    const count = openUndersized(sum, minBytes);
    count.objects += 1;
    count.bytes += sizeBytes;
  }
}

function addUndersized(sum: Mutable<ObjectStatistics>, more: readonly UndersizedCount[]): void {
  for (const other of more) addCount(openUndersized(sum, other.minBytes), other);
}

function openUndersized(
  sum: Mutable<ObjectStatistics>,
  minBytes: number,
): Mutable<UndersizedCount> {
  const counts = (sum.undersized ?? []) as readonly Mutable<UndersizedCount>[];
  for (const count of counts) if (count.minBytes === minBytes) return count;
  const opened = { minBytes, ...NONE };
  sum.undersized = [...counts, opened].sort((a, b) => a.minBytes - b.minBytes);
  return opened;
}

/** The objects above a size limit, which is one of those that they were compared with. */
export function objectsAbove({ oversized = [] }: ObjectStatistics, limitBytes: number): number {
  return oversized.find((count) => count.limitBytes === limitBytes)?.objects ?? 0;
}

/** The counts are replaced, not changed: copies of statistics share them. */
function addOversized(sum: Mutable<ObjectStatistics>, more: readonly OversizedCount[]): void {
  const objects = new Map((sum.oversized ?? []).map((count) => [count.limitBytes, count.objects]));
  for (const count of more)
    objects.set(count.limitBytes, (objects.get(count.limitBytes) ?? 0) + count.objects);
  sum.oversized = [...objects]
    .map(([limitBytes, counted]) => ({ limitBytes, objects: counted }))
    .sort((a, b) => a.limitBytes - b.limitBytes);
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

/** The objects of `SMALL_OBJECT_BYTES` and more; long keys are not counted by size. */
export function largeObjects(held: ObjectStatistics): ObjectStatistics {
  const undersized = (held.undersized ?? [])
    .filter(({ minBytes }) => minBytes > SMALL_OBJECT_BYTES)
    .map(({ minBytes, objects, bytes }) => ({
      minBytes,
      objects: objects - held.smallObjects,
      bytes: bytes - held.smallBytes,
    }));
  return {
    objects: held.objects - held.smallObjects,
    bytes: held.bytes - held.smallBytes,
    smallObjects: 0,
    smallBytes: 0,
    partRequests: held.partRequests,
    ...(held.oversized ? { oversized: held.oversized } : {}),
    ...(undersized.length > 0 ? { undersized } : {}),
  };
}
