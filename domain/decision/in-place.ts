import type { Tally } from '../inventory/inventory.ts';
import { addMonthly, type BandRates, type Scenarios, type Step } from './rates.ts';
import { emptySum, setLarge, type Sum } from './tally.ts';
import { noMoney } from './weighing.ts';

/** What the objects of a group that are not small would cost in another class of the same store. */
export interface InPlace {
  readonly large: Sum;
  /** Totals over the horizon, as they are. */
  readonly stay: Scenarios;
  /** Totals over the horizon in the class taken; as they are where none is taken. */
  readonly taken: Scenarios;
  /** The step taken, by its index; -1 where staying is best. */
  step: number;
  /** Totals over the horizon of the step looked at. */
  readonly tried: Scenarios;
}

export function createInPlace(): InPlace {
  return { large: emptySum(), stay: noMoney(), taken: noMoney(), step: -1, tried: noMoney() };
}

/**
 * Takes the cheapest step at the expected reads among those that are cheaper than staying whatever
 * is read; ties: stay, then the steps' own order.
 */
export function weighInPlace(
  inPlace: InPlace,
  rates: BandRates,
  tally: Tally,
  horizonMonths: number,
): void {
  const { large, stay, taken, tried } = inPlace;
  inPlace.step = -1;
  setLarge(large, tally);
  setTotals(stay, rates, large, horizonMonths, 0);
  copy(taken, stay);
  for (let index = 0; index < rates.steps.length; index += 1) {
    const step = rates.steps[index];
    if (!step) continue;
    setStepTotals(tried, step, large, horizonMonths);
    if (!isBelow(tried, stay) || tried.expected >= taken.expected) continue;
    copy(taken, tried);
    inPlace.step = index;
  }
}

/** The totals over the horizon of changing these objects, none of them small. */
export function setStepTotals(into: Scenarios, step: Step, large: Tally, horizon: number): void {
  setTotals(into, step.band, large, horizon, large.objects * step.transitionUsd);
}

/** Whether a total is below another whatever is read. */
function isBelow(a: Scenarios, b: Scenarios): boolean {
  return a.none < b.none && a.expected < b.expected && a.heavy < b.heavy;
}

function setTotals(
  into: Scenarios,
  rates: BandRates,
  tally: Tally,
  horizonMonths: number,
  onceUsd: number,
): void {
  into.none = 0;
  into.expected = 0;
  into.heavy = 0;
  addMonthly(into, rates, tally);
  into.none = into.none * horizonMonths + onceUsd;
  into.expected = into.expected * horizonMonths + onceUsd;
  into.heavy = into.heavy * horizonMonths + onceUsd;
}

function copy(into: Scenarios, from: Scenarios): void {
  into.none = from.none;
  into.expected = from.expected;
  into.heavy = from.heavy;
}
