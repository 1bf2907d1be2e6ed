import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { isMigrated } from './flow.ts';
import { inPlace } from './in-place.ts';
import { codeOf } from './left-alone.ts';
import * as placements from './placements.ts';
import type { Cost } from './placements.ts';
import { sum, targetsOf } from './prices.ts';
import { quoteTotal } from './quote.ts';
import { SCENARIOS } from './reads.ts';
import type { Bucket, HeldGroup, Scan } from './storage.ts';

/** Section 5, rules 2 and 7 of the pricing rules: what may be done with a prefix, and how sure an answer is. */

/** The groups of a prefix that may move, in all the ways in which they may be placed. */
export interface Judged {
  readonly groups: readonly HeldGroup[];
  readonly staying: Cost;
  readonly inPlace: Pick<Cost, 'total'>;
  /** Empty where the prefix may not move. */
  readonly moves: readonly { readonly target: ProviderName; readonly cost: Cost }[];
}

export function judge(scan: Scan, bucket: Bucket, groups: readonly HeldGroup[]): Judged {
  const pool = placements.poolOf(groups);
  const prefix = groups[0]?.prefix ?? '';
  const mayMove = codeOf(bucket, prefix) === null && !isMigrated(bucket, prefix);
  const targets = targetsOf(scan.source).filter(
    (target) =>
      mayMove &&
      !scan.leftOut.has(target) &&
      placements.refused(groups, target, () => pool).length === 0,
  );
  const staying = placements.stay(scan, groups, pool);
  return {
    groups,
    staying,
    inPlace: { total: inPlace(scan, bucket, groups, staying) },
    moves: targets.map((target) => ({ target, cost: placements.move(scan, groups, target) })),
  };
}

/** In how many of the four scenarios the answer is the cheapest of all, in tenths. */
export function cheapestTenths(
  answer: Pick<Cost, 'total'>,
  { staying, inPlace: changed, moves }: Judged,
): number {
  const all = [staying, changed, ...moves.map(({ cost }) => cost)];
  const isCheapest = (at: (typeof SCENARIOS)[number]) =>
    all.every((other) => !other.total[at].isBelow(answer.total[at]));
  return [3, 3, 5, 7, 9][SCENARIOS.filter(isCheapest).length] ?? 0;
}

/** Whether an uncertain figure adds to an answer, or to staying, from which its savings are measured. */
export const isUncertain = (staying: Cost, answer: Cost): boolean =>
  sum([
    quoteTotal(answer.quote),
    ...SCENARIOS.flatMap((at) => [staying.monthly[at], answer.monthly[at]]),
  ]).uncertain;

/** What is taken off once for each of the three reasons. */
export const lessDoubts = (tenths: number, ...doubts: readonly boolean[]): number =>
  Math.max(1, tenths - 2 * doubts.filter(Boolean).length);
