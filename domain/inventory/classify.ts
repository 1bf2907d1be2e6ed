import { PART_BYTES } from '../common/parts.ts';
import { DAY_MS } from '../common/time.ts';
import { AGE_BAND_FIRST_DAY, SIZE_BAND_ENDS } from './bands.ts';

/** The index into `AGE_BANDS` of a LastModified time in the form of `toISOString()`. */
export type AgeBandOf = (lastModified: string) => number;

/**
 * Classifies ages as of `asOf`; a later change counts as new. Times of one form compare as text, to
 * the millisecond.
 */
export function createAgeBands(asOf: Date): AgeBandOf {
  const thresholds = AGE_BAND_FIRST_DAY.slice(1).map((day) =>
    new Date(asOf.getTime() - day * DAY_MS).toISOString(),
  );
  return (lastModified) => {
    let band = 0;
    for (const threshold of thresholds) if (lastModified <= threshold) band += 1;
    return band;
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

/** Whether a key is longer than `maxBytes` in UTF-8; most keys are too short to have their bytes counted. */
export function exceedsBytes(key: string, maxBytes: number): boolean {
  return key.length * MAX_BYTES_PER_UNIT > maxBytes && Buffer.byteLength(key) > maxBytes;
}

/** Requests to write an object in parts; 0 for one that is small enough to be written at once. */
export function partRequestsFor(sizeBytes: number): number {
  return sizeBytes > PART_BYTES ? Math.ceil(sizeBytes / PART_BYTES) + 1 : 0;
}
