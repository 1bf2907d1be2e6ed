import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { confidenceTenths } from './confidence.ts';
import * as costs from './costs.ts';
import type { Cost } from './costs.ts';
import { inPlace } from './in-place.ts';
import { REST } from './inventory.ts';
import { TARGETS } from './prices.ts';
import { mayMove, type ScanBytes } from './storage.ts';

/** Section 4, rules 3 and 4: moves to another provider. */

/** The groups of one prefix that may move, and their target. */
interface PrefixMove {
  readonly prefix: string;
  readonly groups: readonly Group[];
  /** Null where it stays. */
  readonly target: ProviderName | null;
  readonly confidenceTenths: number;
}

/** Groups that move together. */
export interface MergedMove {
  readonly prefix: string | null;
  readonly groups: readonly Group[];
  readonly target: ProviderName;
  readonly confidenceTenths: number;
}

export function movableOf({ region, groups }: BucketInventory): Group[] {
  return groups.filter(({ storageClass }) => mayMove(region, storageClass));
}

/** Whether a migration has copied objects of the prefix: then nothing is recommended there. */
export function holdsCopied({ copied }: BucketInventory, prefix: string): boolean {
  return copied.some((group) => group.prefix === prefix);
}

function alternativesOf(
  scan: ScanBytes,
  region: string,
  groups: readonly Group[],
  horizonMonths: number,
) {
  const staying = costs.stay(scan, region, groups);
  const changed = inPlace(scan, region, groups, horizonMonths);
  const targets = TARGETS.map((target) => ({
    target,
    cost: costs.move(scan, region, groups, target),
  }));
  return { staying, changed, targets, all: [staying, changed, ...targets.map(({ cost }) => cost)] };
}

function prefixMove(
  scan: ScanBytes,
  region: string,
  { prefix, groups }: { prefix: string; groups: readonly Group[] },
  horizonMonths: number,
): PrefixMove {
  const { staying, changed, targets, all } = alternativesOf(scan, region, groups, horizonMonths);
  const at = (cost: Cost, scenario: costs.Scenario) => costs.total(cost, scenario, horizonMonths);
  const [best] = targets
    .filter(
      ({ cost }) =>
        costs.SCENARIOS.every((scenario) => at(cost, scenario).isBelow(at(staying, scenario))) &&
        at(cost, 'expected').isBelow(at(changed, 'expected')),
    )
    .sort(costs.byTotal(horizonMonths));
  return {
    prefix,
    groups,
    target: best?.target ?? null,
    confidenceTenths: confidenceTenths(best?.cost ?? staying, staying, all, horizonMonths),
  };
}

function byPrefix(groups: readonly Group[]): { prefix: string; groups: Group[] }[] {
  return [...new Set(groups.map(({ prefix }) => prefix))].map((prefix) => ({
    prefix,
    groups: groups.filter((group) => group.prefix === prefix),
  }));
}

/** The confidence of staying, in tenths, for each prefix of the bucket that could move. */
export function stayingConfidences(
  scan: ScanBytes,
  bucket: BucketInventory,
  horizonMonths: number,
): number[] {
  const free = movableOf(bucket).filter(({ prefix }) => !holdsCopied(bucket, prefix));
  return byPrefix(free).map(({ groups }) => {
    const { staying, all } = alternativesOf(scan, bucket.region, groups, horizonMonths);
    return confidenceTenths(staying, staying, all, horizonMonths);
  });
}

export interface BucketMoves {
  readonly moves: readonly MergedMove[];
  /** The move of `*` alone, which no selector can name. */
  readonly withoutSelector: MergedMove | null;
}

/** The moves of a bucket, merged by rule 4. */
export function movesOf(
  scan: ScanBytes,
  bucket: BucketInventory,
  horizonMonths: number,
): BucketMoves {
  const prefixes = byPrefix(movableOf(bucket))
    .filter(({ prefix }) => !holdsCopied(bucket, prefix))
    .map((prefix) => prefixMove(scan, bucket.region, prefix, horizonMonths));
  const target = prefixes[0]?.target ?? null;
  const isWhole = bucket.copied.length === 0;
  if (isWhole && target !== null && prefixes.every((prefix) => prefix.target === target)) {
    const whole = {
      prefix: null,
      groups: prefixes.flatMap(({ groups }) => groups),
      target,
      confidenceTenths: Math.min(...prefixes.map((prefix) => prefix.confidenceTenths)),
    };
    return { moves: [whole], withoutSelector: null };
  }
  const moves = prefixes.flatMap((move) =>
    move.target === null ? [] : [{ ...move, target: move.target }],
  );
  return {
    moves: moves.filter(({ prefix }) => prefix !== REST),
    withoutSelector: moves.find(({ prefix }) => prefix === REST) ?? null,
  };
}
