/** The page size of every list. */
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

/** A view that sorts and searches has at most so many lines. */
export const MOST_LISTED = 500;

/** The lines of a list, over its pages, up to {@link MOST_LISTED}. */
export async function collect<T>(list: AsyncIterable<T>): Promise<readonly T[]> {
  const lines: T[] = [];
  for await (const line of list) {
    lines.push(line);
    if (lines.length === MOST_LISTED) break;
  }
  return lines;
}
