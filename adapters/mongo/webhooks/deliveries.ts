import type { Db, WithId } from 'mongodb';
import type { AfterAttempt, Attempt, DeliveryStatus } from '../../../domain/webhooks/delivery.ts';
import type { EventType } from '../../../domain/webhooks/event.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { insertIfNew } from '../common/open.ts';
import type { WebhookKey } from './webhooks.ts';

/** An event on its way to one webhook. */
export interface Delivery extends WebhookKey {
  readonly eventId: string;
  readonly type: EventType;
  /** As it is sent, each time. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
}

export interface DeliveryKey extends WebhookKey {
  readonly eventId: string;
}

/** A delivery whose attempt is due. */
export type DueDelivery = DeliveryKey & Due;

type DeliveryDocument = Omit<Delivery, 'nextAttemptAt'> & {
  readonly _id: string;
  /** Unset once it has ended. */
  readonly nextAttemptAt?: Date;
  /** The account id while an attempt is under way, at most until `nextAttemptAt`; a sparse index counts by it. */
  readonly takenOf?: string;
  /** Set once it has failed for good. */
  readonly failedAt?: Date;
};

/** More are not counted. */
const MOST_COUNTED = 10_000;
/** By one call, which ends in time on a busy server. */
const MOST_REMOVED = 500;

export interface Deliveries {
  /** One that is there already is kept. */
  insertDelivery(
    delivery: Pick<Delivery, keyof DeliveryKey | 'type' | 'body'>,
    now: Date,
  ): Promise<void>;
  findDelivery(key: DeliveryKey): Promise<Delivery | undefined>;
  /** The newest first. */
  listDeliveries(key: WebhookKey, limit: number): Promise<Delivery[]>;
  /** Those whose attempt is due. */
  readonly due: DueQueue<DueDelivery>;
  /** Takes an attempt for some time; false if another process has taken it. */
  take(due: DueDelivery, until: Date): Promise<boolean>;
  /** How many attempts of an account are under way. */
  countTaken(accountId: string, now: Date): Promise<number>;
  /** Stores an attempt that ended at a time. Does nothing if it is stored already. */
  settle(before: Delivery, attempt: Attempt, after: AfterAttempt, endedAt: Date): Promise<void>;
  removeDelivery(key: DeliveryKey): Promise<void>;
  /** Removes some of a webhook's. Returns whether there may be more. */
  removeOf(key: WebhookKey): Promise<boolean>;
  /** Those that have failed since a time; counted up to 10,000. */
  countFailed(since: Date): Promise<number>;
}

export function createDeliveries(db: Db): Deliveries {
  const deliveries = db.collection<DeliveryDocument>('webhookDeliveries');

  return {
    async insertDelivery(delivery, now) {
      await insertIfNew(() =>
        deliveries.insertOne({
          _id: toId(delivery),
          ...delivery,
          status: 'retrying',
          attempts: 0,
          lastStatus: null,
          lastError: null,
          createdAt: now,
          nextAttemptAt: now,
        }),
      );
    },

    async findDelivery(key) {
      const found = await deliveries.findOne({ _id: toId(key) });
      return found?.accountId === key.accountId ? toDelivery(found) : undefined;
    },

    async listDeliveries({ accountId, webhookId }, limit) {
      const found = await deliveries
        .find({ webhookId, accountId })
        .sort({ createdAt: -1 })
        .limit(limit)
        .toArray();
      return found.map(toDelivery);
    },

    due: queueOf(deliveries, {
      toWork: ({ eventId, webhookId, accountId }) => ({ eventId, webhookId, accountId }),
      projection: { body: 0 },
    }),

    async take(due, until) {
      const { matchedCount } = await deliveries.updateOne(
        { _id: toId(due), nextAttemptAt: due.nextAttemptAt },
        { $set: { nextAttemptAt: until, takenOf: due.accountId } },
      );
      return matchedCount === 1;
    },

    countTaken: (accountId, now) =>
      deliveries.countDocuments({ takenOf: accountId, nextAttemptAt: { $gt: now } }),

    async settle(before, { status: lastStatus, error }, { status, nextAttemptAt }, endedAt) {
      await deliveries.updateOne(
        { _id: toId(before), status: 'retrying', attempts: before.attempts },
        {
          $set: {
            status,
            lastStatus,
            lastError: error,
            attempts: before.attempts + 1,
            ...(nextAttemptAt ? { nextAttemptAt } : {}),
            ...(status === 'failed' ? { failedAt: endedAt } : {}),
          },
          $unset: { takenOf: true, ...(nextAttemptAt ? {} : { nextAttemptAt: true }) },
        },
      );
    },

    async removeDelivery(key) {
      await deliveries.deleteOne({ _id: toId(key), accountId: key.accountId });
    },

    async removeOf({ accountId, webhookId }) {
      const found = await deliveries
        .find({ webhookId, accountId }, { projection: { _id: 1 } })
        .limit(MOST_REMOVED)
        .toArray();
      await deliveries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length === MOST_REMOVED;
    },

    countFailed: (since) =>
      deliveries.countDocuments({ failedAt: { $gte: since } }, { limit: MOST_COUNTED }),
  };
}

function toId({ eventId, webhookId }: DeliveryKey): string {
  return `${eventId}/${webhookId}`;
}

function toDelivery({
  _id,
  failedAt: _failed,
  takenOf: _taken,
  ...delivery
}: WithId<DeliveryDocument>): Delivery {
  return { ...delivery, nextAttemptAt: delivery.nextAttemptAt ?? null };
}
