import type { ExitScenario } from './answer.ts';
import type { PricedBucket, Scales } from './bucket.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { moveQuote } from './quote.ts';
import type { ClassRates, Scenarios } from './rates.ts';
import { breakEvenMonths, shown } from './rounding.ts';
import { BAND_COUNT } from './table.ts';
import { add, emptySum, type Sum } from './tally.ts';
import type { RegionRates } from './tariff.ts';
import { beginWeighing, endWeighing, noMoney, savingsUsd, weigh } from './weighing.ts';

/** Everything of one region that may move, by class and age band. */
interface RegionStock {
  readonly region: RegionRates;
  readonly classes: Map<string, { readonly rates: ClassRates; readonly bands: readonly Sum[] }>;
}

/**
 * Leaving the source: all that may move, to the one target with the least total over the horizon at
 * the expected reads; one quote per region. Null where nothing may move.
 */
export function exitScenarioOf(
  scales: Scales,
  buckets: readonly PricedBucket[],
): ExitScenario | null {
  const { weighing, targets, horizonMonths } = scales;
  const regions = stockByRegion(buckets);
  if (regions.length === 0) return null;
  const stay = noMoney();
  const exits = targets.map((target) => ({ target, monthly: noMoney(), onceUsd: 0, waivedUsd: 0 }));
  for (const { region, classes } of regions) {
    beginWeighing(weighing);
    for (const [, { rates, bands }] of [...classes].sort(([a], [b]) => compareKeys(a, b))) {
      for (const [band, sum] of bands.entries()) {
        if (sum.objects > 0) weigh(weighing, rates, band, sum);
      }
    }
    endWeighing(weighing, region);
    addMoney(stay, weighing.stay);
    for (const [index, exit] of exits.entries()) {
      const offer = weighing.offers[index];
      if (!offer) continue;
      const quote = moveQuote(weighing, offer);
      addMoney(exit.monthly, offer.monthly);
      exit.onceUsd += quote.totalUsd;
      exit.waivedUsd += quote.totalWithExitWaiverUsd;
    }
  }
  const total = ({ monthly, onceUsd }: (typeof exits)[number]) =>
    monthly.expected * horizonMonths + onceUsd;
  const [best] = exits.toSorted((a, b) => total(a) - total(b));
  if (!best) return null;
  const savings = savingsUsd(stay, best.monthly);
  return {
    provider: best.target.provider,
    monthlyCostUsd: shown(best.monthly.none),
    oneOffUsd: shown(best.onceUsd),
    oneOffWithExitWaiverUsd: shown(best.waivedUsd),
    breakEvenMonths: breakEvenMonths(best.onceUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(best.waivedUsd, savings),
  };
}

function stockByRegion(buckets: readonly PricedBucket[]): readonly RegionStock[] {
  const regions = new Map<string, RegionStock>();
  for (const { table, rates, region } of buckets) {
    for (const [at, tally] of table.whole.entries()) {
      const ofClass = rates[(at / BAND_COUNT) | 0];
      if (!tally || !ofClass?.mayMove) continue;
      const stock = regions.get(region.region) ?? { region, classes: new Map() };
      regions.set(region.region, stock);
      const held = stock.classes.get(ofClass.storageClass) ?? {
        rates: ofClass,
        bands: Array.from({ length: BAND_COUNT }, emptySum),
      };
      stock.classes.set(ofClass.storageClass, held);
      const sum = held.bands[at % BAND_COUNT];
      if (sum) add(sum, tally);
    }
  }
  return [...regions.values()];
}

function addMoney(sum: Scenarios, money: Scenarios): void {
  sum.none += money.none;
  sum.expected += money.expected;
  sum.heavy += money.heavy;
}
