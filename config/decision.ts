import type { DecisionSettings } from '../domain/decision/types.ts';
import type { Reader } from './environment.ts';

const MAX_RECOMMENDATION_SECONDS = 365 * 86_400;

/** By what an audit is decided, in the worker and without a service. */
export function readDecision(from: Reader): DecisionSettings {
  return {
    withReport: from.oneOf('FEATURE_DECISION_REPORT', ['true', 'false'], 'true') === 'true',
    horizonMonths: from.integer('DECISION_HORIZON_MONTHS', 12, 1, 120),
    minMonthlySavingsUsd: from.amount('MIN_MONTHLY_SAVINGS_USD', 1),
    minMoveMonthlySavingsUsd: from.amount('MIN_MOVE_MONTHLY_SAVINGS_USD', 10),
    recommendationSeconds: from.integer(
      'RECOMMENDATION_TTL_SECONDS',
      2_592_000,
      1,
      MAX_RECOMMENDATION_SECONDS,
    ),
  };
}
