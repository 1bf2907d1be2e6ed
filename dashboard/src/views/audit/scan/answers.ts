import type { Finding, Recommendation, ScannedBucket, ScanResult } from '@storage-routing/client';
import { onceUsd, paybackMonths } from '../../../format/recommendations.ts';

export interface StayingBucket {
  readonly bucket: ScannedBucket;
  readonly reason: string;
}

/** What a scan answers, by what it takes. */
export interface Answers {
  /** No move, and paid back within the first month. */
  readonly atOnce: readonly Recommendation[];
  /** The shortest payback first. */
  readonly payingBack: readonly Recommendation[];
  /** Buckets for which nothing is recommended, the most expensive first. */
  readonly staying: readonly StayingBucket[];
  /** USD a month of what stays in the other buckets, once all is done. */
  readonly restMonthlyUsd: number;
}

export function groupAnswers({ recommendations, buckets }: ScanResult): Answers {
  const atOnce = recommendations.filter(isAtOnce);
  const payingBack = recommendations
    .filter((recommendation) => !isAtOnce(recommendation))
    .sort((a, b) => paybackOrNever(a) - paybackOrNever(b));
  const named = new Set(recommendations.map(({ bucket }) => bucket));
  const staying = buckets
    .filter(({ name }) => !named.has(name))
    .sort((a, b) => b.currentMonthlyCostUsd - a.currentMonthlyCostUsd)
    .map((bucket) => ({ bucket, reason: reasonToStay(bucket) }));
  const restMonthlyUsd = buckets
    .filter(({ name }) => named.has(name))
    .reduce((sum, { optimalMonthlyCostUsd }) => sum + optimalMonthlyCostUsd, 0);
  return { atOnce, payingBack, staying, restMonthlyUsd };
}

function isAtOnce(recommendation: Recommendation): boolean {
  const { kind, monthlySavingsUsd } = recommendation;
  return kind !== 'move' && onceUsd(recommendation) <= monthlySavingsUsd;
}

function paybackOrNever(recommendation: Recommendation): number {
  return paybackMonths(recommendation) ?? Infinity;
}

/** Findings because of which nothing is recommended, the strongest first. */
const REASONS: readonly Finding['code'][] = [
  'copied_not_yet_saved',
  'needs_restore',
  'no_selector',
  'below_minimum',
];

function reasonToStay({ error, objects, currentMonthlyCostUsd, findings }: ScannedBucket): string {
  if (error) return `It could not be read: ${error.message}`;
  if (objects === 0 && currentMonthlyCostUsd === 0) return 'It is empty and costs nothing.';
  const [reason] = REASONS.flatMap((code) => findings.filter((each) => each.code === code));
  return (
    reason?.message ??
    'No other store or class is cheaper once reads and the cost of getting there are counted.'
  );
}
