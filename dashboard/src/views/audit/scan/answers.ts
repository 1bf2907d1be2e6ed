import type { Recommendation, ScannedBucket, ScanResult } from '@storage-routing/client';

export interface StayingBucket {
  readonly bucket: ScannedBucket;
  readonly why: string;
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

export function answersOf({ recommendations, buckets }: ScanResult): Answers {
  const atOnce = recommendations.filter(isAtOnce);
  const payingBack = recommendations
    .filter((recommendation) => !isAtOnce(recommendation))
    .sort((a, b) => monthsOf(a) - monthsOf(b));
  const named = new Set(recommendations.map(({ bucket }) => bucket));
  const staying = buckets
    .filter(({ name }) => !named.has(name))
    .sort((a, b) => b.currentMonthlyCostUsd - a.currentMonthlyCostUsd)
    .map((bucket) => ({ bucket, why: whyItStays(bucket) }));
  const restMonthlyUsd = buckets
    .filter(({ name }) => named.has(name))
    .reduce((sum, { optimalMonthlyCostUsd }) => sum + optimalMonthlyCostUsd, 0);
  return { atOnce, payingBack, staying, restMonthlyUsd };
}

/** USD, once; a clean-up costs nothing. */
export function onceUsd(recommendation: Recommendation): number {
  return optionOf(recommendation)?.quote.totalUsd ?? 0;
}

/** Null where the savings never pay for the cost. */
export function paybackMonths(recommendation: Recommendation): number | null {
  const option = optionOf(recommendation);
  return option ? option.breakEvenMonths : 0;
}

/** The store and the class that are recommended. */
function optionOf(recommendation: Recommendation) {
  const { options, recommendedProvider, recommendedStorageClass } = recommendation;
  return options.find(
    ({ provider, storageClass }) =>
      provider === recommendedProvider && storageClass === recommendedStorageClass,
  );
}

function isAtOnce(recommendation: Recommendation): boolean {
  const { kind, monthlySavingsUsd } = recommendation;
  return kind !== 'move' && onceUsd(recommendation) <= monthlySavingsUsd;
}

function monthsOf(recommendation: Recommendation): number {
  return paybackMonths(recommendation) ?? Infinity;
}

/** Findings that say why nothing is recommended, the strongest first. */
const REASONS = ['copied_not_yet_saved', 'needs_restore', 'no_selector', 'below_minimum'];

function whyItStays({ error, objects, currentMonthlyCostUsd, findings }: ScannedBucket): string {
  if (error) return `It could not be read: ${error.message}`;
  if (objects === 0 && currentMonthlyCostUsd === 0) return 'It is empty and costs nothing.';
  const reason = REASONS.flatMap((code) => findings.filter((each) => each.code === code))[0];
  return (
    reason?.message ??
    'No other store or class is cheaper once reads and the cost of getting there are counted.'
  );
}
