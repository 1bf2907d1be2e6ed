import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { PRICE_LINES } from '../../../domain/bill/usage-types.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { expectedOf, type ExpectedScan } from '../../oracle/expected.ts';
import { morePrices } from '../../oracle/other-stores.ts';
import { allStores, withPrices } from '../../oracle/prices.ts';
import type { Listing } from '../../oracle/listing.ts';
import { agreed, agreedAmongMore, bucketOf, listingOf, objects } from './listings.ts';

/** 3,000 accounts over all pairs of stores: of the project's, and of others that an operator may add. */
const RUNS = 2_200;
const RUNS_AMONG_MORE = 800;
/** Several times AWS, which has the most rules. */
const SOURCES = ['aws', 'aws', ...allStores()];
const MORE_SOURCES = withPrices(morePrices, allStores);
/** The stores that are read are in the listing's prices, so it is drawn with them. */
const listingAmongMore = withPrices(morePrices, () => arbitraryListing(MORE_SOURCES));
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

describe('any listing', () => {
  // spec: decide.rules
  it('is decided as the exact second computation says, to the micro-dollar, with sums that agree', () => {
    fc.assert(
      fc.property(arbitraryListing(SOURCES), (listing) => {
        const scan = agreed(listing);
        assertAddsUp(scan);
        assertPaysOff(scan, listing);
      }),
      { numRuns: RUNS, examples: [[TIE]] },
    );
  });

  it('is decided alike among stores with floors, limited egress and other minimum sizes', () => {
    fc.assert(
      fc.property(listingAmongMore, (listing) => {
        assertAddsUp(agreedAmongMore(listing));
      }),
      { numRuns: RUNS_AMONG_MORE },
    );
  });

  it('covers moves from and to all kinds of stores, and what speaks against them, within 300 samples', () => {
    const met = new Set<string>();
    for (const listing of fc.sample(listingAmongMore, { numRuns: 300, seed: 20_261_120 })) {
      const { recommendations } = withPrices(morePrices, () => expectedOf(listing));
      for (const { kind, options, recommendedProvider } of recommendations) {
        if (kind !== 'move') continue;
        met.add(`from ${listing.source}`).add(`to ${recommendedProvider}`);
        for (const { code } of options.flatMap(({ blockers }) => blockers)) met.add(code);
        met.add(`quote of ${options[0]?.quote.egressUsd === 0 ? 'free' : 'paid'} egress`);
      }
    }
    const wanted = [
      ...MORE_SOURCES.map((provider) => `from ${provider}`),
      ...['b2', 'attic', 'barn', 'cellar'].map((provider) => `to ${provider}`),
      'egress_refused',
      'below_floor',
      'object_too_large',
      'quote of free egress',
      'quote of paid egress',
    ];
    const missing = wanted.filter((what) => !met.has(what));
    assert.deepEqual(missing, []);
  });

  it('covers every kind of answer, verdict, profile, finding, reads and own price within 300 samples', () => {
    const met = new Set<string>();
    for (const listing of fc.sample(arbitraryListing(), { numRuns: 300, seed: 20_261_120 })) {
      const { summary, buckets, recommendations, decisionReport } = expectedOf(listing);
      met.add(decisionReport.verdict).add(decisionReport.workloadProfile);
      for (const { kind, selector, blockers } of recommendations) {
        met.add(`${kind} of ${selector.prefix === null ? 'the whole' : 'a prefix'}`);
        for (const { code } of blockers) met.add(`blocked: ${code}`);
      }
      for (const { code } of summary.findings) met.add(code);
      for (const { code } of buckets.flatMap(({ findings }) => findings)) met.add(code);
      for (const { reads } of buckets) met.add(`reads: ${reads?.source}`);
      for (const { line } of summary.bill?.factors ?? []) met.add(`own price: ${line}`);
      if (summary.bill !== null) met.add(`explained: ${(summary.bill.explainedShare ?? 1) >= 0.7}`);
    }
    const wanted = [
      ...'migrate migrate_partly optimize_in_place stay active archive cold mixed'.split(' '),
      ...'needs_restore incomplete_multipart_uploads old_versions small_objects'.split(' '),
      ...'empty_bucket no_abort_multipart_rule no_lifecycle_rule copied_not_yet_saved'.split(' '),
      ...'no_selector below_minimum'.split(' '),
      'move of a prefix',
      'change_class of a prefix',
      ...['move', 'change_class', 'abort_multipart_uploads', 'expire_old_versions'].map(
        (kind) => `${kind} of the whole`,
      ),
      ...['needs_restore', 'key_too_long', 'object_too_large'].map((code) => `blocked: ${code}`),
      ...['measured', 'apportioned', 'assumed'].map((source) => `reads: ${source}`),
      ...PRICE_LINES.map((line) => `own price: ${line}`),
      'explained: true',
      'explained: false',
    ];
    const missing = wanted.filter((what) => !met.has(what));
    assert.deepEqual(missing, []);
  });
});
