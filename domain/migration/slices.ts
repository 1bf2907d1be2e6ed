const MIN_SLICES = 4;
/** Of one migration, on all workers together: the slots of four workers. */
export const MAX_SLICES = 64;

/**
 * How many slices of a migration run in parallel: as many as its manifest has pages of 1,000 objects,
 * from 4 to 64. What one worker has no slot for waits for another worker.
 */
export function slicesFor(pages: number): number {
  return Math.min(MAX_SLICES, Math.max(MIN_SLICES, pages));
}
