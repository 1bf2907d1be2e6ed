import type { Db } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { DrillRecord, DrillStatus, DrillUse } from '../../../domain/drills/drill.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { noting } from '../common/outbox.ts';
import { RunsAtPlaces } from '../relocations/runs-at-places.ts';

export type DrillKey = Pick<DrillRecord, 'drillId' | 'accountId'>;
type Ended = Pick<DrillRecord, 'used' | 'results' | 'removed' | 'left' | 'completedAt' | 'error'> &
  Pick<DrillRecord, 'status' | 'certificateHead' | 'certificateSha256'>;

/** The exit drills of all accounts. A status changes by a write that demands the one before. */
export class Drills extends RunsAtPlaces<'drillId', DrillRecord> {
  constructor(db: Db) {
    super(db, 'drills', 'drillId');
  }

  /** To the next step, unless another worker has come further. */
  async advance(
    drillId: string,
    from: DrillStatus,
    to: DrillStatus,
    found: Partial<Pick<DrillRecord, 'sampled' | 'removingSince'>> = {},
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: drillId, status: from },
      {
        $set: { status: to, page: 0, ...found },
      },
    );
  }

  /** Pages before it are done. What others have stored of the page counts. */
  async savePage({
    drillId,
    status,
    page,
  }: Pick<DrillRecord, 'drillId' | 'status' | 'page'>): Promise<void> {
    await this.stored.updateOne(
      { _id: drillId, status, page },
      {
        $set: { page: page + 1 },
      },
    );
  }

  /** Adds what a slice has used. The end has counted its own. */
  async addUse(drillId: string, used: DrillUse, copyMs: number): Promise<void> {
    const { requests, usd, bytesRead, bytesReadBack } = used;
    const took = {
      copyMs,
      'used.requests': requests,
      'used.usd': usd,
      'used.bytesRead': bytesRead,
      'used.bytesReadBack': bytesReadBack,
    };
    await this.stored.updateOne({ _id: drillId, runs: { $exists: true } }, { $inc: took });
  }

  /** The keys that the target has not deleted yet. */
  async saveLeft(drillId: string, left: readonly string[]): Promise<void> {
    await this.stored.updateOne({ _id: drillId, status: 'removing' }, { $set: { left } });
  }

  /** removing → its end. From then on another one of the place may begin. */
  async end(
    drillId: string,
    ended: Ended,
    activity: Activity,
    events: readonly ServiceEvent[],
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: drillId, status: 'removing' },
      {
        $set: ended,
        $unset: { runs: true, nextAttemptAt: true },
        ...noting(activity, events),
      },
    );
  }
}
