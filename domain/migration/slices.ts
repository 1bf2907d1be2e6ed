const MIN_SLICES = 4;
/** Of one migration, on all workers together: the slots of four workers. */
export const MAX_SLICES = 64;
/** Fewer pages are copied by one slice in less than a minute where objects are small. */
const PAGES_PER_SLICE = 4;

/**
 * How many slices of a migration run in parallel: one for each four pages of its manifest, from 4 to
 * 64. What one worker has no slot for waits for another worker.
 */
export function slicesFor(pages: number): number {
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, Math.ceil(pages / PAGES_PER_SLICE)));
}
