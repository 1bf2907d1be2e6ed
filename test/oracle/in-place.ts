import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { confidenceTenths } from './confidence.ts';
import { AGE_STARTS_DAYS, compareUtf8 } from './inventory.ts';
import * as costs from './costs.ts';
import type { Cost } from './costs.ts';
import { TARGETS } from './prices.ts';
import type { ScanBytes } from './storage.ts';

/** Section 4, rules 2 and 4: changes of class in place. */

/** The classes that a group may change to, in the order that decides ties. */
function classesFor({ storageClass, ageBand }: Group): readonly string[] {
  if (storageClass === 'STANDARD') {
    return ageBand >= 1 ? ['STANDARD_IA', 'GLACIER_IR'] : ['GLACIER_IR'];
  }
  return storageClass === 'STANDARD_IA' ? ['GLACIER_IR'] : [];
}

/** The group's objects of 128 KiB and more. */
function largeOf(group: Group): Group {
  return {
    ...group,
    objects: group.objects - group.smallObjects,
    bytes: group.bytes - group.smallBytes,
    smallObjects: 0,
    smallBytes: 0,
  };
}

/** The group's objects below 128 KiB. */
export function smallOf(group: Group): Group {
  return { ...group, objects: group.smallObjects, bytes: group.smallBytes, partRequests: 0 };
}

/** One group that does better in another class. */
export interface GroupChange {
  /** Its objects of 128 KiB and more. */
  readonly large: Group;
  readonly storageClass: string;
  readonly confidenceTenths: number;
}

/** The best class for a group, null where staying is. */
export function changeOf(
  scan: ScanBytes,
  region: string,
  group: Group,
  horizonMonths: number,
): GroupChange | null {
  const large = largeOf(group);
  if (large.objects === 0) return null;
  const staying = costs.stay(scan, region, [large]);
  const choices = classesFor(group).map((storageClass) => ({
    storageClass,
    cost: costs.change(region, [large], storageClass),
  }));
  const better = choices.filter(({ cost }) =>
    costs.SCENARIOS.every((scenario) =>
      costs
        .total(cost, scenario, horizonMonths)
        .isBelow(costs.total(staying, scenario, horizonMonths)),
    ),
  );
  const [best] = better.sort(costs.byTotal(horizonMonths));
  if (best === undefined) return null;
  const all = [
    staying,
    ...choices.map(({ cost }) => cost),
    ...TARGETS.map((target) => costs.move(scan, region, [large], target)),
  ];
  return {
    large,
    storageClass: best.storageClass,
    confidenceTenths: confidenceTenths(best.cost, staying, all, horizonMonths),
  };
}

/** Some groups where they are, each in its best class. */
export function inPlace(
  scan: ScanBytes,
  region: string,
  groups: readonly Group[],
  horizonMonths: number,
): Cost {
  return costs.add(
    groups.flatMap((group) => {
      const change = changeOf(scan, region, group, horizonMonths);
      if (change === null) return [costs.stay(scan, region, [group])];
      return [
        costs.stay(scan, region, [smallOf(group)]),
        costs.change(region, [change.large], change.storageClass),
      ];
    }),
  );
}

/** Groups that change together. */
export interface MergedChange {
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  readonly minAgeDays: number | null;
  readonly maxAgeDays: number | null;
  readonly parts: readonly GroupChange[];
}

interface BandChange {
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  readonly ageBand: number;
  readonly parts: readonly GroupChange[];
}

/** The changes of one class in one age band: one for the bucket where all its prefixes agree, else one each. */
function bandChanges(there: readonly Group[], changes: readonly GroupChange[]): BandChange[] {
  const here = changes.filter(({ large }) =>
    there.some(
      ({ prefix, storageClass, ageBand }) =>
        prefix === large.prefix && storageClass === large.storageClass && ageBand === large.ageBand,
    ),
  );
  const [some] = here;
  if (some === undefined) return [];
  const { storageClass: fromClass, ageBand } = some.large;
  const agree =
    here.length === there.length &&
    here.every(({ storageClass }) => storageClass === some.storageClass);
  if (agree) {
    return [{ prefix: null, fromClass, toClass: some.storageClass, ageBand, parts: here }];
  }
  return here.map((change) => ({
    prefix: change.large.prefix,
    fromClass,
    toClass: change.storageClass,
    ageBand,
    parts: [change],
  }));
}

/** Merges adjacent bands, also over bands without objects of that class and prefix. */
function mergeBands(groups: readonly Group[], bands: readonly BandChange[]): BandChange[][] {
  const runs: BandChange[][] = [];
  for (const band of [...bands].sort((a, b) => a.ageBand - b.ageBand)) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const isBetween = (group: Group): boolean =>
      before !== undefined &&
      group.storageClass === band.fromClass &&
      (band.prefix === null || group.prefix === band.prefix) &&
      group.ageBand > before.ageBand &&
      group.ageBand < band.ageBand;
    if (run === undefined || groups.some(isBetween)) runs.push([band]);
    else run.push(band);
  }
  return runs;
}

/** The changes of a bucket, merged by rule 4. */
export function mergeChanges(
  { groups }: BucketInventory,
  changes: readonly GroupChange[],
): MergedChange[] {
  const classes = [...new Set(changes.map(({ large }) => large.storageClass))].sort(compareUtf8);
  return classes.flatMap((fromClass) => {
    const byBand = AGE_STARTS_DAYS.flatMap((_, ageBand) =>
      bandChanges(
        groups.filter((group) => group.storageClass === fromClass && group.ageBand === ageBand),
        changes,
      ),
    );
    const alike = new Map<string, BandChange[]>();
    for (const band of byBand) {
      const key = JSON.stringify([band.prefix, band.toClass]);
      alike.set(key, [...(alike.get(key) ?? []), band]);
    }
    return [...alike.values()]
      .flatMap((bands) => mergeBands(groups, bands))
      .flatMap((run) => {
        const [youngest] = run;
        const oldest = run.at(-1);
        if (youngest === undefined || oldest === undefined) return [];
        const { prefix, toClass } = youngest;
        return [
          {
            prefix,
            fromClass,
            toClass,
            minAgeDays: youngest.ageBand === 0 ? null : (AGE_STARTS_DAYS[youngest.ageBand] ?? null),
            maxAgeDays: AGE_STARTS_DAYS[oldest.ageBand + 1] ?? null,
            parts: run.flatMap(({ parts }) => parts),
          },
        ];
      });
  });
}
