import { monthlyCost, storageCost } from './costs.ts';
import type { BucketCost, PricedBucket } from './model.ts';
import { sumScenarios } from './amounts.ts';

/** Monthly cost of a bucket: current objects, old versions, parts of incomplete uploads. */
export function currentCost(bucket: PricedBucket): BucketCost {
  const { uploads } = bucket.inventory.incompleteUploads;
  return {
    current: sumScenarios(
      bucket.totals.map(({ rates, statistics }) => monthlyCost(rates, statistics)),
    ),
    oldVersions: storageCost(bucket.oldVersions),
    incompleteUploads: { ...storageCost([bucket.uploadParts]), objects: uploads },
    copied: storageCost(bucket.copied),
  };
}

/** USD per month for storage and monitoring: the figure that the bill shows. */
export function billedUsd({ current, oldVersions, incompleteUploads }: BucketCost): number {
  return current.none + oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
}
