import type { ObjectStatistics } from '../inventory/inventory.ts';
import { largeObjects, sumStatistics } from '../inventory/statistics.ts';
import { bandedUsd } from './banded-price.ts';
import type {
  BandRates,
  ChangeCost,
  ClassChange,
  MoveCost,
  PlacementCost,
  PricedObjects,
  RegionRates,
  Target,
} from './model.ts';
import { scenariosOf, sumScenarios, type Scenarios } from './scenarios.ts';
import type { Quote } from './types.ts';

/** USD per month for storage and monitoring. */
export function storageUsd(rates: BandRates, held: ObjectStatistics): number {
  return (
    (held.bytes - held.smallBytes) * rates.largeByteUsd +
    held.smallBytes * rates.smallByteUsd +
    held.objects * rates.objectUsd +
    (held.objects - held.smallObjects) * rates.largeObjectUsd +
    held.smallObjects * rates.smallObjectUsd
  );
}

/** USD per month for storage, monitoring and reads. */
export function monthlyCost(rates: BandRates, held: ObjectStatistics): Scenarios {
  const storage = storageUsd(rates, held);
  return scenariosOf(
    (reads) =>
      storage +
      held.objects * rates.readsPerObjectUsd[reads] +
      held.bytes * rates.readsPerByteUsd[reads],
  );
}

/** The cost of staying and of moving to each target, for objects of one region that may move. */
export function costOf(
  targets: readonly Target[],
  region: RegionRates,
  objects: readonly PricedObjects[],
): PlacementCost {
  const total = sumStatistics(objects.map(({ held }) => held));
  return {
    objects: total.objects,
    bytes: total.bytes,
    stay: sumScenarios(objects.map(({ rates, held }) => monthlyCost(rates, held))),
    moves: targets.map((target) => moveCost(target, region, objects, total)),
  };
}

/** The cost of staying and of changing the class, for the large objects of one region and class. */
export function changeCost(objects: readonly PricedObjects[], storageClass: string): ChangeCost {
  const large = objects.map(({ rates, held }) => ({
    rates,
    change: changeTo(rates, storageClass),
    held: largeObjects(held),
  }));
  const total = sumStatistics(large.map(({ held }) => held));
  return {
    objects: total.objects,
    bytes: total.bytes,
    stay: sumScenarios(large.map(({ rates, held }) => monthlyCost(rates, held))),
    changed: sumScenarios(large.map(({ change, held }) => monthlyCost(change.rates, held))),
    transitionUsd: total.objects * (large[0]?.change.transitionUsd ?? 0),
  };
}

/** USD per month that a placement is sure to save: the smaller of the savings unread and as expected. */
export function savingsUsd(stay: Scenarios, placed: Scenarios): number {
  return Math.min(stay.none - placed.none, stay.expected - placed.expected);
}

/** The quote of a change of class: a transition per object and nothing else. */
export function changeQuote(transitionUsd: number): Quote {
  return {
    egressUsd: 0,
    sourceRequestsUsd: 0,
    retrievalUsd: 0,
    earlyDeletionUsd: 0,
    destinationRequestsUsd: 0,
    transitionUsd,
    totalUsd: transitionUsd,
    totalWithExitWaiverUsd: transitionUsd,
  };
}

function changeTo(rates: BandRates, storageClass: string): ClassChange {
  const change = rates.changes.find(({ to }) => to.storageClass === storageClass);
  if (!change) throw new Error(`no change to ${storageClass}`);
  return change;
}

function moveCost(
  target: Target,
  region: RegionRates,
  objects: readonly PricedObjects[],
  total: ObjectStatistics,
): MoveCost {
  const monthly = objects.map(({ ageBand, held }) => {
    const rates = target.rates.bands[ageBand];
    if (!rates) throw new Error(`no age band ${ageBand}`);
    return monthlyCost(rates, held);
  });
  return {
    target,
    monthly: sumScenarios(monthly),
    quote: moveQuote(target, region, objects, total),
  };
}

/** Early deletion is an upper bound: due where the source is deleted right after the move. */
function moveQuote(
  target: Target,
  region: RegionRates,
  objects: readonly PricedObjects[],
  total: ObjectStatistics,
): Quote {
  const egressUsd = bandedUsd(region.egressPerGb, total.bytes / region.bytesPerGb);
  const sourceRequestsUsd =
    sumOf(objects, ({ classRates, held }) => held.objects * classRates.getUsd) +
    Math.ceil(total.objects / 1000) * region.listingUsd;
  const retrievalUsd = sumOf(
    objects,
    ({ classRates, held }) => held.bytes * classRates.retrievalByteUsd,
  );
  const earlyDeletionUsd = sumOf(
    objects,
    ({ rates, held }) => storageUsd(rates, held) * rates.earlyDeletionMonths,
  );
  const destinationRequestsUsd = (total.objects + total.partRequests) * target.putUsd;
  const leavingUsd = sourceRequestsUsd + retrievalUsd + earlyDeletionUsd;
  return {
    egressUsd,
    sourceRequestsUsd,
    retrievalUsd,
    earlyDeletionUsd,
    destinationRequestsUsd,
    transitionUsd: 0,
    totalUsd: leavingUsd + egressUsd + destinationRequestsUsd,
    totalWithExitWaiverUsd: leavingUsd + destinationRequestsUsd,
  };
}

function sumOf<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amount(item), 0);
}
