import assert from 'node:assert/strict';
import { agreed, bucketOf, listingOf, MIB, objects } from './listings.ts';

/** Section 6 of the pricing rules: us-east-1, 10,000 objects of 10 MiB each, minimum 0. */
describe('the worked answers', () => {
  it('move young STANDARD objects to b2', () => {
    const { summary, recommendations } = agreed(listingOf([bucketOf([objects('a/x', 1)])]));
    assert.equal(summary.currentMonthlyCostUsd, 2.246094);
    assert.equal(recommendations.length, 1);
    const [b2, r2] = recommendations[0]?.options ?? [];
    assert.deepEqual(b2, {
      provider: 'b2',
      storageClass: 'STANDARD',
      configured: true,
      monthlyCostUsd: 0.72876,
      monthlySavingsUsd: 1.517333,
      // Heavy: five reads of 104.8576 GB; three times the stored bytes leave for nothing, the rest for 0.01.
      placedMonthlyUsd: { none: 0.72876, expected: 0.72876, heavy: 2.825912 },
      quote: {
        egressUsd: 8.789063,
        sourceRequestsUsd: 0.00405,
        retrievalUsd: 0,
        earlyDeletionUsd: 0,
        destinationRequestsUsd: 0,
        transitionUsd: 0,
        totalUsd: 8.793113,
        totalWithExitWaiverUsd: 0.00405,
      },
      breakEvenMonths: 5.8,
      breakEvenMonthsWithExitWaiver: 0.1,
      waiting: null,
    });
    assert.equal(r2?.monthlySavingsUsd, 0.67323);
    assert.deepEqual(recommendations[0]?.stayMonthlyUsd, {
      none: 2.246094,
      expected: 6.642625,
      heavy: 46.211406,
    });
    assert.equal(r2.quote.totalUsd, 8.838113);
    assert.equal(r2.configured, false);
  });

  it('change STANDARD objects of 90-365 days to GLACIER_IR', () => {
    const { recommendations } = agreed(listingOf([bucketOf([objects('a/x', 90)])]));
    assert.equal(recommendations.length, 1);
    const [change] = recommendations;
    assert.equal(change?.kind, 'change_class');
    assert.equal(change.recommendedProvider, 'aws');
    assert.equal(change.recommendedStorageClass, 'GLACIER_IR');
    assert.equal(change.currentMonthlyCostUsd, 2.246094);
    assert.equal(change.monthlySavingsUsd, 1.764698);
    assert.equal(change.options[0]?.quote.transitionUsd, 0.2);
    assert.equal(change.options[0].quote.totalUsd, 0.2);
    assert.deepEqual(change.selector, {
      prefix: null,
      storageClass: 'STANDARD',
      minAgeDays: 90,
      maxAgeDays: 365,
      minSizeBytes: 131_072,
    });
  });

  it('move the whole of all four bands to b2', () => {
    const everyAge = [1, 30, 90, 365].map((days) => objects('a/x', days));
    const { recommendations, decisionReport } = agreed(listingOf([bucketOf(everyAge)]));
    assert.equal(recommendations.length, 1);
    const [move] = recommendations;
    assert.equal(move?.recommendedProvider, 'b2');
    assert.equal(move.currentMonthlyCostUsd, 8.984375);
    assert.equal(move.monthlySavingsUsd, 6.069334);
    assert.equal(move.options[0]?.quote.totalUsd, 35.17245);
    assert.equal(decisionReport.verdict, 'migrate');
    assert.equal(decisionReport.oneOffCostUsd, 35.17245);
    assert.equal(decisionReport.breakEvenMonths, 5.8);
    assert.equal(decisionReport.savings12MonthsUsd, 37.659555);
  });

  it('move the young prefix, and change the old one in one answer from 90 days', () => {
    const { recommendations, decisionReport } = agreed(
      listingOf([bucketOf([objects('a/x', 1), objects('b/x', 90), objects('b/x', 365)])]),
    );
    const [change, move, ...more] = recommendations;
    assert.deepEqual(more, []);
    assert.equal(move?.selector.prefix, 'a/');
    assert.equal(move.recommendedProvider, 'b2');
    assert.equal(move.monthlySavingsUsd, 1.517333);
    assert.equal(change?.recommendedStorageClass, 'GLACIER_IR');
    assert.equal(change.selector.prefix, null);
    assert.equal(change.selector.minAgeDays, 90);
    assert.equal(change.selector.maxAgeDays, null);
    assert.equal(change.monthlySavingsUsd, 3.58991);
    assert.equal(change.options[0]?.quote.transitionUsd, 0.4);
    assert.equal(decisionReport.verdict, 'migrate_partly');
    assert.equal(decisionReport.workloadProfile, 'cold');
  });

  const STAYING: [string, number, number][] = [
    ['STANDARD_IA', 30, 1.220703],
    ['GLACIER', 365, 0.354416],
    ['INTELLIGENT_TIERING', 30, 1.245703],
  ];
  for (const [storageClass, days, current] of STAYING) {
    it(`stay with ${storageClass} of ${days} days`, () => {
      const { summary, recommendations, decisionReport } = agreed(
        listingOf([bucketOf([objects('a/x', days, storageClass)])]),
      );
      assert.equal(summary.currentMonthlyCostUsd, current);
      assert.equal(summary.optimalMonthlyCostUsd, current);
      assert.deepEqual(recommendations, []);
      assert.equal(decisionReport.verdict, 'stay');
    });
  }

  it('clean up old versions and parts', () => {
    const bucket = bucketOf([objects('a/x', 1, 'STANDARD', { size: 1e9, times: 1 })], {
      oldVersions: [{ size: 1e9, storageClass: 'STANDARD', times: 100 }],
      uploads: [{ initiated: new Date('2026-11-01T00:00:00.000Z'), bytes: 5e9 }],
    });
    const { summary, buckets, recommendations } = agreed(listingOf([bucket]));
    assert.equal(summary.currentMonthlyCostUsd, 2.270564);
    assert.deepEqual(
      recommendations.map(({ kind, objects, bytes, monthlySavingsUsd }) => [
        kind,
        objects,
        bytes,
        monthlySavingsUsd,
      ]),
      [
        ['expire_old_versions', 100, 1e11, 2.142042],
        ['abort_multipart_uploads', 1, 5e9, 0.107102],
        ['move', 1, 1e9, 0.01447],
      ],
    );
    assert.deepEqual(
      buckets[0]?.findings.map(({ code, monthlyCostUsd }) => [code, monthlyCostUsd]),
      [
        ['incomplete_multipart_uploads', 0.107102],
        ['old_versions', 2.142042],
      ],
    );
    const r2 = recommendations[2]?.options[1];
    assert.equal(r2?.quote.destinationRequestsUsd, 0.000077, 'one PUT and sixteen for its parts');
  });

  it('leave what saves less than the minimum, and say how much', () => {
    const { summary, recommendations, decisionReport } = agreed(
      listingOf([bucketOf([objects('a/x', 1)])], { minMonthlySavingsUsd: 2 }),
    );
    assert.deepEqual(recommendations, []);
    assert.equal(decisionReport.verdict, 'stay');
    assert.deepEqual(summary.findings, [
      {
        code: 'below_minimum',
        objects: 10_000,
        bytes: 100_000 * MIB,
        monthlyCostUsd: 1.517333,
      },
    ]);
  });
});
