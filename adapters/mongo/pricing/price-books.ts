import { matches } from '../common/open.ts';
import type { Collection, Db } from 'mongodb';

interface PriceBookDocument {
  /** The id of its content. */
  readonly _id: string;
  /** When the first of the processes that have it has begun, without a pause since. */
  readonly since: Date;
  readonly seenAt: Date;
}

/** A process announces its price book this often. */
export const ANNOUNCE_EVERY_MS = 30_000;
/** One that no process has announced for this long is no longer in use. */
const IN_USE_MS = 4 * ANNOUNCE_EVERY_MS;

const inUse = (now: Date) => new Date(now.getTime() - IN_USE_MS);

/** The price book in force while processes with several of them run: the one that came last. */
export class PriceBooks {
  readonly #books: Collection<PriceBookDocument>;

  constructor(db: Db) {
    this.#books = db.collection('priceBooks');
  }

  /** A process says, again and again, which one it has. */
  async announce(id: string, now: Date): Promise<void> {
    const seen = { $set: { seenAt: now } };
    if (await matches(this.#books.updateOne({ _id: id, seenAt: { $gt: inUse(now) } }, seen)))
      return;
    await this.#books.updateOne(
      { _id: id },
      { $set: { since: now, seenAt: now } },
      { upsert: true },
    );
  }

  async isInForce(id: string, now: Date): Promise<boolean> {
    const newest = await this.#books.findOne(
      { seenAt: { $gt: inUse(now) } },
      { sort: { since: -1 } },
    );
    return newest?._id === id;
  }
}
