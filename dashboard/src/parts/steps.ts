import {
  movesLast,
  roundRows,
  toCents,
  type Recommendation,
  onceUsd,
} from '@storage-routing/client';

/**
 * A recommendation, with the cents of a month and of once that add up with those of the other
 * steps.
 */
export interface Step {
  readonly recommendation: Recommendation;
  readonly savedCents: number;
  readonly onceCents: number;
}

/**
 * What needs no move first, then the moves, as in the report.
 *
 * @param totals USD, shown beside the steps, whose rows then add up to them; undefined: each row is
 *   rounded by itself
 */
export function buildSteps(
  recommendations: readonly Recommendation[],
  totals?: { readonly savedUsd: number; readonly onceUsd: number },
): readonly Step[] {
  const ordered = movesLast(recommendations);
  const savedUsd = ordered.map(({ monthlySavingsUsd }) => monthlySavingsUsd);
  const saved = totals ? roundRows(savedUsd, totals.savedUsd) : savedUsd.map(toCents);
  const once = totals
    ? roundRows(ordered.map(onceUsd), totals.onceUsd)
    : ordered.map((one) => toCents(onceUsd(one)));
  return ordered.map((recommendation, at) => ({
    recommendation,
    savedCents: saved[at] ?? 0,
    onceCents: once[at] ?? 0,
  }));
}
