import { objectsAbove, sumStatistics, emptyStatistics } from '../inventory/statistics.ts';
import type {
  BucketRates,
  BucketReads,
  MoveBreakdown,
  PricedObjects,
  Target,
  PricedBucket,
  PricedGroup,
  RegionRates,
} from './model.ts';
import { UPLOADS_PREFIX } from '../common/file-keys.ts';
import { REST_PREFIX } from '../inventory/bands.ts';
import { sumBy } from './amounts.ts';
import {
  compareGroups,
  type BucketInventory,
  type Group,
  type MovedSelector,
} from '../inventory/inventory.ts';
import { compareKeys } from '../inventory/key-order.ts';

/** The objects that may move: archived ones never do, nor those of a class without a price sheet. */
export function movable<T extends PricedObjects>(objects: readonly T[]): readonly T[] {
  return objects.filter(({ classRates }) => classRates.mayMove);
}

/** The current objects of a bucket that may move: nothing of what is left alone. */
export function movableGroups({ groups, leftAlone }: PricedBucket): readonly PricedGroup[] {
  return movable(groups).filter(({ prefix }) => !leftAlone.has(prefix));
}

export function isArchived({ classRates }: PricedObjects): boolean {
  return classRates.hasSheet && classRates.sheet.archived;
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

/** Items by a key, in the order of their first appearance. */
export function groupBy<T>(
  items: readonly T[],
  toKey: (item: T) => string,
): ReadonlyMap<string, [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = groups.get(toKey(item));
    if (known) known.push(item);
    else groups.set(toKey(item), [item]);
  }
  return groups;
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
      oldVersions: inventory.oldVersions.toSorted((a, b) =>
        compareKeys(a.storageClass, b.storageClass),
      ),
    }))
    .sort((a, b) => compareKeys(a.name, b.name));
}

/**
 * An inventory in order, with its rates.
 *
 * @throws Error if it names a group twice, or `rates` lacks it: defects.
 */
export function priceBucket(
  inventory: BucketInventory,
  rates: ReadonlyMap<string, BucketRates>,
  reads: BucketReads,
): PricedBucket {
  const { name, groups } = inventory;
  const ofBucket = rates.get(name);
  if (!ofBucket) throw new Error(`no rates for ${name}`);
  const { region, ofOldVersions, targets, hasMeasuredTiers } = ofBucket;
  const twice = groups.find((group, index) => {
    const next = groups[index + 1];
    return next && compareGroups(group, next) === 0;
  });
  if (twice) throw new Error(`${name} has two groups of ${twice.storageClass}`);
  const priced = groups.map((group) => priceGroup(region, group));
  return {
    inventory,
    reads,
    hasMeasuredTiers,
    region,
    targets,
    groups: priced,
    totals: totalsByClass(priced),
    oldVersions: inventory.oldVersions.map((statistics) =>
      priceGroup(ofOldVersions, { ...statistics, prefix: REST_PREFIX, ageBand: 0 }),
    ),
    uploadParts: priceGroup(region, {
      ...emptyStatistics(),
      bytes: inventory.incompleteUploads.bytes,
      prefix: REST_PREFIX,
      storageClass: region.base.storageClass,
      ageBand: 0,
    }),
    copied: inventory.copied.map((group) => priceGroup(region, group)),
    migratedPrefixes: migratedPrefixes(inventory),
    leftAlone: new Map(inventory.isRouted ? [[UPLOADS_PREFIX, 'routed']] : []),
  };
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

/** @throws Error for an age band that does not exist: a defect of the inventory. */
export function priceGroup(region: RegionRates, group: Group): PricedGroup {
  const { prefix, storageClass, ageBand } = group;
  const classRates = region.classes.get(storageClass) ?? region.base;
  const rates = classRates.bands[ageBand];
  if (!rates) throw new Error(`no age band ${ageBand}`);
  return { prefix, classRates, ageBand, rates, statistics: group };
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
      rates: first.rates,
      statistics: sumStatistics([first, ...others].map(({ statistics }) => statistics)),
    }))
    .sort(
      (a, b) =>
        compareKeys(a.classRates.storageClass, b.classRates.storageClass) || a.ageBand - b.ageBand,
    );
}
