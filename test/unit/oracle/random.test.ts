import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isLongForm } from '../../long-form.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { allStores } from '../../oracle/prices.ts';
import { agreed, agreedAmongMore, bucketOf, listingAmongMore } from './listings.ts';
import { listingOf, objects } from './listings.ts';

/**
 * Accounts over all pairs of stores: of the project's, and of others that an operator may add. They are the same ones in
 * each run, 600 others are in `samples.test.ts`; the long form searches among 10,000 new ones.
 */
const RUNS = isLongForm ? 7_500 : 450;
const RUNS_AMONG_MORE = isLongForm ? 2_500 : 150;
const SEED = isLongForm ? {} : { seed: 1 };
/** Several times AWS, which has the most rules. */
const SOURCES = ['aws', 'aws', 'aws', ...allStores()];
const [LONG_AGO, YEAR_AGO] = ['2025-01-01', '2025-11-20'].map((day) => new Date(day)) as [
  Date,
  Date,
];
/** An old version that nobody needs. */
const version = (size: number, storageClass = 'STANDARD') => ({
  key: 'x',
  size,
  storageClass,
  lastModified: LONG_AGO,
  noncurrentSince: YEAR_AGO,
});
/** What remains without the old versions is a tie of half a micro-dollar, and they cost hundreds of dollars. */
const TIE = listingOf(
  [
    bucketOf([objects('x', 50, 'STANDARD', { size: 67_108_864, times: 1_001 })], {
      region: 'me-central-1',
      oldVersions: [10_000_000_000_001, 5_492_189_429_760].map((size) => version(size)),
      rules: [],
    }),
  ],
  { configured: [], minMonthlySavingsUsd: 1, horizonMonths: 1 },
);

const billed = (usageType: string, listUsd: number) => {
  const netUsd = listUsd * 0.9;
  return { usageType, operation: 'GetObject', quantity: 1, unit: 'Other', listUsd, netUsd };
};
/** Equal savings by two ways: of the bill of one region a storage line, and that with its requests, are at 90 %. */
const EQUAL_SAVINGS = listingOf(
  [
    { name: 'alpha', region: 'eu-south-1' },
    { name: 'beta', region: 'us-east-1' },
  ].map((at) =>
    bucketOf([], { ...at, uploads: [{ key: 'x', initiated: YEAR_AGO, bytes: 5_000_000_000 }] }),
  ),
  {
    usage: {
      bill: {
        period: '2026-10',
        estimated: false,
        rows: [
          billed('EUS1-TimedStorage-ByteHrs', 0.006),
          billed('EUS1-Requests-Tier2', 0.25),
          billed('Requests-Tier2', 0.25),
        ],
      },
      metrics: new Map(),
    },
  },
);
/** The old versions save the minimum: 2.55 and 0.3 dollars, whose sum in binary is below 2.85. */
const AT_MINIMUM = listingOf(
  [
    bucketOf([], {
      region: 'auto',
      rules: [],
      oldVersions: [version(170_000_000_000), version(30_000_000_000, 'STANDARD_IA')],
    }),
  ],
  { source: 'r2', configured: [], minMonthlySavingsUsd: 2.85 },
);

/** The sums of a scan agree with their parts. */
function assertAddsUp(scan: ExpectedScan): void {
  const { summary, buckets, recommendations } = scan;
  const total = (figures: readonly number[]) => figures.reduce((sum, one) => sum + one, 0);
  const near = (actual: number, figures: readonly number[]) =>
    assert.ok(Math.abs(actual - total(figures)) <= 1e-6 * (figures.length + 2));
  const { currentMonthlyCostUsd: current, monthlySavingsUsd: savings } = summary;
  const costs = buckets.map((bucket) => bucket.currentMonthlyCostUsd);
  near(current, costs);
  const saved = recommendations.map(({ monthlySavingsUsd }) => monthlySavingsUsd);
  near(savings, saved);
  near(current, [savings, summary.optimalMonthlyCostUsd]);
  for (const { options, recommendedProvider, confidence } of recommendations) {
    const taken = options.find(({ provider }) => provider === recommendedProvider);
    assert.ok(taken === undefined || taken.breakEvenMonths !== null);
    assert.ok(confidence >= 0.1 && confidence <= 0.9);
  }
  for (const { monthlySavingsUsd, scenarios } of recommendations)
    for (const { scenario, stayMonthlyUsd, thereMonthlyUsd } of scenarios.slice(0, 2))
      assert.ok(
        stayMonthlyUsd - thereMonthlyUsd >= monthlySavingsUsd - 3e-6,
        `${scenario} saves less than is promised`,
      );
  for (const { objects, bytes, byAge, bySize, byContent, byPrefix, byStorageClass } of buckets)
    for (const counts of [byAge, bySize, byContent, byPrefix, byStorageClass] as const) {
      assert.equal(total(counts.map((count) => count.objects)), objects);
      assert.equal(total(counts.map((count) => count.bytes)), bytes);
    }
}

describe('any listing', function () {
  if (isLongForm) this.timeout(3_600_000);

  // spec: decide.rules
  it('is decided as the exact second computation says, to the micro-dollar, with sums that agree', () => {
    fc.assert(
      fc.property(arbitraryListing(SOURCES), (listing) => {
        assertAddsUp(agreed(listing));
      }),
      { ...SEED, numRuns: RUNS, examples: [[TIE], [EQUAL_SAVINGS], [AT_MINIMUM]] },
    );
  });

  it('is decided alike among stores with floors, limited egress and other minimum sizes', () => {
    fc.assert(
      fc.property(listingAmongMore, (listing) => {
        assertAddsUp(agreedAmongMore(listing));
      }),
      { ...SEED, numRuns: RUNS_AMONG_MORE },
    );
  });
});
