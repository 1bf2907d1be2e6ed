import { quoteTotal, SCENARIOS, total, type Cost } from './costs.ts';

/** By in how many scenarios the answer is the cheapest of all. */
const BY_WINS = [3, 5, 7, 9];
const UNCERTAIN_PRICE_TENTHS = 2;

/**
 * Section 4, rule 7, in tenths. `all` are the totals that the answer is held against; staying's own
 * figures are the answer's too, since its savings are measured from there.
 */
export function confidenceTenths(
  answer: Cost,
  staying: Cost,
  all: readonly Cost[],
  horizonMonths: number,
): number {
  const wins = SCENARIOS.filter((scenario) =>
    all.every(
      (other) =>
        !total(other, scenario, horizonMonths).isBelow(total(answer, scenario, horizonMonths)),
    ),
  ).length;
  const isUncertain =
    quoteTotal(answer.quote).uncertain ||
    SCENARIOS.some(
      (scenario) => staying.monthly[scenario].uncertain || answer.monthly[scenario].uncertain,
    );
  return lessUncertainty(BY_WINS[wins] ?? 0, isUncertain);
}

export function lessUncertainty(tenths: number, isUncertain: boolean): number {
  return Math.max(1, isUncertain ? tenths - UNCERTAIN_PRICE_TENTHS : tenths);
}
