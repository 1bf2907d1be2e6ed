/** An amount in each of the four assumptions about reads and writes (`docs/pricing.md`). */
export interface Scenarios {
  readonly none: number;
  readonly expected: number;
  readonly heavy: number;
  readonly inside: number;
}

export const SCENARIOS = [
  'none',
  'expected',
  'heavy',
  'inside',
] as const satisfies (keyof Scenarios)[];

export function toScenarios(amount: (reads: keyof Scenarios) => number): Scenarios {
  return {
    none: amount('none'),
    expected: amount('expected'),
    heavy: amount('heavy'),
    inside: amount('inside'),
  };
}
