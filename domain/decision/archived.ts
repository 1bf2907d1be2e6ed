import { objectsAbove, sumStatistics } from '../inventory/statistics.ts';
import type { MoveBreakdown, PricedObjects, Target } from './model.ts';

/** The objects that may move: archived ones never do, nor those of a class without a price sheet. */
export function movable<T extends PricedObjects>(objects: readonly T[]): readonly T[] {
  return objects.filter(({ classRates }) => classRates.mayMove);
}

export function isArchived({ classRates }: PricedObjects): boolean {
  return classRates.hasSheet && classRates.sheet.archived;
}

export function moveBreakdown(
  targets: readonly Target[],
  objects: readonly PricedObjects[],
): MoveBreakdown {
  const count = (some: readonly PricedObjects[]) =>
    some.reduce((sum, { statistics }) => sum + statistics.objects, 0);
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
