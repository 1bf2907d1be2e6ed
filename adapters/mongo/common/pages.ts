export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** One page of a list, with the length of the whole list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
