import { PART_BYTES } from '../common/parts.ts';
import { DAY_MS } from '../common/time.ts';
import { AGE_BAND_FIRST_DAY, SIZE_BAND_ENDS, type AgeBandIndex } from './bands.ts';

/** The index into `AGE_BANDS` of a LastModified time in the form of `toISOString()`. */
export type AgeBandOf = (lastModified: string) => AgeBandIndex;

/**
 * Classifies ages as of `asOf`; a later change counts as new. Times of one form compare as text, to
 * the millisecond.
 */
export function createAgeBands(asOf: Date): AgeBandOf {
  const since = (band: AgeBandIndex) =>
    new Date(asOf.getTime() - AGE_BAND_FIRST_DAY[band] * DAY_MS).toISOString();
  const [second, third, last] = [since(1), since(2), since(3)];
  return (lastModified) => {
    if (lastModified > second) return 0;
    if (lastModified > third) return 1;
    return lastModified > last ? 2 : 3;
  };
}

/** The index into `SIZE_BANDS`. */
export function sizeBandIndex(sizeBytes: number): number {
  let band = 0;
  for (const end of SIZE_BAND_ENDS) if (sizeBytes >= end) band += 1;
  return band;
}

/** UTF-8 has at most three bytes for each UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Whether a key exceeds `maxBytes` in UTF-8; most are too short to be counted. */
export function exceedsBytes(key: string, maxBytes: number): boolean {
  return key.length * MAX_BYTES_PER_UNIT > maxBytes && Buffer.byteLength(key) > maxBytes;
}

/** Requests to write an object in parts; 0 for one that is small enough to be written at once. */
export function partRequestsFor(sizeBytes: number): number {
  return sizeBytes > PART_BYTES ? Math.ceil(sizeBytes / PART_BYTES) + 1 : 0;
}
