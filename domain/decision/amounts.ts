import { SUM_NUDGE } from '../common/sums.ts';
import { SCENARIOS, toScenarios, type Scenarios } from '../reads/scenarios.ts';
import type { Quote } from './types.ts';
import { roundUsd } from '../pricing/money.ts';

/** The same amount in all scenarios. */
export function always(amount: number): Scenarios {
  return toScenarios(() => amount);
}

/** Whether an amount is below another one in each of some scenarios. */
export function isBelowIn(
  scenarios: readonly (keyof Scenarios)[],
  amount: Scenarios,
  other: Scenarios,
): boolean {
  return scenarios.every((reads) => amount[reads] < other[reads]);
}

/** Rounding errors are in the sixteenth digit of an amount, a few of them in the fifteenth. */
const EXACT_DIGITS = 14;

/** The amount without rounding errors, so that equal amounts compare as equal. */
export function comparable(usd: number): number {
  return Number(usd.toPrecision(EXACT_DIGITS));
}

/** In how many scenarios an amount is the least of all, ties included. */
export function timesLeast(amount: Scenarios, others: readonly Scenarios[]): number {
  return SCENARIOS.filter((reads) => others.every((other) => amount[reads] <= other[reads])).length;
}

/**
 * Subtraction can leave a tie (half a micro-dollar) further below its exact value than `roundUsd`
 * corrects. The nudge is a hundred-millionth of a micro-dollar.
 */
const TIE_NUDGE_USD = 1e-14;

/** The errors of a sum and of a difference, in parts of their largest amount. */
const RELATIVE_NUDGE = 2 * Number.EPSILON;

/**
 * Rounded to micro-dollars, half away from zero.
 *
 * @param largestUsd the largest amount that a difference was computed from: its rounding errors,
 * not those of the difference, decide how far from its exact value a tie may be
 */
export function shown(usd: number, largestUsd = 0): number {
  const nudgeUsd = Math.max(TIE_NUDGE_USD, RELATIVE_NUDGE * largestUsd);
  return roundUsd(usd + Math.sign(usd) * nudgeUsd);
}

/** The most that a count is nudged by: far below the rounding errors of larger counts. */
const COUNT_NUDGE = 0.01;

/** Rounded to a whole number, half up; a tie may be computed slightly below itself. */
export function shownCount(count: number): number {
  return Math.round(count + Math.min(COUNT_NUDGE, count * 4 * Number.EPSILON));
}

export function shownQuote(quote: Quote): Quote {
  return {
    egressUsd: shown(quote.egressUsd),
    sourceRequestsUsd: shown(quote.sourceRequestsUsd),
    retrievalUsd: shown(quote.retrievalUsd),
    earlyDeletionUsd: shown(quote.earlyDeletionUsd),
    destinationRequestsUsd: shown(quote.destinationRequestsUsd),
    transitionUsd: shown(quote.transitionUsd),
    totalUsd: shown(quote.totalUsd),
    totalWithExitWaiverUsd: shown(quote.totalWithExitWaiverUsd),
  };
}

/** Months until the savings have paid a cost, of unrounded amounts, rounded up to one decimal. */
export function breakEvenMonths(onceUsd: number, monthlySavingsUsd: number): number | null {
  if (monthlySavingsUsd <= 0) return null;
  const tenths = (onceUsd / monthlySavingsUsd) * 10;
  return Math.ceil(tenths * (1 - SUM_NUDGE)) / 10;
}
