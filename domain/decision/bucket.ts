import { sumBy, groupBy } from '../common/sums.ts';
import type { BucketReads } from '../reads/reads.ts';
import { objectsAbove, sumStatistics, emptyStatistics } from '../inventory/statistics.ts';
import { REST_PREFIX } from '../inventory/bands.ts';
import {
  compareGroups,
  type BucketInventory,
  type Group,
  type MovedSelector,
} from '../inventory/inventory.ts';
import type { LeftAlonePatterns } from '../inventory/key-marks.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { bucketCode, isYoung, prefixCode } from './left-alone-rules.ts';
import type { MoveBreakdown, PricedObjects, PricedBucket, PricedGroup } from './model.ts';
import type { RegionRates, Target } from './region-rates.ts';
import type { LeftAloneCode } from './types.ts';

/** The objects that may move: not archived, and of a class with a price sheet. */
export function movable<T extends PricedObjects>(objects: readonly T[]): readonly T[] {
  return objects.filter(({ classRates }) => classRates.mayMove);
}

export function isArchived({ classRates }: PricedObjects): boolean {
  return classRates.hasSheet && classRates.sheet.archived;
}

/** Whether nothing of a prefix is moved, changed or deleted. */
export function isUntouched(
  { leftAlone, leftAlonePrefixes }: PricedBucket,
  prefix: string,
): boolean {
  return leftAlone === 'kept' || leftAlonePrefixes.get(prefix) === 'routed';
}

export function moveBreakdown(
  targets: readonly Target[],
  objects: readonly PricedObjects[],
): MoveBreakdown {
  const count = (some: readonly PricedObjects[]) =>
    sumBy(some, ({ statistics }) => statistics.objects);
  const total = sumStatistics(objects.map(({ statistics }) => statistics));
  return {
    classes: [...new Set(movable(objects).map(({ classRates }) => classRates.storageClass))],
    archivedObjects: count(objects.filter(isArchived)),
    unpricedObjects: count(objects.filter(({ classRates }) => !classRates.hasSheet)),
    longKeyObjects: total.longKeys ?? 0,
    tooLarge: targets
      .map((target) => ({ target, objects: objectsAbove(total, target.maxObjectBytes) }))
      .filter((each) => each.objects > 0),
  };
}

/**
 * The inventories by name, and the parts of each in one order, so that every sum over them is the
 * same to the last bit in any order of the input. Empty groups are left out.
 */
export function inOrder(inventories: readonly BucketInventory[]): readonly BucketInventory[] {
  return inventories
    .map((inventory) => ({
      ...inventory,
      groups: inventory.groups.filter(({ objects }) => objects > 0).sort(compareGroups),
      copied: inventory.copied.toSorted(compareGroups),
      moved: (inventory.moved ?? []).toSorted((a, b) => compareKeys(a.migrationId, b.migrationId)),
      oldVersions: inventory.oldVersions.toSorted(
        (a, b) =>
          compareKeys(a.storageClass, b.storageClass) ||
          a.ageBand - b.ageBand ||
          Number(a.isDeletable) - Number(b.isDeletable),
      ),
    }))
    .sort((a, b) => compareKeys(a.name, b.name));
}

/** What is known of a bucket besides its inventory. */
export interface BucketTerms {
  readonly region: RegionRates;
  readonly reads: BucketReads;
  readonly internetPerGb: number;
  readonly tierFactor: number | null;
  readonly patterns: LeftAlonePatterns;
  readonly startedAt: Date;
}

/**
 * An inventory in order, with its rates.
 *
 * @throws Error if it names a group twice: a defect.
 */
export function priceBucket(inventory: BucketInventory, terms: BucketTerms): PricedBucket {
  const { name, groups, incompleteUploads } = inventory;
  const { region, reads, internetPerGb, tierFactor, patterns, startedAt } = terms;
  const twice = groups.find((group, index) => {
    const next = groups[index + 1];
    return next && compareGroups(group, next) === 0;
  });
  if (twice) throw new Error(`${name} has two groups of ${twice.storageClass}`);
  const priced = groups.map((group) => priceGroup(region, group));
  const parts = ({ bytes }: { readonly bytes: number }) => {
    const { storageClass } = region.base;
    const statistics = { ...emptyStatistics(), bytes };
    return priceGroup(region, { ...statistics, prefix: REST_PREFIX, storageClass, ageBand: 0 });
  };
  return {
    inventory,
    region,
    reads,
    internetPerGb,
    tierFactor,
    groups: priced,
    totals: totalsByClass(priced),
    oldVersions: inventory.oldVersions.map((versions) => ({
      ...priceGroup(region, { ...versions, prefix: REST_PREFIX }),
      isDeletable: versions.isDeletable,
    })),
    uploadParts: parts(incompleteUploads),
    abortableParts: parts(incompleteUploads.abortable),
    copied: inventory.copied.map((group) => priceGroup(region, group)),
    migratedPrefixes: migratedPrefixes(inventory),
    leftAlone: bucketCode(inventory, patterns),
    leftAlonePrefixes: leftAlonePrefixes(inventory, priced, startedAt),
    isYoung: isYoung(inventory, startedAt),
  };
}

/** Counts the prefixes that hold what could move. Files of this service always count. */
function leftAlonePrefixes(
  inventory: BucketInventory,
  groups: readonly PricedGroup[],
  startedAt: Date,
): ReadonlyMap<string, LeftAloneCode> {
  const prefixes = [...groupBy(groups, ({ prefix }) => prefix)];
  return new Map(
    prefixes.flatMap(([prefix, ofPrefix]): [string, LeftAloneCode][] => {
      const code = prefixCode(inventory, prefix, ofPrefix, startedAt);
      return code && (code === 'routed' || movable(ofPrefix).length > 0) ? [[prefix, code]] : [];
    }),
  );
}

function migratedPrefixes({
  groups,
  copied,
  moved = [],
  approved = [],
}: BucketInventory): ReadonlySet<string> {
  const isMoved = (prefix: string) =>
    movedBy(moved, prefix) !== undefined || approved.includes(null) || approved.includes(prefix);
  return new Set([
    ...copied.map(({ prefix }) => prefix),
    ...groups.map(({ prefix }) => prefix).filter(isMoved),
  ]);
}

/** The migration that was to move the prefix, the last of several; undefined if none was. */
export function movedBy(
  moved: readonly MovedSelector[],
  prefix: string,
): MovedSelector | undefined {
  return moved.findLast((each) => each.prefix === null || each.prefix === prefix);
}

export function priceGroup(region: RegionRates, group: Group): PricedGroup {
  const { prefix, storageClass, ageBand } = group;
  const classRates = region.classes.get(storageClass) ?? region.base;
  return { prefix, classRates, ageBand, statistics: group };
}

/** One total for each class and age band, by class and age; all objects of one region. */
export function totalsByClass(objects: readonly PricedObjects[]): readonly PricedObjects[] {
  const parts = groupBy(
    objects,
    ({ classRates, ageBand }) => `${ageBand} ${classRates.storageClass}`,
  );
  return [...parts.values()]
    .map(([first, ...others]) => ({
      classRates: first.classRates,
      ageBand: first.ageBand,
      statistics: sumStatistics([first, ...others].map(({ statistics }) => statistics)),
    }))
    .sort(
      (a, b) =>
        compareKeys(a.classRates.storageClass, b.classRates.storageClass) || a.ageBand - b.ageBand,
    );
}
