import { addSeconds } from '../../domain/common/time.ts';
import type { DueList } from './common/due.ts';
import { OUTBOXES, type Outbox } from './common/outbox.ts';
import type { Files } from './uploads/files.ts';
import type { Deliveries } from './webhooks/deliveries.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** Work that the sweeps have not done in time. */
export interface OverdueWork {
  /** How long ago the longest due document of each sweep was due; 0 if none is. */
  readonly sweeps: readonly { readonly sweep: Sweep; readonly overdueSeconds: number }[];
  /** Deletes repeated for over an hour, or held for a store; counted up to 10,000. */
  readonly refusedDeletes: number;
  /** Stores of accounts that refuse their work, while files wait for them. */
  readonly pausedStores: number;
  /** Webhooks to which nothing is sent, of at most 10,000 accounts. */
  readonly disabledWebhooks: number;
  /** Deliveries that failed for good within the last day; counted up to 10,000. */
  readonly failedDeliveries: number;
}

type Sweep = 'uploads' | 'scans' | 'schedules' | 'migrations' | 'webhooks';

const FAILED_WITHIN_SECONDS = 86_400;
interface DueRecords {
  readonly due: Oldest;
}

type Oldest = Pick<DueList<unknown>, 'oldest'>;

interface SweptRecords extends Readonly<
  Record<
    | 'formerPlaces'
    | 'scans'
    | 'connections'
    | 'recommendations'
    | 'releases'
    | 'relocations'
    | 'drills'
    | 'drillSchedules',
    DueRecords
  >
> {
  readonly files: Files;
  readonly outbox: Outbox;
  readonly deliveries: Deliveries;
  readonly webhooks: Webhooks;
}

/** Reads what is overdue, for the alarms. Every query uses an index. */
export async function readOverdueWork(records: SweptRecords, now: Date): Promise<OverdueWork> {
  const { files, outbox, deliveries, webhooks } = records;
  const secondsSince = (at: Date | undefined) =>
    at ? Math.max(0, now.getTime() - at.getTime()) / 1_000 : 0;
  const overdue = async (sweep: Sweep, ...kinds: readonly Oldest[]) => {
    const oldest = await Promise.all(kinds.map((due) => due.oldest(now)));
    return { sweep, overdueSeconds: Math.max(...oldest.map(secondsSince)) };
  };
  const countPaused = async () => {
    const held = await files.listHeld();
    return new Set(held.map(({ at }) => JSON.stringify([at.accountId, at.store]))).size;
  };
  const failedSince = addSeconds(now, -FAILED_WITHIN_SECONDS);
  const [refusedDeletes, pausedStores, disabledWebhooks, failedDeliveries, ...sweeps] =
    await Promise.all([
      files.countRefusedDeletes(),
      countPaused(),
      webhooks.countDisabled(),
      deliveries.countFailed(failedSince),
      overdue('uploads', files.due, records.formerPlaces.due),
      overdue('scans', records.scans.due),
      overdue('schedules', records.connections.due, records.drillSchedules.due),
      overdue(
        'migrations',
        records.recommendations.due,
        records.releases.due,
        records.relocations.due,
        records.drills.due,
      ),
      // An event waits in an outbox, then its deliveries wait.
      overdue('webhooks', deliveries.due, ...OUTBOXES.map((name) => outbox.due(name))),
    ]);
  return { sweeps, refusedDeletes, pausedStores, disabledWebhooks, failedDeliveries };
}
