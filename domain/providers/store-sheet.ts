/** A price that holds up to a cumulative bound in the provider's own GB; `null` is no bound. */
export interface PriceBand {
  readonly uptoGb: number | null;
  readonly usd: number;
}

/** The prices of a store as its entry of the catalogue has them. Amounts in USD. */
export interface StoreSheet extends SheetFigures {
  readonly bytesPerGb: number;
  readonly storageNote?: string;
  readonly listPerRequest: number;
  readonly egress: StoreEgress;
  /** The least that it charges a month. */
  readonly floorUsdPerMonth: number;
  /** What differs in other storage classes, by their name. */
  readonly classes?: Readonly<Record<string, Partial<SheetFigures>>>;
}

/** The figures of one storage class. */
export interface SheetFigures {
  readonly storagePerGbMonth: number | readonly [PriceBand, ...PriceBand[]];
  readonly putPerRequest: number;
  readonly getPerRequest: number;
  readonly retrievalPerGb: number;
  readonly minDays: number;
  readonly minBillableBytes: number;
}

/**
 * Free; free up to a multiple of storage, then at a price or (null) against the terms; or banded.
 */
export type StoreEgress = { readonly note?: string } & (
  | { readonly free: true }
  | { readonly freeMultiple: number; readonly overagePerGb: number | null }
  | { readonly bands: readonly [PriceBand, ...PriceBand[]] }
);
