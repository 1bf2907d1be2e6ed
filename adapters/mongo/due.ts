import type { Filter } from 'mongodb';

/** Where a page of due documents ended. */
export interface DueCursor {
  readonly id: string;
  readonly nextAttemptAt: Date;
}

/** The longest due first. A sparse index has this order. */
export const DUE_ORDER = { nextAttemptAt: 1, _id: 1 } as const;

/** The documents whose `nextAttemptAt` is not after `before`, behind the cursor. */
export function dueFilter(
  before: Date,
  after: DueCursor | undefined,
): Filter<{ readonly _id: string; readonly nextAttemptAt?: Date }> {
  if (!after) return { nextAttemptAt: { $lte: before } };
  return {
    $or: [
      { nextAttemptAt: { $gt: after.nextAttemptAt, $lte: before } },
      { nextAttemptAt: after.nextAttemptAt, _id: { $gt: after.id } },
    ],
  };
}
