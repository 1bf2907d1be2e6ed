import type { Collection, Db } from 'mongodb';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertIfNew } from '../common/open.ts';

/** The outcome of an event; `ignored`: it concerns no account. */
export type BillingOutcome = 'applied' | 'ignored';

interface BillingEventDocument {
  /** The payment service's event id. */
  readonly _id: string;
  readonly type: string;
  readonly receivedAt: Date;
  readonly appliedAt?: Date;
  readonly outcome?: BillingOutcome;
}

/** A received event, possibly a repeat. */
export interface ReceivedEvent {
  /** The time of the first delivery. */
  readonly receivedAt: Date;
  /** False also if a process died while it applied the event. */
  readonly isSettled: boolean;
}

/**
 * The payment service sends an event again for up to three days, and when a person asks for it
 * within a month. One that comes later changes nothing: it is older than what its subscription
 * shows.
 */
const KEPT_SECONDS = 90 * 86_400;

/** The payment service's events: received, then applied. Forgotten after 90 days. */
export class BillingEvents {
  readonly #events: Collection<BillingEventDocument>;

  constructor(db: Db) {
    this.#events = db.collection('billingEvents');
  }

  async receive(
    { eventId, type }: { eventId: string; type: string },
    now: Date,
  ): Promise<ReceivedEvent> {
    await Promise.all([
      insertIfNew(() => this.#events.insertOne({ _id: eventId, type, receivedAt: now })),
      this.#events.deleteMany({ receivedAt: { $lt: addSeconds(now, -KEPT_SECONDS) } }),
    ]);
    const stored = await this.#events.findOne({ _id: eventId });
    return { receivedAt: stored?.receivedAt ?? now, isSettled: stored?.appliedAt !== undefined };
  }

  async settle(eventId: string, outcome: BillingOutcome, now: Date): Promise<void> {
    await this.#events.updateOne(
      { _id: eventId, appliedAt: { $exists: false } },
      { $set: { appliedAt: now, outcome } },
    );
  }
}
