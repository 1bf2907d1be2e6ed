import { compareGroups, type Group } from '../inventory/inventory.ts';
import { inOrder, priceGroup } from './bucket.ts';
import { storageOf } from './costs.ts';
import { ratesByRegion, type RateScope } from './region-rates.ts';
import { shown } from './rounding.ts';

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
    return shown(storageOf(priced).monthlyCostUsd);
  });
}
