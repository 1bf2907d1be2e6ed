import { UPLOAD_CLASS, type ProviderName } from '../providers/catalogue.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';
import type { ScanRequests } from './scan.ts';

/** Counts the requests to a customer's account and their cost. */
export interface RequestMeter {
  /** Counts one request, or so many. May be passed on without the meter. */
  readonly count: (kind: 'list' | 'other', region: string, requests?: number) => void;
  /** Adds what another service than S3 charges, in USD. */
  readonly charge: (usd: number) => void;
  readonly read: () => ScanRequests;
}

/** A listing request has its own price; all others are billed as reads, in every class. */
export function createRequestMeter(priceBook: PriceBook, provider: ProviderName): RequestMeter {
  const counts = { list: 0, other: 0 };
  let costUsd = 0;
  return {
    count(kind, region, requests = 1) {
      const { list, get } = requireSheet(priceBook, provider, region, UPLOAD_CLASS);
      counts[kind] += requests;
      costUsd += requests * (kind === 'list' ? list : get).value;
    },
    charge(usd) {
      costUsd += usd;
    },
    read: () => ({ ...counts, costUsd }),
  };
}
