import type { Migration, Release } from '@storage-routing/client';
import { formatCode } from './code.ts';

/** What a reader can do next with a migration. */
export type NextStep = 'wait' | 'check' | 'round' | 'delete' | 'none';

/**
 * | the migration             | the latest check of its source        | next   |
 * | ------------------------- | ------------------------------------- | ------ |
 * | runs                      | any                                   | wait   |
 * | has saved                 | any                                   | none   |
 * | failed, or objects failed | any but one that is ready             | round  |
 * | ended                     | none, failed, or out of date          | check  |
 * | ended                     | under way                             | wait   |
 * | ended                     | has found differences                 | round  |
 * | ended                     | only that the target was changed      | check  |
 * | ended                     | is ready                              | delete |
 */
export function nextStep(migration: Migration, release: Release | null): NextStep {
  const { completedAt, status, progress, realised } = migration;
  if (completedAt === null || release?.status === 'checking') return 'wait';
  if (realised?.state === 'released') return 'none';
  if (release?.status === 'ready') return 'delete';
  const isWhole = status === 'completed' || status === 'completed_with_failures';
  if (!isWhole || progress.objectsFailed > 0) return 'round';
  return release && hasToCopy(release) && !isOutdated(migration, release) ? 'round' : 'check';
}

/** A round does not copy objects that another writer has changed at the target. */
function hasToCopy({ differences: { total, items } }: Release): boolean {
  return total > items.length || items.some(({ code }) => code !== 'target_differs');
}

/** Whether a round has ended since the check. */
function isOutdated({ completedAt }: Migration, { checkedAt }: Release): boolean {
  return checkedAt === null || (completedAt !== null && completedAt > checkedAt);
}

const DIFFERENCES: Readonly<Record<string, string>> = {
  new: 'It came after the latest round.',
  changed: 'It was changed after it was copied.',
  not_copied: 'Its copy failed.',
  target_missing: 'The target no longer has it.',
  target_differs:
    'Another writer has changed it at the target since it was copied. A round leaves it as it is.',
};

/** @param code of a difference */
export function formatDifference(code: string): string {
  return DIFFERENCES[code] ?? formatCode(code);
}
