import { SIZE_BAND_ENDS } from '../inventory/bands.ts';
import type { Count } from '../inventory/inventory.ts';
import { sumBy } from '../common/sums.ts';

/** A random sample of one in some hundreds is larger. */
const DEVIATIONS = 3;

/**
 * The most bytes of a stratified sample, by what is known of all objects: their number and bytes in
 * each size band. A band has its share of the sample, and one more of each of its strata; the
 * largest object is always in it. The variance of a band is at most `(mean - least) (most - mean)`
 * (Bhatia and Davis, 2000).
 *
 * | files | all                                | most bytes                         |
 * | ----- | ---------------------------------- | ---------------------------------- |
 * | 10    | 10 of 3 MB in all                  | 3 MB                               |
 * | 60    | 120 of 64 MB in all, one of 83 MB  | 83 MB, and most of the 64 MB       |
 * | 1,000 | 1,000,000 of 10 MB each, 1-64 MiB  | 13 GB                              |
 *
 * @param files in the sample
 * @param bySize of all objects, by index into `SIZE_BANDS`
 * @param strata of one size band, at most
 */
export function mostBytes(files: number, bySize: readonly Count[], strata: number): number {
  const total = sumBy(bySize, ({ objects }) => objects);
  let [bytes, left, isLargest] = [0, files, true];
  for (const [at, { objects, bytes: ofBand }] of [...bySize.entries()].toReversed()) {
    const share = Math.ceil((files * objects) / total) + strata;
    const count = Math.min(objects, left, share);
    if (count === 0) continue;
    const least = SIZE_BAND_ENDS[at - 1] ?? 0;
    const most = Math.min(SIZE_BAND_ENDS[at] ?? ofBand, ofBand - (objects - 1) * least);
    const mean = ofBand / objects;
    const random = isLargest ? count - 1 : count;
    const spread = Math.sqrt(random * (mean - least) * Math.max(0, most - mean));
    const drawn = Math.min(random * most, random * mean + DEVIATIONS * spread);
    bytes += Math.min(ofBand, drawn + (isLargest ? most : 0));
    left -= count;
    isLargest = false;
  }
  return Math.round(bytes);
}
