import assert from 'node:assert/strict';
import type { Decision } from '../../../domain/decision/types.ts';
import { compareDecision, showDifferences } from '../../oracle/compare.ts';
import { expectedOf, type ExpectedScan } from '../../oracle/expected.ts';
import { bucketOf, listingOf, objects } from './listings.ts';

/** The decision that matches the expected result. */
function decisionOf({ summary, buckets, recommendations, decisionReport }: ExpectedScan): Decision {
  const texts = { message: '', reasons: [], risks: [], assumptions: [], priceBook: '' };
  const withMessage = <T>(item: T) => Object.assign({}, texts, item);
  return {
    ...summary,
    findings: summary.findings.map(withMessage),
    buckets: buckets.map((bucket) =>
      Object.assign({}, bucket, { findings: bucket.findings.map(withMessage) }),
    ),
    recommendations: recommendations.map((recommendation) =>
      Object.assign({ reasons: [], howTo: null }, recommendation, {
        blockers: recommendation.blockers.map(withMessage),
      }),
    ),
    report: withMessage(decisionReport),
  };
}

describe('the comparison with a decision', () => {
  it('returns no difference for equal results, and the path of a difference', () => {
    const expected = expectedOf(listingOf([bucketOf([objects('a/x', 1)])]));
    const decision = decisionOf(expected);
    assert.equal(showDifferences(compareDecision(decision, expected)), '');
    const other = { ...decision, report: { ...decision.report, oneOffCostUsd: 1 } };
    assert.equal(
      showDifferences(compareDecision({ ...other, recommendations: [] }, expected)).split('\n')[0],
      'recommendations.length: 0 instead of 1',
    );
    assert.equal(
      showDifferences(compareDecision(other, expected)),
      'report.oneOffCostUsd: 1 instead of 8.793113',
    );
  });
});
