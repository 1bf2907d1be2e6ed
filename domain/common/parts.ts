const MIB = 2 ** 20;

/** A migration writes larger objects in parts of this size. */
export const PART_BYTES = 64 * MIB;
/** Source: "Amazon S3 multipart upload limits". */
export const MAX_PARTS = 10_000;

/**
 * The size of every part of an object except the last: the smallest one allowed, or else the fewest
 * whole MiB that make a store's number of parts enough.
 */
export function partSizeFor(
  sizeBytes: number,
  smallestBytes: number,
  maxParts = MAX_PARTS,
): number {
  return Math.max(smallestBytes, Math.ceil(sizeBytes / maxParts / MIB) * MIB);
}
