import type { Group } from '../../domain/inventory/inventory.ts';
import * as costs from './costs.ts';
import { AGE_STARTS_DAYS } from './inventory.ts';
import { AWS, targetsOf } from './prices.ts';
import type { Bucket, HeldGroup, Scan } from './storage.ts';

/** Section 4, rules 2 and 4: changes of class in place. */

/** The classes that a group may change to, in the order that decides ties. */
function classesFor({ provider, storageClass, ageBand }: HeldGroup): readonly string[] {
  if (provider !== AWS) return [];
  if (storageClass === 'STANDARD' && ageBand >= 1) return ['STANDARD_IA', 'GLACIER_IR'];
  return ['STANDARD', 'STANDARD_IA'].includes(storageClass) ? ['GLACIER_IR'] : [];
}

/** The group's objects of 128 KiB and more. */
function largeOf(group: HeldGroup): HeldGroup {
  const objects = group.objects - group.smallObjects;
  return {
    ...group,
    objects,
    bytes: group.bytes - group.smallBytes,
    smallObjects: 0,
    smallBytes: 0,
    undersized: (group.undersized ?? [])
      .filter(({ minBytes }) => minBytes > 131_072)
      .map(({ minBytes, ...below }) => ({
        minBytes,
        objects: below.objects - group.smallObjects,
        bytes: below.bytes - group.smallBytes,
      })),
  };
}

/** The group's objects below 128 KiB. */
function smallOf(group: HeldGroup): HeldGroup {
  return { ...group, objects: group.smallObjects, bytes: group.smallBytes, partRequests: 0 };
}

/** One group that does better in another class. */
export interface GroupChange {
  /** Its objects of 128 KiB and more. */
  readonly large: HeldGroup;
  readonly storageClass: string;
  readonly confidenceTenths: number;
}

/** The best class for a group, null where staying is. */
export function changeOf(scan: Scan, group: HeldGroup): GroupChange | null {
  const large = largeOf(group);
  if (large.objects === 0) return null;
  const staying = costs.stay(scan, [large]);
  const choices = classesFor(group).map((storageClass) => ({
    storageClass,
    cost: costs.change(scan, [large], storageClass),
  }));
  const better = choices.filter(({ cost }) => costs.isAlwaysBelow(cost, staying));
  const [best] = better.sort(costs.byTotal);
  if (best === undefined) return null;
  const moved = targetsOf(scan.source).map((target) => costs.move(scan, [large], target));
  const all = [staying, ...choices.map(({ cost }) => cost), ...moved];
  const confidenceTenths = costs.confidenceTenths(scan, best.cost, staying, all);
  return { large, storageClass: best.storageClass, confidenceTenths };
}

/** Some groups where they are, each in its best class. */
export function inPlace(scan: Scan, groups: readonly HeldGroup[]): costs.Cost {
  const parts = groups.flatMap((group) => {
    const change = changeOf(scan, group);
    if (change === null) return [costs.stay(scan, [group])];
    const changed = costs.change(scan, [change.large], change.storageClass);
    return [costs.stay(scan, [smallOf(group)]), changed];
  });
  return costs.add(scan, parts);
}

/** Groups that change together: from the first to the last of these age bands. */
export interface MergedChange {
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  readonly first: number;
  readonly last: number;
  readonly parts: readonly GroupChange[];
}

/** The changes of one class in one age band: one for the bucket where all its prefixes agree, else one each. */
function bandChanges(
  there: readonly HeldGroup[],
  changes: readonly GroupChange[],
  mayAgree: boolean,
): MergedChange[] {
  const here = changes.filter(({ large }) => there.some(({ prefix }) => prefix === large.prefix));
  const targets = new Set(here.map(({ storageClass }) => storageClass));
  const agree = mayAgree && here.length === there.length && targets.size === 1;
  return (agree ? [here] : here.map((change) => [change])).flatMap((parts) => {
    const [{ large, storageClass: toClass } = { large: undefined, storageClass: '' }] = parts;
    if (large === undefined) return [];
    const { storageClass: fromClass, ageBand } = large;
    const prefix = agree ? null : large.prefix;
    return [{ prefix, fromClass, toClass, first: ageBand, last: ageBand, parts }];
  });
}

/** The changes of a bucket, merged by rule 4: also over bands without objects of that class and prefix. */
export function mergeChanges(
  { groups, isRouted }: Bucket,
  changes: readonly GroupChange[],
): readonly MergedChange[] {
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
