import { formatCount } from '../format.ts';
import type { MoveBreakdown, PricedObjects } from './model.ts';
import type { Blocker } from './types.ts';

/** The objects that may move: archived ones never do, nor those of a class without a price sheet. */
export function movable<T extends PricedObjects>(objects: readonly T[]): readonly T[] {
  return objects.filter(({ classRates }) => classRates.mayMove);
}

export function isArchived({ classRates }: PricedObjects): boolean {
  return classRates.hasSheet && classRates.sheet.archived;
}

export function moveBreakdown(objects: readonly PricedObjects[]): MoveBreakdown {
  const count = (some: readonly PricedObjects[]) =>
    some.reduce((sum, { statistics }) => sum + statistics.objects, 0);
  return {
    classes: [...new Set(movable(objects).map(({ classRates }) => classRates.storageClass))],
    archivedObjects: count(objects.filter(isArchived)),
    unpricedObjects: count(objects.filter(({ classRates }) => !classRates.hasSheet)),
  };
}

export function restoreBlockers({ archivedObjects }: MoveBreakdown): readonly Blocker[] {
  if (archivedObjects === 0) return [];
  const message = `${formatCount(archivedObjects, 'object')} must be restored first and stay behind until then; the figures leave them out.`;
  return [{ code: 'needs_restore', message, objects: archivedObjects }];
}
