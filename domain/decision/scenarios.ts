import { SCENARIOS, type Scenarios } from '../pricing/read-scenarios.ts';

export function scenariosOf(amount: (reads: keyof Scenarios) => number): Scenarios {
  return { none: amount('none'), expected: amount('expected'), heavy: amount('heavy') };
}

/** Added up in the order given. */
export function sumScenarios(amounts: readonly Scenarios[]): Scenarios {
  return scenariosOf((reads) => amounts.reduce((sum, amount) => sum + amount[reads], 0));
}

export function subtractScenarios(from: Scenarios, amount: Scenarios): Scenarios {
  return scenariosOf((reads) => from[reads] - amount[reads]);
}

/** The total over a horizon of a monthly amount and a one-off amount. */
export function totalOver(horizonMonths: number, monthly: Scenarios, oneOff = 0): Scenarios {
  return scenariosOf((reads) => monthly[reads] * horizonMonths + oneOff);
}

export function isBelowInAll(amount: Scenarios, other: Scenarios): boolean {
  return SCENARIOS.every((reads) => amount[reads] < other[reads]);
}

/** In how many scenarios an amount is the least of all, ties included. */
export function timesLeast(amount: Scenarios, others: readonly Scenarios[]): number {
  return SCENARIOS.filter((reads) => others.every((other) => amount[reads] <= other[reads])).length;
}
