import type { Group } from '../../domain/inventory/inventory.ts';
import { mayChange } from './left-alone.ts';
import { isMigrated } from './flow.ts';
import { Fraction } from './fraction.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import * as placements from './placements.ts';
import type { Change, Cost, Pool } from './placements.ts';
import { AWS } from './prices.ts';
import { INTELLIGENT_TIERING, type Bucket, type HeldGroup, type Scan } from './storage.ts';

/** Section 5, rules 1 and 3 of the pricing rules: changes of class in place. */

/** The classes that a group may change to, in the order that decides ties. */
function classesFor({ provider, storageClass, ageBand }: HeldGroup): readonly string[] {
  if (provider !== AWS) return [];
  if (storageClass === 'STANDARD')
    return ageBand >= 1 ? ['STANDARD_IA', 'GLACIER_IR', INTELLIGENT_TIERING] : ['GLACIER_IR'];
  if (storageClass === 'STANDARD_IA') return ['GLACIER_IR'];
  return storageClass === 'GLACIER' && ageBand >= 2 ? ['DEEP_ARCHIVE'] : [];
}

/** The large objects of the prefix and class of a group. */
export const poolOfLarge = ({ groups }: Bucket, { prefix, storageClass }: Group): Pool =>
  placements.poolOf(
    groups
      .filter((group) => group.prefix === prefix && group.storageClass === storageClass)
      .map(placements.largeOf),
  );

/** Whether a change is below staying by so much that no reads make it a loss worth its name. */
function isGood(scan: Scan, change: Change, cost: Cost, staying: Cost): boolean {
  if (change.toClass !== INTELLIGENT_TIERING)
    return placements.isBelowIn(cost, staying, ['none', 'expected', 'heavy']);
  const least = placements.feesOf(scan, change).times(Fraction.of(5));
  return (['none', 'expected'] as const).every((at) =>
    least.isBelow(staying.total[at].minus(cost.total[at])),
  );
}

/** The best class for a group's large objects, null where staying is. */
export function bestChange(scan: Scan, bucket: Bucket, group: HeldGroup): Change | null {
  const large = placements.largeOf(group);
  const { prefix } = group;
  if (large.objects === 0 || !mayChange(bucket, prefix) || isMigrated(bucket, prefix)) return null;
  const pool = poolOfLarge(bucket, group);
  const staying = placements.stay(scan, [large], pool);
  const [best] = classesFor(group)
    .flatMap((toClass) => placements.changeTo(bucket, large, toClass) ?? [])
    .map((change) => ({ change, cost: placements.changed(scan, change, pool) }))
    .filter(({ change, cost }) => isGood(scan, change, cost, staying))
    .sort(placements.byTotal);
  return best?.change ?? null;
}

/** Over the horizon: some groups as they stay, and what each best change of them adds to it or takes from it. */
export function inPlace(
  scan: Scan,
  bucket: Bucket,
  groups: readonly HeldGroup[],
  staying: Cost,
): Cost['total'] {
  const changes = groups.flatMap((group) => {
    const change = bestChange(scan, bucket, group);
    if (change === null) return [];
    const pool = poolOfLarge(bucket, group);
    const before = placements.stay(scan, [change.large], pool);
    return [{ before, after: placements.changed(scan, change, pool) }];
  });
  return placements.ofEach((at) =>
    Fraction.sum([
      staying.total[at],
      ...changes.map(({ before, after }) => after.total[at].minus(before.total[at])),
    ]),
  );
}

/** Changes that are made together: from the first to the last of these age bands. */
export interface MergedChange {
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  readonly first: number;
  readonly last: number;
  readonly parts: readonly Change[];
}

/** The changes of one class in one age band: one for the bucket where all its prefixes agree, else one each. */
function bandChanges(
  there: readonly HeldGroup[],
  changes: readonly Change[],
  mayAgree: boolean,
): MergedChange[] {
  const targets = new Set(changes.map(({ toClass }) => toClass));
  const agree = mayAgree && changes.length === there.length && targets.size === 1;
  return (agree ? [changes] : changes.map((change) => [change])).flatMap((parts) => {
    const [one] = parts;
    if (one === undefined) return [];
    const { storageClass: fromClass, ageBand, prefix } = one.large;
    const { toClass } = one;
    const of = { fromClass, toClass, first: ageBand, last: ageBand, parts };
    return [Object.assign({ prefix: agree ? null : prefix }, of)];
  });
}

/** The changes of a bucket, merged: over prefixes, and then over bands with nothing of that class between them. */
export function mergeChanges(
  { groups, isRouted }: Bucket,
  changes: readonly Change[],
): MergedChange[] {
  const runs: MergedChange[] = [];
  for (const ageBand of AGE_STARTS_DAYS.keys())
    for (const fromClass of new Set(changes.map(({ large }) => large.storageClass))) {
      const isHere = (group: Group) =>
        group.storageClass === fromClass && group.ageBand === ageBand;
      const here = changes.filter(({ large }) => isHere(large));
      for (const band of bandChanges(groups.filter(isHere), here, isRouted !== true)) {
        const { prefix, toClass } = band;
        const isBetween = (run: MergedChange) => (group: Group) =>
          group.storageClass === fromClass &&
          (prefix === null || group.prefix === prefix) &&
          group.ageBand > run.last &&
          group.ageBand < ageBand;
        const at = runs.findIndex(
          (run) =>
            run.prefix === prefix &&
            run.fromClass === fromClass &&
            run.toClass === toClass &&
            !groups.some(isBetween(run)),
        );
        const run = runs[at];
        if (run === undefined) runs.push(band);
        else runs[at] = { ...run, last: ageBand, parts: [...run.parts, ...band.parts] };
      }
    }
  return runs;
}
