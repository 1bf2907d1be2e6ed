import type { ProviderName } from '../catalogue.ts';
import { MAX_RECOMMENDATIONS, RECOMMENDATION_KINDS, type RecommendationKind } from './answer.ts';
import type { PricedBucket } from './bucket.ts';
import type { Change } from './change.ts';

/** Whose objects these are, and which providers their owner has credentials for. */
export interface Asker {
  readonly source: ProviderName;
  readonly configured: readonly ProviderName[];
}

interface AnyAnswer {
  readonly bucket: PricedBucket;
  readonly kind: RecommendationKind;
  readonly objects: number;
  readonly bytes: number;
  /** Per month, unrounded. */
  readonly savingsUsd: number;
}

export interface MoveAnswer extends AnyAnswer {
  readonly kind: 'move';
  /** By index; -1 is the whole bucket. */
  readonly prefix: number;
  /** By index into the targets. */
  readonly target: number;
}

export interface ChangeAnswer extends AnyAnswer {
  readonly kind: 'change_class';
  readonly change: Change;
}

export interface CleanUpAnswer extends AnyAnswer {
  readonly kind: 'abort_multipart_uploads' | 'expire_old_versions';
}

/** What could be recommended, before its words and options are made. */
export type Answer = MoveAnswer | ChangeAnswer | CleanUpAnswer;

/** Answers that are not listed one by one. */
export interface Leftover {
  answers: number;
  objects: number;
  bytes: number;
  savingsUsd: number;
}

export function noLeftover(): Leftover {
  return { answers: 0, objects: 0, bytes: 0, savingsUsd: 0 };
}

export function leave(leftover: Leftover, answer: Answer): void {
  leftover.answers += 1;
  leftover.objects += answer.objects;
  leftover.bytes += answer.bytes;
  leftover.savingsUsd += answer.savingsUsd;
}

export interface Selection {
  readonly belowMinimum: Leftover;
  readonly more: Leftover;
  offer(answer: Answer): void;
  /** The answers with the largest savings, in their order. */
  listed(): readonly Answer[];
}

/** How many answers are held before the ones that will not be listed are summed up. */
const HELD_ANSWERS = 20 * MAX_RECOMMENDATIONS;

/** Keeps the answers that are to be listed and sums up the others. What saves nothing is no answer. */
export function createSelection(minMonthlySavingsUsd: number): Selection {
  const belowMinimum = noLeftover();
  const more = noLeftover();
  const held: Answer[] = [];
  const cut = () => {
    held.sort(compareAnswers);
    for (const answer of held.splice(MAX_RECOMMENDATIONS)) leave(more, answer);
  };
  return {
    belowMinimum,
    more,
    offer(answer) {
      if (answer.savingsUsd <= 0) return;
      if (answer.savingsUsd < minMonthlySavingsUsd) return leave(belowMinimum, answer);
      held.push(answer);
      if (held.length >= HELD_ANSWERS) cut();
    },
    listed() {
      cut();
      return held;
    },
  };
}

/** The largest savings first; ties by bucket, kind, prefix, class and age. */
function compareAnswers(a: Answer, b: Answer): number {
  return (
    b.savingsUsd - a.savingsUsd ||
    a.bucket.rank - b.bucket.rank ||
    RECOMMENDATION_KINDS.indexOf(a.kind) - RECOMMENDATION_KINDS.indexOf(b.kind) ||
    prefixOf(a) - prefixOf(b) ||
    changeOf(a, 'storageClass') - changeOf(b, 'storageClass') ||
    changeOf(a, 'firstBand') - changeOf(b, 'firstBand')
  );
}

function prefixOf(answer: Answer): number {
  if (answer.kind === 'move') return answer.prefix;
  return changeOf(answer, 'prefix');
}

function changeOf(answer: Answer, field: 'prefix' | 'storageClass' | 'firstBand'): number {
  return answer.kind === 'change_class' ? answer.change[field] : -1;
}
