import type { CostedObjects } from '../finding.ts';
import { monthlyCost, storageUsd } from './costs.ts';
import type { BucketCost, PricedBucket, PricedObjects } from './model.ts';
import { sumScenarios } from './scenarios.ts';

/** Monthly cost of a bucket: current objects, old versions, parts of incomplete uploads. */
export function currentCost(bucket: PricedBucket): BucketCost {
  const { uploads } = bucket.inventory.incompleteUploads;
  return {
    current: sumScenarios(bucket.totals.map(({ rates, held }) => monthlyCost(rates, held))),
    oldVersions: storageOf(bucket.oldVersions),
    incompleteUploads: { ...storageOf([bucket.uploadParts]), objects: uploads },
    copied: storageOf(bucket.copied),
  };
}

/** Monthly storage cost of some objects, reads left out; added up in the order given. */
export function storageOf(objects: readonly PricedObjects[]): CostedObjects {
  return sumCosts(
    objects.map(({ rates, held }) => ({
      objects: held.objects,
      bytes: held.bytes,
      monthlyCostUsd: storageUsd(rates, held),
    })),
  );
}

/** USD per month for storage and monitoring: the figure that the bill shows. */
export function billedUsd({ current, oldVersions, incompleteUploads }: BucketCost): number {
  return current.none + oldVersions.monthlyCostUsd + incompleteUploads.monthlyCostUsd;
}

/** Added up in the order given. */
export function sumCosts(costs: readonly CostedObjects[]): CostedObjects {
  return costs.reduce(
    (sum, cost) => ({
      objects: sum.objects + cost.objects,
      bytes: sum.bytes + cost.bytes,
      monthlyCostUsd: sum.monthlyCostUsd + cost.monthlyCostUsd,
    }),
    { objects: 0, bytes: 0, monthlyCostUsd: 0 },
  );
}
