import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { cheapestTenths, isUncertain, judge, lessDoubts, type Judged } from './confidence.ts';
import { isMigrated, movableOf, prefixesIn } from './flow.ts';
import type { Fraction } from './fraction.ts';
import { REST } from './inventory.ts';
import { codeOf, isRouted } from './left-alone.ts';
import * as placements from './placements.ts';
import type { Cost } from './placements.ts';
import { AWS } from './prices.ts';
import { SCENARIOS } from './reads.ts';
import { isMovable, type Bucket, type HeldGroup, type Scan } from './storage.ts';

/** Section 5, rules 2, 3 and 8 of the pricing rules: moves to another provider. */

/** Groups that move together. */
export interface MergedMove {
  readonly prefix: string | null;
  readonly groups: readonly HeldGroup[];
  readonly target: ProviderName;
  readonly confidenceTenths: number;
}

/** A prefix that may move; its target is undefined where it stays. */
interface PrefixMove {
  readonly prefix: string;
  readonly groups: readonly HeldGroup[];
  readonly target: ProviderName | undefined;
  readonly confidenceTenths: number;
  readonly judged: Judged;
}

const bestOf = (
  { staying, inPlace, moves }: Judged,
  asked: typeof SCENARIOS | readonly ['none', 'expected'],
) =>
  moves
    .filter(({ cost }) => placements.isBelowIn(cost, staying, asked))
    .filter(({ cost }) => cost.total.expected.isBelow(inPlace.total.expected))
    .sort(placements.byTotal)[0];

/** Rule 7 without what belongs to the report. */
const confidenceOf = (scan: Scan, bucket: Bucket, answer: Cost, judged: Judged): number =>
  lessDoubts(
    cheapestTenths(answer, judged),
    isUncertain(judged.staying, answer),
    scan.isLittleExplained,
    bucket.reads.isSplit,
  );

function prefixMoves(scan: Scan, bucket: Bucket): readonly PrefixMove[] {
  return [...prefixesIn(movableOf(bucket.groups))]
    .filter(([prefix]) => codeOf(bucket, prefix) === null && !isMigrated(bucket, prefix))
    .map(([prefix, groups]) => {
      const judged = judge(scan, bucket, groups);
      const best = bestOf(judged, SCENARIOS);
      const confidenceTenths = confidenceOf(scan, bucket, best?.cost ?? judged.staying, judged);
      return { prefix, groups, target: best?.target, confidenceTenths, judged };
    });
}

/** The confidence of staying, in tenths, for each prefix of the bucket that holds what could move. */
export const stayingConfidences = (scan: Scan, bucket: Bucket): number[] =>
  [...prefixesIn(movableOf(bucket.groups))]
    .filter(
      ([prefix]) => !isRouted(bucket, prefix) && !bucket.use.isKept && !isMigrated(bucket, prefix),
    )
    .map(([, groups]) => {
      const judged = judge(scan, bucket, groups);
      return confidenceOf(scan, bucket, judged.staying, judged);
    });

/** What of a bucket would move if nobody asked who reads it. */
export interface Undecided {
  readonly groups: readonly HeldGroup[];
  readonly savings: Fraction;
}

function undecidedOf(bucket: Bucket, prefixes: readonly PrefixMove[]): readonly Undecided[] {
  const { provider = AWS } = bucket.groups[0] ?? {};
  if (provider !== AWS || bucket.reads.source === 'measured') return [];
  return prefixes
    .filter(({ target }) => target === undefined)
    .flatMap(({ groups, judged }) => {
      const best = bestOf(judged, ['none', 'expected']);
      if (best === undefined) return [];
      return [{ groups, savings: placements.savings(judged.staying, best.cost) }];
    });
}

/** The moves of a bucket, merged; a move of `*` alone cannot be named by a selector. */
export function movesOf(scan: Scan, bucket: Bucket) {
  const prefixes = prefixMoves(scan, bucket);
  const undecided = undecidedOf(bucket, prefixes);
  const target = prefixes[0]?.target;
  const isLeftAlone = (group: HeldGroup) =>
    isRouted(bucket, group.prefix) || (isMovable(group) && codeOf(bucket, group.prefix) !== null);
  const isWhole = !bucket.groups.some(
    (group) => isLeftAlone(group) || isMigrated(bucket, group.prefix),
  );
  if (isWhole && target !== undefined && prefixes.every((prefix) => prefix.target === target)) {
    const groups = prefixes.flatMap((prefix) => prefix.groups);
    const confidenceTenths = Math.min(...prefixes.map((prefix) => prefix.confidenceTenths));
    const whole: MergedMove = { prefix: null, groups, target, confidenceTenths };
    return { moves: [whole], withoutSelector: [], undecided };
  }
  const moves = prefixes.flatMap((move): MergedMove[] =>
    move.target === undefined ? [] : [{ ...move, target: move.target }],
  );
  return {
    moves: moves.filter(({ prefix }) => prefix !== REST),
    withoutSelector: moves.filter(({ prefix }) => prefix === REST),
    undecided,
  };
}
