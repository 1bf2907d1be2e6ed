import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isLongForm } from '../../long-form.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { allStores } from '../../oracle/prices.ts';
import type { Listing } from '../../oracle/listing.ts';
import { agreed, agreedAmongMore, bucketOf, listingAmongMore } from './listings.ts';
import { listingOf, objects, STARTED_AT } from './listings.ts';

/**
 * 1,500 accounts over all pairs of stores: of the project's, and of others that an operator may add. They are the same
 * ones in each run; the long form searches among 90,000 new ones.
 */
const RUNS = isLongForm ? 66_000 : 1_100;
const RUNS_AMONG_MORE = isLongForm ? 24_000 : 400;
const SEED = isLongForm ? {} : { seed: 1 };
/** Several times AWS, which has the most rules. */
const SOURCES = ['aws', 'aws', ...allStores()];
/** What remains without the old versions is a tie of half a micro-dollar, and they cost hundreds of dollars. */
const TIE = listingOf(
  [
    bucketOf([objects('x', 50, 'STANDARD', { size: 67_108_864, times: 1_001 })], {
      region: 'me-central-1',
      oldVersions: [10_000_000_000_001, 5_492_189_429_760].map((size) => ({
        size,
        storageClass: 'STANDARD',
      })),
      lifecycle: 'none',
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
    bucketOf([], { ...at, uploads: [{ initiated: STARTED_AT, bytes: 5_000_000_000 }] }),
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
      lifecycle: 'none',
      oldVersions: [
        { size: 170_000_000_000, storageClass: 'STANDARD' },
        { size: 30_000_000_000, storageClass: 'STANDARD_IA' },
      ],
    }),
  ],
  { source: 'r2', configured: [], minMonthlySavingsUsd: 2.85 },
);

/** The sums of a scan agree with their parts. */
function assertAddsUp(scan: ExpectedScan): void {
  const { summary, buckets, recommendations, decisionReport } = scan;
  const total = (figures: readonly number[]) => figures.reduce((sum, one) => sum + one, 0);
  const near = (actual: number, figures: readonly number[]) =>
    assert.ok(Math.abs(actual - total(figures)) <= 1e-6 * (figures.length + 2));
  const { currentMonthlyCostUsd: current, monthlySavingsUsd: savings } = summary;
  const costs = buckets.map((bucket) => bucket.currentMonthlyCostUsd);
  near(current, costs);
  const saved = recommendations.map(({ monthlySavingsUsd }) => monthlySavingsUsd);
  near(savings, saved);
  near(current, [savings, summary.optimalMonthlyCostUsd]);
  assert.equal(decisionReport.readScenarios[0]?.stayMonthlyUsd, current);
  for (const { options, recommendedProvider, confidence } of recommendations) {
    const taken = options.find(({ provider }) => provider === recommendedProvider);
    assert.ok(taken === undefined || taken.breakEvenMonths !== null);
    assert.ok(confidence >= 0.1 && confidence <= 0.9);
  }
  for (const { objects, bytes, byAge, bySize, byContent, byPrefix, byStorageClass } of buckets)
    for (const counts of [byAge, bySize, byContent, byPrefix, byStorageClass] as const) {
      assert.equal(total(counts.map((count) => count.objects)), objects);
      assert.equal(total(counts.map((count) => count.bytes)), bytes);
    }
}

/**
 * What is recommended pays off within the horizon; where less egress is free than what moves, a move was decided with more
 * of it than its share.
 */
function assertPaysOff({ recommendations }: ExpectedScan, { horizonMonths }: Listing): void {
  for (const { options, recommendedProvider } of recommendations) {
    const taken = options.find(({ provider }) => provider === recommendedProvider);
    assert.ok((taken?.breakEvenMonths ?? 0) <= horizonMonths + 0.1);
  }
}

describe('any listing', function () {
  if (isLongForm) this.timeout(3_600_000);

  // spec: decide.rules
  it('is decided as the exact second computation says, to the micro-dollar, with sums that agree', () => {
    fc.assert(
      fc.property(arbitraryListing(SOURCES), (listing) => {
        const scan = agreed(listing);
        assertAddsUp(scan);
        assertPaysOff(scan, listing);
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
