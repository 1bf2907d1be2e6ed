import type { PlacementOption } from '../../../domain/decision/types.ts';
import { formatMonths } from '../../../domain/common/format.ts';
import type { SwitchingChargeBan } from '../../../domain/pricing/figures.ts';
import type { RecommendationRecord } from '../../../domain/recommendation/recommendation.ts';
import type { Units } from './amounts.ts';

/** When a report is read, and the law of that time. */
export interface ReadingTerms {
  /** Recommendations that expired before this time are shown as expired. */
  readonly now: Date;
  /** Of the scanned provider. */
  readonly switchingChargeBan: SwitchingChargeBan | null;
}

/** A recommendation as a step of the report; amounts in units, per month unless stated otherwise. */
export interface Step {
  readonly number: number;
  readonly recommendation: RecommendationRecord;
  /** The recommended one; null for clean-ups. */
  readonly option: PlacementOption | null;
  /** Negative if it costs less. */
  readonly storageChange: number;
  /** Of the expected reads. */
  readonly readsChange: number;
  /** What counts as saved. */
  readonly saved: number;
  /** Once. */
  readonly once: number;
}

/** What needs no move first, then the moves; the largest savings first in each. */
export function buildSteps(recommendations: readonly RecommendationRecord[], units: Units): Step[] {
  const isMove = ({ kind }: RecommendationRecord) => kind === 'move';
  const ordered = [
    ...recommendations.filter((one) => !isMove(one)),
    ...recommendations.filter(isMove),
  ];
  return ordered.map((recommendation, at) => {
    const { options, recommendedProvider, stayMonthlyUsd, currentMonthlyCostUsd } = recommendation;
    const option = options.find(({ provider }) => provider === recommendedProvider) ?? null;
    const thenUsd = option?.monthlyCostUsd ?? recommendation.optimalMonthlyCostUsd;
    const storageChange = units.fromUsd(thenUsd - currentMonthlyCostUsd);
    // What is saved is the smaller of this and the change of storage alone, to the cent.
    const bothChange = option
      ? units.fromUsd(option.placedMonthlyUsd.expected - stayMonthlyUsd.expected)
      : storageChange;
    return {
      number: at + 1,
      recommendation,
      option,
      storageChange,
      readsChange: bothChange - storageChange,
      saved: units.fromUsd(recommendation.monthlySavingsUsd),
      once: units.fromUsd(option?.quote.totalUsd ?? 0),
    };
  });
}

/** Null: the savings never pay for the cost. */
export function payback(months: number | null): string {
  return months === null ? 'never' : formatMonths(months);
}

/** A confidence in words. */
interface ConfidenceWords {
  readonly level: 'High' | 'Good' | 'Fair' | 'Low';
  readonly basis: string;
}

/**
 * | confidence | level  |
 * |------------|--------|
 * | from 0.9   | `High` |
 * | from 0.7   | `Good` |
 * | from 0.5   | `Fair` |
 * | less       | `Low`  |
 */
export function confidenceWords(confidence: number): ConfidenceWords {
  if (confidence >= 0.9) return { level: 'High', basis: 'the cheapest however much is read' };
  if (confidence >= 0.7)
    return {
      level: 'Good',
      basis: 'the cheapest in most of the read scenarios, or in all of them at uncertain prices',
    };
  if (confidence >= 0.5)
    return {
      level: 'Fair',
      basis: 'the cheapest in some of the read scenarios, or at uncertain prices',
    };
  return {
    level: 'Low',
    basis: 'how much is read decides, or prices are uncertain',
  };
}
