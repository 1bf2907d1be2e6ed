import type { Db } from 'mongodb';
import { isDuplicate } from '../common/open.ts';

interface RateWindowDocument {
  readonly _id: string;
  readonly startsAt: Date;
  readonly taken: number;
}

export interface RateLease {
  readonly subject: string;
  /** The start of the window. */
  readonly startsAt: Date;
  readonly limit: number;
  /** The number of requested calls. */
  readonly wanted: number;
}

/** The calls that all API processes together have accepted, by subject and window. */
export interface RateWindows {
  /** The number of granted calls; fewer than `wanted`: the window is used up. */
  lease(lease: RateLease): Promise<number>;
  /** Deletes windows that began earlier. */
  forget(before: Date): Promise<void>;
}

export function createRateWindows(db: Db): RateWindows {
  const windows = db.collection<RateWindowDocument>('rateWindows');

  /** The calls granted before this lease. */
  async function take({ subject, startsAt, wanted }: RateLease): Promise<number> {
    const before = await windows.findOneAndUpdate(
      { _id: `${startsAt.toISOString()} ${subject}` },
      { $inc: { taken: wanted }, $setOnInsert: { startsAt } },
      { upsert: true, returnDocument: 'before' },
    );
    return before?.taken ?? 0;
  }

  return {
    async lease(lease) {
      const taken = await take(lease).catch((error: unknown) => {
        // Another process created the window at the same time.
        if (isDuplicate(error)) return take(lease);
        throw error;
      });
      return Math.max(0, Math.min(lease.wanted, lease.limit - taken));
    },

    async forget(before) {
      await windows.deleteMany({ startsAt: { $lt: before } });
    },
  };
}
