import assert from 'node:assert/strict';
import { expectedOf } from '../../oracle/expected.ts';
import { Fraction } from '../../oracle/fraction.ts';
import { bucketOf, listingOf, MIB, objects } from './listings.ts';

const GIB = 1024 * MIB;

describe('an exact fraction', () => {
  it('rounds money half away from zero', () => {
    const rounded = (text: string): number => Fraction.of(text).toUsd();
    assert.equal(rounded('0.0000005'), 0.000001);
    assert.equal(rounded('-0.0000005'), -0.000001);
    assert.equal(rounded('0.00000049999999'), 0);
    assert.equal(rounded('1.0000025'), 1.000003);
    assert.ok(Object.is(rounded('-0.0000001'), 0));
  });

  it('rounds months up', () => {
    const third = Fraction.of(1).dividedBy(Fraction.of(3));
    assert.equal(third.toTenthsUp(), 0.4);
    assert.equal(Fraction.of('2.5').toTenthsUp(), 2.5);
    assert.equal(Fraction.ZERO.toTenthsUp(), 0);
  });
});

describe('the second computation of a scan', () => {
  it('blends the bands of a class over all buckets of a region', () => {
    const half = [objects('a/x', 1, 'STANDARD', { size: GIB, times: 30_720 })];
    const { summary, buckets, recommendations, decisionReport } = expectedOf(
      listingOf([bucketOf(half), bucketOf(half, { name: 'other' })]),
    );
    assert.equal(summary.currentMonthlyCostUsd, 1402.88, '50 TB at 0.023, 10 TB at 0.022');
    assert.deepEqual(
      buckets.map(({ currentMonthlyCostUsd }) => currentMonthlyCostUsd),
      [701.44, 701.44],
    );
    assert.deepEqual(
      recommendations.map(({ bucket, options }) => [bucket, options[0]?.quote.egressUsd]),
      [
        ['bucket', 2662.4],
        ['other', 2662.4],
      ],
    );
    assert.equal(decisionReport.exitScenario?.monthlyCostUsd, 458.496349);
    assert.equal(decisionReport.exitScenario.oneOffUsd, 5120.024886, 'one quote per region');
    assert.equal(decisionReport.exitScenario.oneOffWithExitWaiverUsd, 0.024886);
  });

  it('bills small objects by the minimum of their class', () => {
    const small = objects('x', 40, 'STANDARD_IA', { size: 1, times: 100_000 });
    const { buckets, recommendations } = expectedOf(listingOf([bucketOf([small])]));
    assert.deepEqual(buckets[0]?.findings, [
      { code: 'small_objects', objects: 100_000, bytes: 100_000, monthlyCostUsd: 0.152588 },
    ]);
    const [move] = recommendations;
    assert.equal(move?.selector.prefix, null, 'the rest alone is the whole bucket');
    assert.equal(move.monthlySavingsUsd, 0.152587);
    assert.equal(move.options[0]?.quote.totalUsd, 0.100509);
    assert.equal(move.confidence, 0.9);
  });

  it('does not monitor small objects of INTELLIGENT_TIERING, and prices them as frequent', () => {
    const tiered = [
      objects('x', 400, 'INTELLIGENT_TIERING', { size: 65_536, times: 16_384 }),
      objects('x', 400, 'INTELLIGENT_TIERING', { size: GIB, times: 2 }),
    ];
    const { summary } = expectedOf(listingOf([bucketOf(tiered)]));
    assert.equal(summary.currentMonthlyCostUsd, 0.023 + 2 * 0.004 + 0.000005);
  });

  it('prices a class without a sheet as STANDARD, blended by itself, and never moves it', () => {
    const held = [
      objects('a/x', 1, 'REDUCED_REDUNDANCY', { size: 1024 * GIB, times: 60 }),
      objects('a/x', 1, 'GLACIER', { size: 1024 * GIB, times: 1 }),
    ];
    const { summary, recommendations, decisionReport } = expectedOf(
      listingOf([bucketOf(held, { lifecycle: 'none' })]),
    );
    const archived = 1024 * 0.0036;
    assert.equal(summary.currentMonthlyCostUsd, Number((1402.88 + archived).toFixed(6)));
    assert.deepEqual(recommendations, []);
    assert.equal(decisionReport.exitScenario, null);
    assert.equal(decisionReport.confidence, 0.9);
    assert.deepEqual(
      summary.findings.concat(...expectedOf(listingOf([bucketOf(held)])).buckets[0]!.findings),
      [{ code: 'needs_restore', objects: 1, bytes: 1024 * GIB, monthlyCostUsd: archived }],
    );
  });

  it('takes missing figures from us-east-1, with less confidence', () => {
    const { recommendations } = expectedOf(
      listingOf([bucketOf([objects('a/x', 1)], { region: 'xx-nowhere-9' })]),
    );
    assert.equal(recommendations[0]?.monthlySavingsUsd, 1.517333);
    assert.equal(recommendations[0].confidence, 0.5);
  });

  it('quotes the early deletion of objects below their minimum days', () => {
    const held = objects('a/x', 1, 'GLACIER_IR', { size: GIB, times: 1 });
    const { decisionReport } = expectedOf(listingOf([bucketOf([held])]));
    assert.deepEqual(decisionReport.exitScenario, {
      provider: 'b2',
      monthlyCostUsd: 0.007463,
      oneOffUsd: 0.132015,
      oneOffWithExitWaiverUsd: 0.042015,
      breakEvenMonths: null,
      breakEvenMonthsWithExitWaiver: null,
    });
  });

  it('leaves archived objects out of a move, and names them as a blocker', () => {
    const { buckets, recommendations, decisionReport } = expectedOf(
      listingOf([bucketOf([objects('a/x', 1), objects('b/x', 400, 'GLACIER')])]),
    );
    assert.equal(recommendations[0]?.selector.prefix, null);
    assert.equal(recommendations[0].objects, 10_000);
    assert.deepEqual(recommendations[0].blockers, [{ code: 'needs_restore', objects: 10_000 }]);
    assert.equal(buckets[0]?.findings[0]?.monthlyCostUsd, 0.354416);
    assert.equal(decisionReport.verdict, 'migrate_partly');
    assert.equal(decisionReport.placements[0]?.from.storageClass, 'STANDARD');
  });

  it('gives a bucket in error its costs, and nothing else', () => {
    const error = { code: 'access_denied', message: 'no' };
    const { summary, buckets, recommendations } = expectedOf(
      listingOf([bucketOf([objects('a/x', 1)], { error, lifecycle: 'none' })]),
    );
    assert.equal(summary.currentMonthlyCostUsd, 2.246094);
    assert.deepEqual(buckets[0]?.findings, []);
    assert.deepEqual(recommendations, []);
  });

  it('reports an empty bucket without rules, and stays', () => {
    const { buckets, summary, decisionReport } = expectedOf(
      listingOf([bucketOf([], { lifecycle: 'none' })]),
    );
    assert.deepEqual(
      buckets[0]?.findings.map(({ code }) => code),
      ['no_abort_multipart_rule', 'no_lifecycle_rule', 'empty_bucket'],
    );
    assert.equal(summary.workloadProfile, 'mixed');
    assert.equal(decisionReport.verdict, 'stay');
    assert.equal(decisionReport.confidence, 0.9);
    assert.equal(decisionReport.exitScenario, null);
  });
});
