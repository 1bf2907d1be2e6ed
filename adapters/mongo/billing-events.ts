import type { Db } from 'mongodb';
import { insertIfNew } from './open.ts';

/** What became of an event: it was applied to an account, or it concerns none. */
export type BillingOutcome = 'applied' | 'ignored';

interface BillingEventDocument {
  /** The event's own id. */
  readonly _id: string;
  readonly type: string;
  readonly receivedAt: Date;
  readonly appliedAt?: Date;
  readonly outcome?: BillingOutcome;
}

/** An event that has come, perhaps before. */
export interface ReceivedEvent {
  /** The first time. */
  readonly receivedAt: Date;
  /** False also where a process died over it. */
  readonly isSettled: boolean;
}

/** The events of the payment service: each is received, then applied. */
export interface BillingEvents {
  receive(event: { eventId: string; type: string }, now: Date): Promise<ReceivedEvent>;
  settle(eventId: string, outcome: BillingOutcome, now: Date): Promise<void>;
}

export function createBillingEvents(db: Db): BillingEvents {
  const events = db.collection<BillingEventDocument>('billingEvents');

  return {
    async receive({ eventId, type }, now) {
      await insertIfNew(() => events.insertOne({ _id: eventId, type, receivedAt: now }));
      const found = await events.findOne({ _id: eventId });
      return { receivedAt: found?.receivedAt ?? now, isSettled: found?.appliedAt !== undefined };
    },

    async settle(eventId, outcome, now) {
      await events.updateOne(
        { _id: eventId, appliedAt: { $exists: false } },
        { $set: { appliedAt: now, outcome } },
      );
    },
  };
}
