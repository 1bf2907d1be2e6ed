import { CATALOGUE, SCANNED_PROVIDER } from '../catalogue.ts';
import type { PriceBook } from '../price-book.ts';
import type { ScanRequests } from './scan.ts';

/** Counts the requests that are made of a customer's account, and what he pays for them. */
export interface RequestMeter {
  /** May be handed on without its owner. */
  readonly count: (kind: 'list' | 'other', region: string) => void;
  readonly read: () => ScanRequests;
}

/** Listing requests are billed like writes, the others like reads, whatever the class of the objects. */
export function createRequestMeter(priceBook: PriceBook): RequestMeter {
  const counts = { list: 0, other: 0 };
  let costUsd = 0;
  const { uploadClass } = CATALOGUE[SCANNED_PROVIDER];
  return {
    count(kind, region) {
      const { putUsd, getUsd } = priceBook.sheet(SCANNED_PROVIDER, region, uploadClass);
      counts[kind] += 1;
      costUsd += kind === 'list' ? putUsd : getUsd;
    },
    read: () => ({ ...counts, costUsd }),
  };
}
