import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { expectedOf } from '../../oracle/expected.ts';
import { agreed } from './listings.ts';

const RUNS = 300;

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
        near(
          summary.currentMonthlyCostUsd,
          total(buckets.map((bucket) => bucket.currentMonthlyCostUsd)),
          buckets.length,
        );
        near(
          summary.monthlySavingsUsd,
          total(recommendations.map(({ monthlySavingsUsd }) => monthlySavingsUsd)),
          recommendations.length,
        );
        near(
          summary.currentMonthlyCostUsd - summary.monthlySavingsUsd,
          summary.optimalMonthlyCostUsd,
          2,
        );
        assert.equal(
          decisionReport.readScenarios[0]?.stayMonthlyUsd,
          summary.currentMonthlyCostUsd,
        );
        for (const { options, recommendedProvider, confidence } of recommendations) {
          const taken = options.find(({ provider }) => provider === recommendedProvider);
          if (taken === undefined) continue;
          assert.ok(taken.breakEvenMonths !== null);
          assert.ok(taken.breakEvenMonths <= listing.horizonMonths + 0.1);
          assert.ok(confidence >= 0.1 && confidence <= 0.9);
        }
        for (const {
          objects,
          bytes,
          byAge,
          bySize,
          byContent,
          byPrefix,
          byStorageClass,
        } of buckets) {
          for (const counts of [byAge, bySize, byContent, byPrefix, byStorageClass]) {
            assert.equal(total(counts.map((count) => count.objects)), objects);
            assert.equal(total(counts.map((count) => count.bytes)), bytes);
          }
        }
      }),
      { numRuns: RUNS },
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
      'migrate',
      'migrate_partly',
      'optimize_in_place',
      'stay',
      'active',
      'archive',
      'cold',
      'mixed',
      'move of the whole',
      'move of a prefix',
      'change_class of the whole',
      'change_class of a prefix',
      'abort_multipart_uploads of the whole',
      'expire_old_versions of the whole',
      'needs_restore',
      'incomplete_multipart_uploads',
      'old_versions',
      'small_objects',
      'no_abort_multipart_rule',
      'no_lifecycle_rule',
      'empty_bucket',
      'copied_not_yet_saved',
      'no_selector',
      'below_minimum',
      'blocked: needs_restore',
      'blocked: key_too_long',
      'blocked: object_too_large',
    ];
    assert.deepEqual(
      wanted.filter((what) => !met.has(what)),
      [],
    );
  });
});
