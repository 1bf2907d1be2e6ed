import type { ProviderName } from '../provider/catalogue.ts';
import { compareGroups, type Group } from '../inventory/inventory.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import { inOrder, movable, priceGroup } from './bucket.ts';
import { placementCost, storageCost } from './costs.ts';
import { ratesByRegion, regionRates, targetsFor, type RateScope } from './region-rates.ts';
import { shown, shownQuote } from './amounts.ts';
import type { Quote } from './types.ts';

export interface QuoteRequest {
  readonly priceBook: PriceBook;
  readonly source: ProviderName;
  /** The source's region. */
  readonly region: string;
  /** In any order; groups that may not move are left out. */
  readonly groups: readonly Group[];
  readonly target: ProviderName;
}

/**
 * The one-off cost of moving some objects, rounded; null if the target is the source itself.
 * Storage is priced by the bytes of the request, not by a scan's blended rate: that changes only
 * `earlyDeletionUsd`, and only if a class has bands.
 */
export function quoteMove(request: QuoteRequest): Quote | null {
  const { priceBook, source, target } = request;
  const targets = targetsFor(priceBook, source).filter(({ provider }) => provider === target);
  const rawBytes = new Map<string, number>();
  for (const { storageClass, bytes } of request.groups) {
    rawBytes.set(storageClass, (rawBytes.get(storageClass) ?? 0) + bytes);
  }
  const region = regionRates(priceBook, source, request.region, rawBytes);
  const groups = request.groups.toSorted(compareGroups).map((group) => priceGroup(region, group));
  const [move] = placementCost(targets, region, movable(groups)).moves;
  return move ? shownQuote(move.quote) : null;
}

/** Some objects of one region. */
export interface RegionGroups {
  readonly region: string;
  readonly groups: readonly Group[];
}

/** Monthly storage cost of each item at the blended rates of a scan, rounded. */
export function storageAtScanRates(
  scope: RateScope,
  items: readonly RegionGroups[],
): readonly number[] {
  const rates = ratesByRegion({ ...scope, buckets: inOrder(scope.buckets) });
  return items.map(({ region, groups }) => {
    const ofRegion = rates.get(region);
    if (!ofRegion) return 0;
    const priced = groups.toSorted(compareGroups).map((group) => priceGroup(ofRegion, group));
    return shown(storageCost(priced).monthlyCostUsd);
  });
}
