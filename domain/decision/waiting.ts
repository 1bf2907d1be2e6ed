import { DAYS_PER_MONTH } from '../../shared/units.ts';
import { DAY_MS } from '../common/time.ts';
import type { DecisionContext } from './model.ts';
import { shown } from './amounts.ts';
import type { Quote, Waiting } from './types.ts';

/**
 * The saving of moving on the day from which the source may not charge for switching, instead of on
 * the day of the decision: the charge, minus what the move would have saved until then. The quote
 * stays as of today.
 *
 * | the source's region | it is decided    | waiting would save | answer      |
 * |---------------------|------------------|--------------------|-------------|
 * | is covered          | before that day  | something          | what, until |
 * | is covered          | before that day  | nothing            | null        |
 * | is covered          | on it or later   | -                  | null        |
 * | is not covered      | -                | -                  | null        |
 *
 * Takes unrounded amounts.
 */
export function computeWaiting(
  { switchingChargeBan: ban, decidedAt }: DecisionContext,
  region: string,
  quote: Quote,
  monthlySavingsUsd: number,
): Waiting | null {
  if (!ban?.regions.includes(region)) return null;
  const days = (Date.parse(ban.from) - decidedAt.getTime()) / DAY_MS;
  if (days <= 0) return null;
  const chargedUsd = quote.totalUsd - quote.totalWithExitWaiverUsd;
  const saved = (monthlySavingsUsd * days) / DAYS_PER_MONTH;
  const savesUsd = shown(chargedUsd - saved, Math.max(quote.totalUsd, saved));
  return savesUsd > 0 ? { until: ban.from, savesUsd } : null;
}
