import { formatCsv, type CsvCell } from '../shared/csv.ts';
import type { PlacementOption } from '../domain/decision/types.ts';
import {
  recommendationStatusAt,
  type RecommendationRecord,
} from '../domain/recommendations/recommendation.ts';

type Column<Row> = readonly [title: string, value: (row: Row) => CsvCell];

interface Listed {
  readonly recommendation: RecommendationRecord;
  readonly now: Date;
  /** A service knows it by its ids. */
  readonly hasIds: boolean;
}

const COLUMNS: readonly Column<Listed>[] = [
  ['scanId', ({ recommendation, hasIds }) => (hasIds ? recommendation.scanId : null)],
  [
    'recommendationId',
    ({ recommendation, hasIds }) => (hasIds ? recommendation.recommendationId : null),
  ],
  ['kind', ({ recommendation }) => recommendation.kind],
  ['status', ({ recommendation, now }) => recommendationStatusAt(recommendation, now)],
  ['bucket', ({ recommendation }) => recommendation.bucket],
  ['region', ({ recommendation }) => recommendation.region],
  ['prefix', ({ recommendation }) => recommendation.selector.prefix],
  ['storageClass', ({ recommendation }) => recommendation.selector.storageClass],
  ['minAgeDays', ({ recommendation }) => recommendation.selector.minAgeDays],
  ['maxAgeDays', ({ recommendation }) => recommendation.selector.maxAgeDays],
  ['minSizeBytes', ({ recommendation }) => recommendation.selector.minSizeBytes],
  ['objects', ({ recommendation }) => recommendation.objects],
  ['bytes', ({ recommendation }) => recommendation.bytes],
  ['currentMonthlyCostUsd', ({ recommendation }) => recommendation.currentMonthlyCostUsd],
  ['optimalMonthlyCostUsd', ({ recommendation }) => recommendation.optimalMonthlyCostUsd],
  ['monthlySavingsUsd', ({ recommendation }) => recommendation.monthlySavingsUsd],
  ['recommendedProvider', ({ recommendation }) => recommendation.recommendedProvider],
  ['recommendedStorageClass', ({ recommendation }) => recommendation.recommendedStorageClass],
  ['confidence', ({ recommendation }) => recommendation.confidence],
  ['expiresAt', ({ recommendation }) => recommendation.expiresAt.toISOString()],
];

const OPTION_COLUMNS: readonly Column<PlacementOption>[] = [
  ['optionProvider', ({ provider }) => provider],
  ['optionStorageClass', ({ storageClass }) => storageClass],
  ['optionConfigured', ({ configured }) => configured],
  ['optionMonthlyCostUsd', ({ monthlyCostUsd }) => monthlyCostUsd],
  ['optionMonthlySavingsUsd', ({ monthlySavingsUsd }) => monthlySavingsUsd],
  ['egressUsd', ({ quote }) => quote.egressUsd],
  ['sourceRequestsUsd', ({ quote }) => quote.sourceRequestsUsd],
  ['retrievalUsd', ({ quote }) => quote.retrievalUsd],
  ['earlyDeletionUsd', ({ quote }) => quote.earlyDeletionUsd],
  ['destinationRequestsUsd', ({ quote }) => quote.destinationRequestsUsd],
  ['transitionUsd', ({ quote }) => quote.transitionUsd],
  ['totalUsd', ({ quote }) => quote.totalUsd],
  ['totalWithExitWaiverUsd', ({ quote }) => quote.totalWithExitWaiverUsd],
  ['breakEvenMonths', ({ breakEvenMonths }) => breakEvenMonths],
  ['breakEvenMonthsWithExitWaiver', (option) => option.breakEvenMonthsWithExitWaiver],
  ['waitingUntil', ({ waiting }) => waiting?.until ?? null],
  ['waitingSavesUsd', ({ waiting }) => waiting?.savesUsd ?? null],
];

/**
 * The recommendations of a scan as CSV (RFC 4180): a row for each recommendation and option, in the
 * API's figures. A clean-up has one row, with empty cells for the option.
 *
 * @param hasIds false: the scan was made without a service, which would know them
 */
export function toCsv(
  recommendations: readonly RecommendationRecord[],
  now: Date,
  hasIds = true,
): string {
  const titles = [...COLUMNS, ...OPTION_COLUMNS].map(([title]) => title);
  const rows = recommendations.flatMap((recommendation) => {
    const cells = COLUMNS.map(([, value]) => value({ recommendation, now, hasIds }));
    if (recommendation.options.length === 0) return [[...cells, ...OPTION_COLUMNS.map(() => null)]];
    return recommendation.options.map((option) => [
      ...cells,
      ...OPTION_COLUMNS.map(([, value]) => value(option)),
    ]);
  });
  return formatCsv([titles, ...rows]);
}
