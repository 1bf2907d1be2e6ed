import type { Db, Filter } from 'mongodb';

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

/** What the sweeps have left undone. */
export interface OverdueWork {
  /** How long ago the longest due document of each sweep was due; 0 where none is. */
  readonly sweeps: readonly { readonly sweep: Sweep; readonly overdueSeconds: number }[];
  /** Deletes that have been repeated for over an hour and have not stopped; counted up to 10,000. */
  readonly refusedDeletes: number;
}

type Sweep = 'uploads' | 'scans' | 'migrations';
const SWEPT: readonly (readonly [Sweep, string])[] = [
  ['uploads', 'files'],
  ['scans', 'scans'],
  ['migrations', 'recommendations'],
];
/** The sixth attempt is an hour after the first. */
const REFUSED_ATTEMPTS = 6;
const MOST_COUNTED = 10_000;

/** Reads what is overdue, for the alarms. Both questions are answered by sparse indexes. */
export async function readOverdueWork(db: Db, now: Date): Promise<OverdueWork> {
  const sweeps = SWEPT.map(async ([sweep, collection]) => {
    const [longest] = await db
      .collection<{ readonly _id: string; readonly nextAttemptAt?: Date }>(collection)
      .find(dueFilter(now, undefined), { projection: { nextAttemptAt: 1 } })
      .sort(DUE_ORDER)
      .limit(1)
      .toArray();
    const dueAt = longest?.nextAttemptAt ?? now;
    return { sweep, overdueSeconds: (now.getTime() - dueAt.getTime()) / 1_000 };
  });
  const refused = { attempts: { $gte: REFUSED_ATTEMPTS }, status: 'deleting' };
  const [refusedDeletes, ...overdue] = await Promise.all([
    db.collection('files').countDocuments(refused, { limit: MOST_COUNTED }),
    ...sweeps,
  ]);
  return { sweeps: overdue, refusedDeletes };
}
