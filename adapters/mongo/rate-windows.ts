import type { Db } from 'mongodb';
import { isDuplicate } from './open.ts';

interface RateWindowDocument {
  readonly _id: string;
  readonly startsAt: Date;
  readonly taken: number;
}

export interface RateLease {
  readonly subject: string;
  /** The beginning of the window. */
  readonly startsAt: Date;
  readonly limit: number;
  /** How many calls the process would like to let in. */
  readonly wanted: number;
}

/** What all API processes together have let in, by subject and window. */
export interface RateWindows {
  /** How many of the wanted calls may be let in; fewer than wanted means that the window is used up. */
  lease(lease: RateLease): Promise<number>;
  /** Forgets windows that began before a moment. */
  forget(before: Date): Promise<void>;
}

export function createRateWindows(db: Db): RateWindows {
  const windows = db.collection<RateWindowDocument>('rateWindows');

  /** How much had been taken before this call took its share. */
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
        // Two processes opened the window at once; it is there now.
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
