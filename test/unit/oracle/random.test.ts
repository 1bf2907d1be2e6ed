import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Count } from '../../../domain/inventory/inventory.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import type { Listing } from '../../oracle/listing.ts';
import { expectedOf } from '../../oracle/expected.ts';
import { agreed } from './listings.ts';

const RUNS = 300;
/** What remains without the old versions is a tie of half a micro-dollar, and they cost hundreds of dollars. */
const TIE: Listing = {
  startedAt: new Date('2026-11-20T12:00:00Z'),
  buckets: [
    {
      name: 'alpha',
      region: 'me-central-1',
      objects: [
        {
          key: 'x',
          size: 67_108_864,
          storageClass: 'STANDARD',
          lastModified: new Date('2026-10-01T12:00:00Z'),
          times: 1_001,
        },
      ],
      oldVersions: [10_000_000_000_001, 5_492_189_429_760].map((size) => ({
        size,
        storageClass: 'STANDARD',
      })),
      deleteMarkers: 0,
      uploads: [],
      lifecycle: 'none',
    },
  ],
  configured: [],
  minMonthlySavingsUsd: 1,
  horizonMonths: 1,
};

describe('any listing', () => {
  // spec: decide.rules
  it('is decided as the exact second computation says, to the micro-dollar, with sums that agree', () => {
    fc.assert(
      fc.property(arbitraryListing(), (listing) => {
        const { summary, buckets, recommendations, decisionReport } = agreed(listing);
        const near = (actual: number, wanted: number, parts: number): void =>
          assert.ok(Math.abs(actual - wanted) <= 1e-6 * (parts + 1) + 1e-12 * wanted);
        const total = (figures: readonly number[]): number =>
          figures.reduce((sum, figure) => sum + figure, 0);
        const { currentMonthlyCostUsd: current, monthlySavingsUsd: savings } = summary;
        const costs = buckets.map((bucket) => bucket.currentMonthlyCostUsd);
        near(current, total(costs), buckets.length);
        const saved = recommendations.map(({ monthlySavingsUsd }) => monthlySavingsUsd);
        near(savings, total(saved), recommendations.length);
        near(current - savings, summary.optimalMonthlyCostUsd, 2);
        assert.equal(decisionReport.readScenarios[0]?.stayMonthlyUsd, current);
        for (const { options, recommendedProvider, confidence } of recommendations) {
          const taken = options.find(({ provider }) => provider === recommendedProvider);
          if (taken === undefined) continue;
          assert.ok(taken.breakEvenMonths !== null);
          assert.ok(taken.breakEvenMonths <= listing.horizonMonths + 0.1);
          assert.ok(confidence >= 0.1 && confidence <= 0.9);
        }
        for (const { objects, bytes, ...by } of buckets)
          for (const name of [
            'byAge',
            'bySize',
            'byContent',
            'byPrefix',
            'byStorageClass',
          ] as const) {
            const counts: readonly Count[] = by[name];
            assert.equal(total(counts.map((count) => count.objects)), objects);
            assert.equal(total(counts.map((count) => count.bytes)), bytes);
          }
      }),
      { numRuns: RUNS, examples: [[TIE]] },
    );
  });

  it('covers every kind of answer, verdict, profile and finding within 300 samples', () => {
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
    }
    const wanted = [
      'migrate migrate_partly optimize_in_place stay active archive cold mixed',
      'needs_restore incomplete_multipart_uploads old_versions small_objects empty_bucket',
      'no_abort_multipart_rule no_lifecycle_rule copied_not_yet_saved no_selector below_minimum',
    ].flatMap((line) => line.split(' '));
    for (const kind of ['move', 'change_class']) wanted.push(`${kind} of a prefix`);
    const kinds = 'move change_class abort_multipart_uploads expire_old_versions'.split(' ');
    for (const kind of kinds) wanted.push(`${kind} of the whole`);
    const blockers = ['needs_restore', 'key_too_long', 'object_too_large'];
    for (const code of blockers) wanted.push(`blocked: ${code}`);
    assert.deepEqual(
      wanted.filter((what) => !met.has(what)),
      [],
    );
  });
});
