import { addSeconds } from '../../domain/common/time.ts';
import type { DueQuery } from './due.ts';
import type { Files } from './files.ts';

/** Work that the sweeps have not done in time. */
export interface OverdueWork {
  /** How long ago the longest due document of each sweep was due; 0 if none is. */
  readonly sweeps: readonly { readonly sweep: Sweep; readonly overdueSeconds: number }[];
  /** Deletes that have been repeated for over an hour, or wait at a store that refuses them; counted up to 10,000. */
  readonly refusedDeletes: number;
  /** Stores of accounts that refuse their work, while files wait for them. */
  readonly pausedStores: number;
  /** Webhooks that are told nothing; of at most 10,000 accounts. */
  readonly disabledWebhooks: number;
  /** Deliveries that failed for good within the last day; counted up to 10,000. */
  readonly failedDeliveries: number;
}

type Sweep = 'uploads' | 'scans' | 'schedules' | 'migrations' | 'webhooks';

const FAILED_WITHIN_SECONDS = 86_400;
type FindDue = (query: DueQuery) => Promise<readonly { readonly nextAttemptAt: Date }[]>;

interface SweptRecords {
  readonly files: { readonly findDue: FindDue } & Pick<Files, 'countRefusedDeletes' | 'listHeld'>;
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
  const oldestDue = async (find: FindDue) =>
    (await find({ before: now, limit: 1 }))[0]?.nextAttemptAt;
  const secondsSince = (at: Date | undefined) =>
    at ? Math.max(0, now.getTime() - at.getTime()) / 1_000 : 0;
  const overdue = async (sweep: Sweep, find: FindDue) => ({
    sweep,
    overdueSeconds: secondsSince(await oldestDue(find)),
  });
  /** An event waits until it is published, then its deliveries do. */
  const untold = async () => {
    const waiting = await Promise.all([events.findOldest(), oldestDue(deliveries.findDue)]);
    const overdueSeconds = Math.max(...waiting.map(secondsSince));
    return { sweep: 'webhooks' as const, overdueSeconds };
  };
  const countPaused = async () => {
    const held = await files.listHeld();
    return new Set(held.map(({ at }) => JSON.stringify([at.accountId, at.provider]))).size;
  };
  const failedSince = addSeconds(now, -FAILED_WITHIN_SECONDS);
  const [refusedDeletes, pausedStores, disabledWebhooks, failedDeliveries, ...sweeps] =
    await Promise.all([
      files.countRefusedDeletes(),
      countPaused(),
      webhooks.countDisabled(),
      deliveries.countFailed(failedSince),
      overdue('uploads', files.findDue),
      overdue('scans', scans.findDue),
      overdue('schedules', connections.findDue),
      overdue('migrations', recommendations.findDue),
      untold(),
    ]);
  return { sweeps, refusedDeletes, pausedStores, disabledWebhooks, failedDeliveries };
}
