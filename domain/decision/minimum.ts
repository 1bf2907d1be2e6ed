import { isBelowLimit } from '../common/sums.ts';
import type { Remainder } from '../inventory/finding.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { comparable } from './amounts.ts';
import type { Candidate } from './model.ts';
import { RECOMMENDATION_KINDS } from '../../shared/recommendations.ts';
import { MAX_RECOMMENDATIONS, type DecisionRequest } from './types.ts';

/** What an answer has to save a month to be listed. */
export type Minimums = Pick<DecisionRequest, 'minMonthlySavingsUsd' | 'minMoveMonthlySavingsUsd'>;

export interface Selection {
  /** The largest savings first, at most `MAX_RECOMMENDATIONS`. */
  readonly listed: readonly Candidate[];
  readonly belowMinimum: Remainder;
  /** The candidates beyond `MAX_RECOMMENDATIONS`. */
  readonly more: Remainder;
}

/**
 * | a candidate saves per month | becomes                          |
 * |-----------------------------|----------------------------------|
 * | nothing                     | nothing                          |
 * | less than its minimum       | a part of `belowMinimum`         |
 * | its minimum or more         | listed, or a part of `more`      |
 */
export function selectCandidates(
  candidates: readonly Candidate[],
  { minMonthlySavingsUsd, minMoveMonthlySavingsUsd }: Minimums,
): Selection {
  const isTooLittle = ({ kind, savingsUsd }: Candidate) =>
    isBelowLimit(savingsUsd, kind === 'move' ? minMoveMonthlySavingsUsd : minMonthlySavingsUsd);
  const saving = candidates.filter(({ savingsUsd }) => savingsUsd > 0);
  const ranked = saving.filter((candidate) => !isTooLittle(candidate)).sort(compareCandidates);
  return {
    listed: ranked.slice(0, MAX_RECOMMENDATIONS),
    belowMinimum: sumRemainder(saving.filter(isTooLittle)),
    more: sumRemainder(ranked.slice(MAX_RECOMMENDATIONS)),
  };
}

export function sumRemainder(candidates: readonly Candidate[]): Remainder {
  return candidates.reduce(
    (sum, { objects, bytes, savingsUsd }) => ({
      answers: sum.answers + 1,
      objects: sum.objects + objects,
      bytes: sum.bytes + bytes,
      monthlyCostUsd: sum.monthlyCostUsd + savingsUsd,
    }),
    { answers: 0, objects: 0, bytes: 0, monthlyCostUsd: 0 },
  );
}

/** The largest savings first; ties by bucket, kind, prefix, class and age. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    comparable(b.savingsUsd) - comparable(a.savingsUsd) ||
    compareKeys(a.bucket.inventory.name, b.bucket.inventory.name) ||
    RECOMMENDATION_KINDS.indexOf(a.kind) - RECOMMENDATION_KINDS.indexOf(b.kind) ||
    compareSelected(a, b)
  );
}

function compareSelected(a: Candidate, b: Candidate): number {
  if (a.kind === 'move' && b.kind === 'move') return comparePrefixes(a.prefix, b.prefix);
  if (a.kind !== 'change_class' || b.kind !== 'change_class') return 0;
  return (
    comparePrefixes(a.prefix, b.prefix) ||
    compareKeys(a.fromClass, b.fromClass) ||
    a.firstBand - b.firstBand
  );
}

/** The whole bucket before its prefixes. */
function comparePrefixes(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return compareKeys(a, b);
}
