/** Of every list. */
export const PAGE_SIZE = 10;
/** The service refuses a larger offset. */
const MAX_OFFSET = 10_000;
export const MOST_PAGES = MAX_OFFSET / PAGE_SIZE + 1;

/** The offset of a page, from 1. */
export function offsetOf(page: number): number {
  return (page - 1) * PAGE_SIZE;
}
