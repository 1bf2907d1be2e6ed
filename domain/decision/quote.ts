import { addTo } from '../common/sums.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import { compareGroups, type Group } from '../inventory/inventory.ts';
import { sumStatistics } from '../inventory/statistics.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { PriceFactors } from '../bill/price-factors.ts';
import { shownQuote } from './amounts.ts';
import { movable, priceGroup } from './bucket.ts';
import { moveQuote } from './costs.ts';
import { atOwnPrices } from './own-prices.ts';
import { regionRates, targetAt } from './region-rates.ts';
import type { ConfiguredStore, Quote } from './types.ts';

export interface QuoteRequest {
  readonly priceBook: PriceBook;
  readonly source: ProviderName;
  /** The source's region. */
  readonly region: string;
  /** In any order; groups that may not move are left out. */
  readonly groups: readonly Group[];
  /** The target; its prices are those of the region. */
  readonly target: ConfiguredStore;
  /** The egress that costs nothing, as the recommendation has it. */
  readonly freeEgressGb?: number;
  /** Those of the scan that recommended the move. */
  readonly priceFactors: PriceFactors;
}

/**
 * The one-off cost of moving some objects, rounded; null if the target is the source itself.
 * Storage is priced by the bytes of the request, not by a scan's blended rate: that changes only
 * `earlyDeletionUsd`, and only if a class has bands.
 */
export function quoteMove(request: QuoteRequest): Quote | null {
  return request.target.provider === request.source ? null : quoteCopy(request);
}

/** The same, also between two places of one provider. */
export function quoteCopy(request: QuoteRequest): Quote {
  const { source, target, freeEgressGb = 0 } = request;
  const priceBook = atOwnPrices(request.priceBook, source, request.priceFactors);
  const to = targetAt(priceBook, target.provider, target.region);
  const rawBytes = new Map<string, number>();
  for (const { storageClass, bytes } of request.groups) {
    addTo(rawBytes, storageClass, bytes);
  }
  const { region: name, groups } = request;
  const region = regionRates({ priceBook, source, region: name, rawBytes, freeEgressGb });
  const priced = groups.toSorted(compareGroups).map((group) => priceGroup(region, group));
  const moving = movable(priced);
  const total = sumStatistics(moving.map(({ statistics }) => statistics));
  return shownQuote(moveQuote(to, region, moving, total, freeEgressGb));
}
