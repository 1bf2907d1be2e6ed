import type { PartLayout } from './file.ts';

const MIB = 2 ** 20;
const SMALLEST_PART_BYTES = 8 * MIB;
/** The stores number parts from 1 to 10,000. */
const MAX_PARTS = 10_000;

/**
 * The parts of a file: the larger of 8 MiB and a 10,000th of its size, rounded up to a whole MiB. All
 * are equal but the last, as R2 demands. A file of 0 bytes has one part.
 */
export function planParts(sizeBytes: number): PartLayout {
  const partSizeBytes = Math.max(SMALLEST_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MIB) * MIB);
  return { partSizeBytes, partCount: Math.max(1, Math.ceil(sizeBytes / partSizeBytes)) };
}

/** The size of a part, numbered from 1. */
export function toPartSize(
  sizeBytes: number,
  { partSizeBytes }: PartLayout,
  partNumber: number,
): number {
  return Math.min(partSizeBytes, sizeBytes - (partNumber - 1) * partSizeBytes);
}
