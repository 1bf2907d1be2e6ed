import type { ProviderName } from '../../domain/provider/catalogue.ts';
import * as costs from './costs.ts';
import { inPlace } from './in-place.ts';
import { REST } from './inventory.ts';
import { targetsOf } from './prices.ts';
import { isRouted, mayMove, type Bucket, type HeldGroup, type Scan } from './storage.ts';

/** Section 4, rules 3 and 4: moves to another provider. */

/** Groups that move together. */
export interface MergedMove {
  readonly prefix: string | null;
  readonly groups: readonly HeldGroup[];
  readonly target: ProviderName;
  readonly confidenceTenths: number;
}

/** Whether a migration has copied objects of the prefix, or was to: then no move is recommended there. */
export function isMigrated({ copied, moved = [] }: Bucket, prefix: string): boolean {
  return (
    copied.some((group) => group.prefix === prefix) ||
    moved.some((migration) => [null, prefix].includes(migration.prefix))
  );
}

/** The groups of each prefix that may move; their target is undefined where they stay. */
function prefixMoves(scan: Scan, bucket: Bucket) {
  const movable = bucket.groups.filter((group) => mayMove(group) && !isRouted(bucket, group));
  const prefixes = [...new Set(movable.map(({ prefix }) => prefix))];
  const free = prefixes.filter((prefix) => !isMigrated(bucket, prefix));
  return free.map((prefix) => {
    const groups = movable.filter((group) => group.prefix === prefix);
    const staying = costs.stay(scan, groups);
    const changed = inPlace(scan, groups);
    const options = targetsOf(scan.source).map((target) => ({
      target,
      cost: costs.move(scan, groups, target),
    }));
    const isOpen = (target: ProviderName) =>
      !scan.leftOut.has(target) && costs.refused(groups, target).length === 0;
    const [best] = options
      .filter(({ target }) => isOpen(target))
      .filter(({ cost }) => costs.isAlwaysBelow(cost, staying))
      .filter(({ cost }) => cost.total.expected.isBelow(changed.total.expected))
      .sort(costs.byTotal);
    const all = [staying, changed, ...options.map(({ cost }) => cost)];
    const confidence = (answer: costs.Cost) => costs.confidenceTenths(scan, answer, staying, all);
    const confidenceTenths = confidence(best?.cost ?? staying);
    const stayingTenths = confidence(staying);
    return { prefix, groups, target: best?.target, confidenceTenths, stayingTenths };
  });
}

/** The confidence of staying, in tenths, for each prefix of the bucket that could move. */
export const stayingConfidences = (scan: Scan, bucket: Bucket): number[] =>
  prefixMoves(scan, bucket).map(({ stayingTenths }) => stayingTenths);

/** The moves of a bucket, merged by rule 4; a move of `*` alone cannot be named by a selector. */
export function movesOf(scan: Scan, bucket: Bucket) {
  const prefixes = prefixMoves(scan, bucket);
  const target = prefixes[0]?.target;
  const isWhole =
    !bucket.isRouted && !bucket.groups.some(({ prefix }) => isMigrated(bucket, prefix));
  if (isWhole && target !== undefined && prefixes.every((prefix) => prefix.target === target)) {
    const groups = prefixes.flatMap((prefix) => prefix.groups);
    const confidenceTenths = Math.min(...prefixes.map((prefix) => prefix.confidenceTenths));
    const whole: MergedMove = { prefix: null, groups, target, confidenceTenths };
    return { moves: [whole], withoutSelector: [] };
  }
  const moves = prefixes.flatMap((move): MergedMove[] =>
    move.target === undefined ? [] : [{ ...move, target: move.target }],
  );
  return {
    moves: moves.filter(({ prefix }) => prefix !== REST),
    withoutSelector: moves.filter(({ prefix }) => prefix === REST),
  };
}
