import { onceUsd } from '@storage-routing/client';
import type { DecisionReport, Finding, ScannedBucket, ScanResult } from '@storage-routing/client';
import { buildSteps } from '../../../parts/steps.ts';

type LeftAlone = DecisionReport['leftAlone'][number];

/** The steps that a scan recommends, by kind, and what stays. */
export function groupSteps({ recommendations, buckets, summary, decisionReport }: ScanResult) {
  const steps = buildSteps(recommendations, {
    savedUsd: summary.monthlySavingsUsd,
    onceUsd:
      decisionReport?.oneOffCostUsd ?? recommendations.reduce((sum, one) => sum + onceUsd(one), 0),
  });
  const named = new Set(recommendations.map(({ bucket }) => bucket));
  return {
    quickWins: steps.filter(({ recommendation }) => recommendation.kind !== 'move'),
    moves: steps.filter(({ recommendation }) => recommendation.kind === 'move'),
    /** Buckets for which nothing is recommended, the most expensive first. */
    staying: buckets
      .filter(({ name }) => !named.has(name))
      .sort((a, b) => b.currentMonthlyCostUsd - a.currentMonthlyCostUsd)
      .map((bucket) => ({ bucket, reason: reasonToStay(bucket, decisionReport?.leftAlone ?? []) })),
  };
}

/** Findings because of which nothing is recommended, the strongest first. */
const REASONS: readonly Finding['code'][] = [
  'copied_not_yet_released',
  'needs_restore',
  'no_selector',
  'measure_reads',
  'below_minimum',
];

function reasonToStay(
  { name, error, objects, currentMonthlyCostUsd, findings }: ScannedBucket,
  leftAlone: readonly LeftAlone[],
): string {
  if (error) return `It could not be read: ${error.message}`;
  if (objects === 0 && currentMonthlyCostUsd === 0) return 'It is empty and costs nothing.';
  const [reason] = REASONS.flatMap((code) => findings.filter((each) => each.code === code));
  const untouched = leftAlone.find(({ bucket }) => bucket === name);
  return (
    reason?.message ??
    untouched?.message ??
    'No other store or class is cheaper, with reads and the cost of getting there counted.'
  );
}
