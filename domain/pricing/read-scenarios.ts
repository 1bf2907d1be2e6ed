/** An amount in each of the three assumptions about reads (`docs/pricing.md`). */
export interface Scenarios {
  readonly none: number;
  readonly expected: number;
  readonly heavy: number;
}

export const SCENARIOS = ['none', 'expected', 'heavy'] as const satisfies (keyof Scenarios)[];
