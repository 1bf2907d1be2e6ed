import type { Filter } from 'mongodb';
import { addSeconds } from '../../domain/common/time.ts';

/** Where the pages of due documents have come to. */
export interface DueCursor {
  readonly nextAttemptAt: Date;
  /** The documents of that time so far. */
  readonly ids: readonly string[];
}

export interface DueDocument {
  readonly id: string;
  readonly nextAttemptAt: Date;
}

/**
 * The longest due first: the order of an index on this field alone. A sparse index on two fields, `_id` among
 * them, would hold every document.
 */
export const DUE_ORDER = { nextAttemptAt: 1 } as const;

/** The cursor after one more page. */
export function afterPage(
  before: DueCursor | undefined,
  page: readonly DueDocument[],
): DueCursor | undefined {
  const last = page.at(-1)?.nextAttemptAt;
  if (!last) return before;
  const isLast = ({ nextAttemptAt }: { readonly nextAttemptAt: Date }) =>
    nextAttemptAt.getTime() === last.getTime();
  const known = before && isLast(before) ? before.ids : [];
  return { nextAttemptAt: last, ids: [...known, ...page.filter(isLast).map(({ id }) => id)] };
}

/** The documents whose `nextAttemptAt` is not after `before`, after the cursor. */
export function dueFilter(
  before: Date,
  after: DueCursor | undefined,
): Filter<{ readonly _id: string; readonly nextAttemptAt?: Date }> {
  if (!after) return { nextAttemptAt: { $lte: before } };
  return {
    nextAttemptAt: { $gte: after.nextAttemptAt, $lte: before },
    _id: { $nin: [...after.ids] },
  };
}

/** Work that the sweeps have not done in time. */
export interface OverdueWork {
  /** How long ago the longest due document of each sweep was due; 0 if none is. */
  readonly sweeps: readonly { readonly sweep: Sweep; readonly overdueSeconds: number }[];
  /** Deletes that have been repeated for over an hour and have not stopped; counted up to 10,000. */
  readonly refusedDeletes: number;
  /** Webhooks that are told nothing; of at most 10,000 accounts. */
  readonly disabledWebhooks: number;
  /** Deliveries that failed for good within the last day; counted up to 10,000. */
  readonly failedDeliveries: number;
}

type Sweep = 'uploads' | 'scans' | 'schedules' | 'migrations' | 'webhooks';

const FAILED_WITHIN_SECONDS = 86_400;
type FindDue = (
  before: Date,
  after: DueCursor | undefined,
  limit: number,
) => Promise<readonly { readonly nextAttemptAt: Date }[]>;

interface SweptRecords {
  readonly files: { readonly findDue: FindDue; countRefusedDeletes(): Promise<number> };
  readonly scans: { readonly findDue: FindDue };
  readonly connections: { readonly findDue: FindDue };
  readonly recommendations: { readonly findDue: FindDue };
  readonly events: { findOldest(): Promise<Date | undefined> };
  readonly deliveries: { readonly findDue: FindDue; countFailed(since: Date): Promise<number> };
  readonly webhooks: { countDisabled(): Promise<number> };
}

/** Reads what is overdue, for the alarms. Every query uses an index. */
export async function readOverdueWork(records: SweptRecords, now: Date): Promise<OverdueWork> {
  const { files, scans, connections, recommendations, events, deliveries, webhooks } = records;
  const oldestDue = async (findDue: FindDue) =>
    (await findDue(now, undefined, 1))[0]?.nextAttemptAt;
  const secondsSince = (at: Date | undefined) =>
    at ? Math.max(0, now.getTime() - at.getTime()) / 1_000 : 0;
  const overdue = async (sweep: Sweep, findDue: FindDue) => ({
    sweep,
    overdueSeconds: secondsSince(await oldestDue(findDue)),
  });
  /** An event waits until it is published, then its deliveries do. */
  const untold = async () => {
    const waiting = await Promise.all([events.findOldest(), oldestDue(deliveries.findDue)]);
    const overdueSeconds = Math.max(...waiting.map(secondsSince));
    return { sweep: 'webhooks' as const, overdueSeconds };
  };
  const failedSince = addSeconds(now, -FAILED_WITHIN_SECONDS);
  const [refusedDeletes, disabledWebhooks, failedDeliveries, ...sweeps] = await Promise.all([
    files.countRefusedDeletes(),
    webhooks.countDisabled(),
    deliveries.countFailed(failedSince),
    overdue('uploads', files.findDue),
    overdue('scans', scans.findDue),
    overdue('schedules', connections.findDue),
    overdue('migrations', recommendations.findDue),
    untold(),
  ]);
  return { sweeps, refusedDeletes, disabledWebhooks, failedDeliveries };
}
