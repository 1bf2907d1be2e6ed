/** One page of a list. */
export interface Page<Item> {
  items: readonly Item[];
  /** The number of all items that were selected. */
  total: number;
  offset: number;
}

/** `await` gives one page; `for await` gives every item from `offset` on, page by page. */
export type PagedList<One extends Page<unknown>> = Promise<One> &
  AsyncIterable<One['items'][number]>;

interface Place {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** The largest page that the service gives. */
const LARGEST_PAGE = 50;

/**
 * Requests the first page at once, and the others as they are iterated over. An item that a newer
 * one has moved to the next page is given once. The service pages to an offset of 10,000: a longer
 * list ends with its `invalid_request`.
 */
export function pagedList<Item, One extends Page<Item>>(
  requestPage: (place: Place) => Promise<One>,
  place: Place,
  itemId: (item: Item) => string,
): PagedList<One> {
  const first = requestPage(place);
  async function* items(): AsyncGenerator<Item> {
    const seen = new Set<string>();
    for (let page = await first; page.items.length > 0;) {
      for (const item of page.items) {
        const id = itemId(item);
        if (!seen.has(id)) yield item;
        seen.add(id);
      }
      const offset = page.offset + page.items.length;
      if (offset >= page.total) return;
      page = await requestPage({ limit: place.limit ?? LARGEST_PAGE, offset });
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items }) as PagedList<One>;
}
