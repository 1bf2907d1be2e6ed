/** Of every list. */
export const PAGE_SIZE = 10;
/** The most that a list gives at once. */
export const LARGEST_PAGE = 50;
/** The service refuses a larger offset. */
const MAX_OFFSET = 10_000;
export const MOST_PAGES = MAX_OFFSET / PAGE_SIZE + 1;

/** The options of a page, from 1. */
export function pageOptions(page: number): { readonly limit: number; readonly offset: number } {
  return { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
}

/** Of a list: its filters, and the page, from 1. */
export type Selection<T> = Omit<T, 'limit' | 'offset' | 'signal' | 'requestId'> & {
  readonly page: number;
};
