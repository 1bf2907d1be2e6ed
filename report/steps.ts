import { breakEvenMonths } from '../domain/decision/amounts.ts';
import type { PlacementOption } from '../domain/decision/types.ts';
import type { SwitchingChargeBan } from '../domain/pricing/price-data.ts';
import { roundUsd } from '../domain/pricing/money.ts';
import type { RecommendationRecord } from '../domain/recommendations/recommendation.ts';
import type { ScanRecord } from '../domain/scans/scan.ts';
import { formatRow, roundRows } from '../shared/amounts.ts';
import {
  movesLast,
  onceUsd as costsOnceUsd,
  recommendedOption,
} from '../shared/recommendations.ts';

/** When a report is read, and the law of that time. */
export interface ReadingTerms {
  /** Recommendations that expired before this time are shown as expired. */
  readonly now: Date;
  /** The ban that holds for the scanned provider. */
  readonly switchingChargeBan: SwitchingChargeBan | null;
}

/** An amount, and the whole cents with which it adds up to the total shown beside it. */
export interface Amount {
  readonly usd: number;
  readonly cents: number;
}

/** A recommendation as a step of the report. */
export interface Step {
  readonly number: number;
  readonly recommendation: RecommendationRecord;
  /** The recommended one; null for clean-ups. */
  readonly option: PlacementOption | null;
  /** A month. */
  readonly saved: Amount;
  readonly once: Amount;
  readonly paybackMonths: number | null;
}

/** The figures of the whole audit, in USD a month unless stated otherwise. */
export interface Totals {
  readonly nowUsd: number;
  readonly savedUsd: number;
  readonly afterUsd: number;
  /** Once. */
  readonly onceUsd: number;
  /** Null: the savings never pay for the cost. */
  readonly paybackMonths: number | null;
  readonly firstYearUsd: number;
}

/** What needs no move first, then the moves; the largest savings first in each. */
export function buildSteps(
  recommendations: readonly RecommendationRecord[],
  { savedUsd, onceUsd }: Totals,
): Step[] {
  const ordered = movesLast(recommendations);
  const saved = toAmounts(
    ordered.map(({ monthlySavingsUsd }) => monthlySavingsUsd),
    savedUsd,
  );
  const once = toAmounts(ordered.map(costsOnceUsd), onceUsd);
  return ordered.map((recommendation, at) => {
    const option = recommendedOption(recommendation) ?? null;
    return {
      number: at + 1,
      recommendation,
      option,
      saved: saved[at] ?? NOTHING,
      once: once[at] ?? NOTHING,
      paybackMonths: option
        ? option.breakEvenMonths
        : breakEvenMonths(costsOnceUsd(recommendation), recommendation.monthlySavingsUsd),
    };
  });
}

export function buildTotals(
  { summary, decisionReport }: Pick<ScanRecord, 'summary' | 'decisionReport'>,
  recommendations: readonly RecommendationRecord[],
): Totals {
  const nowUsd = summary?.currentMonthlyCostUsd ?? 0;
  const savedUsd = summary?.monthlySavingsUsd ?? 0;
  const onceUsd = decisionReport?.oneOffCostUsd ?? sumUsd(recommendations.map(costsOnceUsd));
  return {
    nowUsd,
    savedUsd,
    afterUsd: summary?.optimalMonthlyCostUsd ?? 0,
    onceUsd,
    paybackMonths: decisionReport
      ? decisionReport.breakEvenMonths
      : breakEvenMonths(onceUsd, savedUsd),
    firstYearUsd: decisionReport?.savings12MonthsUsd ?? roundUsd(12 * savedUsd - onceUsd),
  };
}

export const NOTHING: Amount = { usd: 0, cents: 0 };

/** Rows with the cents that add up to their total. */
export function toAmounts(rowsUsd: readonly number[], totalUsd: number): readonly Amount[] {
  const cents = roundRows(rowsUsd, totalUsd);
  return rowsUsd.map((usd, at) => ({ usd, cents: cents[at] ?? 0 }));
}

export function sumAmounts(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (sum, { usd, cents }) => ({ usd: roundUsd(sum.usd + usd), cents: sum.cents + cents }),
    NOTHING,
  );
}

export function formatAmount({ usd, cents }: Amount): string {
  return formatRow(usd, cents);
}

function sumUsd(amounts: readonly number[]): number {
  return roundUsd(amounts.reduce((sum, usd) => sum + usd, 0));
}
