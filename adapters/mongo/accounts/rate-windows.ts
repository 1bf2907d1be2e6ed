import type { Collection, Db } from 'mongodb';
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
export class RateWindows {
  readonly #windows: Collection<RateWindowDocument>;

  constructor(db: Db) {
    this.#windows = db.collection('rateWindows');
  }

  /** The number of granted calls; fewer than `wanted`: the window is used up. */
  async lease(lease: RateLease): Promise<number> {
    const taken = await this.#take(lease).catch((error: unknown) => {
      // Another process created the window at the same time.
      if (isDuplicate(error)) return this.#take(lease);
      throw error;
    });
    return Math.max(0, Math.min(lease.wanted, lease.limit - taken));
  }

  /** Deletes windows that began earlier. */
  async forget(time: Date): Promise<void> {
    await this.#windows.deleteMany({ startsAt: { $lt: time } });
  }

  /** The calls granted before this lease. */
  async #take({ subject, startsAt, wanted }: RateLease): Promise<number> {
    const previous = await this.#windows.findOneAndUpdate(
      { _id: `${startsAt.toISOString()} ${subject}` },
      { $inc: { taken: wanted }, $setOnInsert: { startsAt } },
      { upsert: true, returnDocument: 'before' },
    );
    return previous?.taken ?? 0;
  }
}
