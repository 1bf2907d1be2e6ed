import { formatMoney, formatPercent } from './amounts.ts';
import { describeWay, type RecommendationKind } from './recommendations.ts';

/** What a bill says of its whole. */
export interface BilledTerms {
  readonly estimated: boolean;
  readonly listUsd: number;
  readonly netUsd: number;
  readonly unexplainedUsd: number;
}

/**
 * What was paid, and how much of it an audit explains: `Your S3 bill of October 2026 was $1,802.30;
 * this audit explains $1,790.12 of it.`
 */
export function describeBill(bill: BilledTerms, month: string): string {
  const { estimated, listUsd, netUsd, unexplainedUsd } = bill;
  const explained =
    listUsd > 0
      ? `; this audit explains ${formatMoney(netUsd * (1 - unexplainedUsd / listUsd))} of it`
      : '';
  return `Your S3 bill of ${month} was ${formatMoney(netUsd)}${estimated ? ' (AWS may still change it)' : ''}${explained}.`;
}

/** What a headline is made of. */
export interface HeadlineTerms {
  readonly currentMonthlyUsd: number;
  readonly monthlySavingsUsd: number;
  readonly recommendations: readonly {
    readonly kind: RecommendationKind;
    readonly monthlySavingsUsd: number;
    readonly recommendedProvider: string | null;
  }[];
  /** Undefined without a decision report. */
  readonly verdict?: string | undefined;
  readonly providerTitle: (provider: string) => string;
}

/**
 * The verdict of an audit as a person would say it: how much can be saved, and mostly by what.
 *
 * `Save 57 %: mostly by changing storage classes`, `Save 31 % by moving to Backblaze B2`, `Stay: …`
 */
export function auditHeadline(terms: HeadlineTerms): string {
  const { currentMonthlyUsd, monthlySavingsUsd, recommendations, providerTitle } = terms;
  if (terms.verdict === 'nothing_read') return 'Nothing could be read';
  if (recommendations.length === 0) return 'Stay: nothing here is worth changing';
  const savings = new Map<string, number>();
  for (const one of recommendations) {
    const way = describeWay(one, providerTitle);
    savings.set(way, (savings.get(way) ?? 0) + one.monthlySavingsUsd);
  }
  const [[largest] = ['']] = [...savings].toSorted(([, a], [, b]) => b - a);
  const share = describeSavings(currentMonthlyUsd, monthlySavingsUsd);
  return savings.size === 1 ? `${share} by ${largest}` : `${share}: mostly by ${largest}`;
}

/** How much of what is paid a month can be saved: `Save 57 %`. */
export function describeSavings(currentMonthlyUsd: number, monthlySavingsUsd: number): string {
  const share = currentMonthlyUsd > 0 ? Math.min(1, monthlySavingsUsd / currentMonthlyUsd) : 0;
  return `Save ${formatPercent(share)}`;
}

/** How sure an answer is: `High` from 0.9 on, `Good` from 0.7, `Fair` from 0.5, otherwise `Low`. */
export function confidenceLevel(confidence: number): 'High' | 'Good' | 'Fair' | 'Low' {
  if (confidence >= 0.9) return 'High';
  if (confidence >= 0.7) return 'Good';
  return confidence >= 0.5 ? 'Fair' : 'Low';
}

const POSSIBLE_SAVINGS: ReadonlySet<string> = new Set([
  'below_minimum',
  'no_selector',
  'measure_reads',
  'more_recommendations',
]);

/** Whether the amount of a finding could be saved; otherwise it is a current cost. */
export function isPossibleSaving(findingCode: string): boolean {
  return POSSIBLE_SAVINGS.has(findingCode);
}

const READ_SOURCES = {
  measured: 'measured by CloudWatch',
  apportioned: 'its share of the bill',
  assumed: 'assumed by age',
} as const;

/** Whether a bill or metrics show the reads of any bucket. */
export function knowsReads(
  buckets: readonly { readonly reads?: { readonly source: string } | null }[],
): boolean {
  return buckets.some(({ reads }) => reads && reads.source !== 'assumed');
}

/** Where the reads of a bucket are known from: `measured by CloudWatch`. */
export function describeReadSource(source: keyof typeof READ_SOURCES): string {
  return READ_SOURCES[source];
}
