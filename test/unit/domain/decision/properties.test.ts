import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decideOn } from './inventories.ts';
import { randomBuckets, seededChance, shuffled } from './random.ts';
import { assertInvariants } from './reference.ts';

const RUNS = 700;

describe('decide, on random inventories', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });

  // spec: decide.rules
  it('never recommends a placement above the cost of staying, or an archived class', () => {
    fc.assert(
      fc.property(seed, (start) => {
        const buckets = randomBuckets(seededChance(start));
        assertInvariants(buckets, decideOn(buckets));
      }),
      { numRuns: RUNS },
    );
  });

  // spec: decide.rules
  it('gives the same answer in any order of buckets and groups', () => {
    fc.assert(
      fc.property(seed, (start) => {
        const chance = seededChance(start);
        const buckets = randomBuckets(chance);
        assert.deepStrictEqual(decideOn(shuffled(buckets, chance)), decideOn(buckets));
      }),
      { numRuns: RUNS, examples: [[9311]] },
    );
  });

  // spec: decide.rules
  it('sums the costs of the buckets to the cost of the scan', () => {
    fc.assert(
      fc.property(seed, (start) => {
        const decision = decideOn(randomBuckets(seededChance(start)));
        const sum = decision.buckets.reduce((usd, one) => usd + one.currentMonthlyCostUsd, 0);
        assert.ok(Math.abs(sum - decision.currentMonthlyCostUsd) <= 1e-6 * (1 + sum * 1e-6));
        const saved = decision.recommendations.reduce((usd, one) => usd + one.monthlySavingsUsd, 0);
        assert.ok(Math.abs(saved - decision.monthlySavingsUsd) < 1e-5 * (1 + saved * 1e-6));
      }),
      { numRuns: RUNS },
    );
  });
});
