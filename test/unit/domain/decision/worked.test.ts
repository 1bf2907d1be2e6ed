import assert from 'node:assert/strict';
import {
  decideOn,
  decideGroups,
  brief,
  bucket,
  findingOf,
  group,
  oldVersions,
} from './inventories.ts';

describe('decide, on the worked examples', () => {
  // spec: decide.rules
  it('moves fresh STANDARD objects to b2', () => {
    const decision = decideGroups(group('a/', 'STANDARD', 0));
    assert.deepEqual(brief(decision), ['all to b2']);
    const [move] = decision.recommendations;
    assert.ok(move);
    assert.equal(decision.currentMonthlyCostUsd, 2.246094);
    assert.equal(move.currentMonthlyCostUsd, 2.246094);
    assert.equal(move.monthlySavingsUsd, 1.517333);
    const [b2, r2] = move.options;
    assert.ok(b2 && r2);
    assert.deepEqual(
      [b2.provider, b2.configured, b2.monthlyCostUsd, b2.monthlySavingsUsd],
      ['b2', true, 0.72876, 1.517333],
    );
    assert.deepEqual(b2.quote, {
      egressUsd: 8.789063,
      sourceRequestsUsd: 0.00405,
      retrievalUsd: 0,
      earlyDeletionUsd: 0,
      destinationRequestsUsd: 0,
      transitionUsd: 0,
      totalUsd: 8.793113,
      totalWithExitWaiverUsd: 0.00405,
    });
    assert.deepEqual(
      [r2.provider, r2.configured, r2.monthlySavingsUsd, r2.quote.totalUsd],
      ['r2', false, 0.67323, 8.838113],
    );
    assert.equal(b2.breakEvenMonths, 5.8);
    assert.equal(b2.breakEvenMonthsWithExitWaiver, 0.1);
    // Read heavily, r2 is cheaper.
    assert.equal(move.confidence, 0.7);
    assert.equal(decision.report.verdict, 'migrate');
  });

  // spec: decide.rules
  it('changes the class of STANDARD objects that are over 90 days old', () => {
    const { recommendations, currentMonthlyCostUsd } = decideGroups(group('a/', 'STANDARD', 2));
    assert.equal(currentMonthlyCostUsd, 2.246094);
    const [change, ...others] = recommendations;
    assert.ok(change);
    assert.deepEqual(others, []);
    assert.equal(change.kind, 'change_class');
    assert.deepEqual(change.selector, {
      prefix: null,
      storageClass: 'STANDARD',
      minAgeDays: 90,
      maxAgeDays: 365,
      minSizeBytes: 131_072,
    });
    assert.equal(change.monthlySavingsUsd, 1.764698);
    assert.equal(change.recommendedProvider, 'aws');
    assert.equal(change.recommendedStorageClass, 'GLACIER_IR');
    assert.deepEqual(change.blockers, []);
    assert.equal(change.options.length, 1);
    assert.equal(change.options[0]?.quote.transitionUsd, 0.2);
    assert.equal(change.options[0]?.quote.totalUsd, 0.2);
    assert.equal(change.options[0]?.quote.totalWithExitWaiverUsd, 0.2);
  });

  // spec: decide.rules
  it('moves a prefix with four like bands as a whole', () => {
    const decision = decideGroups(...[0, 1, 2, 3].map((band) => group('a/', 'STANDARD', band)));
    const [move] = decision.recommendations;
    assert.deepEqual(brief(decision), ['all to b2']);
    assert.equal(decision.currentMonthlyCostUsd, 8.984375);
    assert.equal(move?.monthlySavingsUsd, 6.069334);
    assert.equal(move?.options[0]?.quote.totalUsd, 35.17245);
  });

  // spec: decide.rules
  it('moves one prefix and changes the other bands as one answer', () => {
    const decision = decideGroups(
      group('a/', 'STANDARD', 0),
      group('b/', 'STANDARD', 2),
      group('b/', 'STANDARD', 3),
    );
    assert.deepEqual(brief(decision), ['all STANDARD 90- to GLACIER_IR', 'a/ to b2']);
    const [change] = decision.recommendations;
    assert.equal(change?.monthlySavingsUsd, 3.58991);
    assert.equal(change?.options[0]?.quote.totalUsd, 0.4);
    assert.equal(decision.report.verdict, 'migrate_partly');
  });

  const stays = [
    ['STANDARD_IA', 1, 1.220703],
    ['GLACIER', 3, 0.354416],
    ['INTELLIGENT_TIERING', 1, 1.245703],
  ] as const;
  for (const [storageClass, band, currentUsd] of stays) {
    // spec: decide.rules
    it(`leaves ${storageClass} of band ${band} where it is`, () => {
      const decision = decideGroups(group('a/', storageClass, band));
      assert.deepEqual(decision.recommendations, []);
      assert.equal(decision.currentMonthlyCostUsd, currentUsd);
      assert.equal(decision.optimalMonthlyCostUsd, currentUsd);
      assert.equal(decision.report.verdict, 'stay');
    });
  }

  // spec: decide.rules
  it('cleans up old versions and the parts of uploads beside a move', () => {
    const decision = decideOn([
      bucket([group('*', 'STANDARD', 0, 1, 1e9)], {
        oldVersions: [oldVersions('STANDARD', 100, 1e9)],
        incompleteUploads: { uploads: 2, bytes: 5e9, oldestAt: new Date('2026-01-02') },
      }),
    ]);
    assert.equal(decision.currentMonthlyCostUsd, 2.270564);
    assert.deepEqual(
      decision.recommendations.map(({ kind, monthlySavingsUsd }) => [kind, monthlySavingsUsd]),
      [
        ['expire_old_versions', 2.142042],
        ['abort_multipart_uploads', 0.107102],
        ['move', 0.01447],
      ],
    );
    assert.equal(findingOf(decision, 'old_versions')?.monthlyCostUsd, 2.142042);
    assert.equal(findingOf(decision, 'incomplete_multipart_uploads')?.objects, 2);
  });
});
