import type { Collection, Db, WithId } from 'mongodb';
import type {
  AfterAttempt,
  DeliveryAttempt,
  DeliveryStatus,
} from '../../../domain/webhooks/delivery.ts';
import type { EventType } from '../../../domain/webhooks/event.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { insertIfNew, matches } from '../common/open.ts';
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
  /** The account while an attempt is under way, until `nextAttemptAt`; a sparse index has it. */
  readonly takenOf?: string;
  /** Set once it has failed for good. */
  readonly failedAt?: Date;
};

/** More are not counted. */
const MOST_COUNTED = 10_000;
/** By one call, which ends in time on a busy server. */
const MOST_REMOVED = 500;

export class Deliveries {
  readonly #deliveries: Collection<DeliveryDocument>;
  /** Those whose attempt is due. */
  readonly due: DueQueue<DueDelivery>;

  constructor(db: Db) {
    this.#deliveries = db.collection('webhookDeliveries');
    this.due = queueOf(this.#deliveries, {
      toWork: ({ eventId, webhookId, accountId }) => ({ eventId, webhookId, accountId }),
      projection: { body: 0 },
    });
  }

  /** One that is there already is kept. */
  async insertDelivery(
    delivery: Pick<Delivery, keyof DeliveryKey | 'type' | 'body'>,
    now: Date,
  ): Promise<void> {
    await insertIfNew(() =>
      this.#deliveries.insertOne({
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
  }

  async findDelivery(key: DeliveryKey): Promise<Delivery | undefined> {
    const stored = await this.#deliveries.findOne({ _id: toId(key) });
    return stored?.accountId === key.accountId ? toDelivery(stored) : undefined;
  }

  /** The newest first. */
  async listDeliveries({ accountId, webhookId }: WebhookKey, limit: number): Promise<Delivery[]> {
    const documents = await this.#deliveries
      .find({ webhookId, accountId })
      .sort({ createdAt: -1 })
      .limit(limit)
      .toArray();
    return documents.map(toDelivery);
  }

  /** Takes an attempt for some time; false if another process has taken it. */
  async take(due: DueDelivery, until: Date): Promise<boolean> {
    return await matches(
      this.#deliveries.updateOne(
        { _id: toId(due), nextAttemptAt: due.nextAttemptAt },
        { $set: { nextAttemptAt: until, takenOf: due.accountId } },
      ),
    );
  }

  /** How many attempts of an account are under way. */
  countTaken(accountId: string, now: Date): Promise<number> {
    return this.#deliveries.countDocuments({ takenOf: accountId, nextAttemptAt: { $gt: now } });
  }

  /** Stores an attempt that ended at a time. Does nothing if it is stored already. */
  async settle(
    delivery: Delivery,
    { status: lastStatus, error }: DeliveryAttempt,
    { status, nextAttemptAt }: AfterAttempt,
    endedAt: Date,
  ): Promise<void> {
    await this.#deliveries.updateOne(
      { _id: toId(delivery), status: 'retrying', attempts: delivery.attempts },
      {
        $set: {
          status,
          lastStatus,
          lastError: error,
          attempts: delivery.attempts + 1,
          ...(nextAttemptAt ? { nextAttemptAt } : {}),
          ...(status === 'failed' ? { failedAt: endedAt } : {}),
        },
        $unset: { takenOf: true, ...(nextAttemptAt ? {} : { nextAttemptAt: true }) },
      },
    );
  }

  async removeDelivery(key: DeliveryKey): Promise<void> {
    await this.#deliveries.deleteOne({ _id: toId(key), accountId: key.accountId });
  }

  /** Removes some of a webhook's. Returns whether there may be more. */
  async removeOf({ accountId, webhookId }: WebhookKey): Promise<boolean> {
    const documents = await this.#deliveries
      .find({ webhookId, accountId }, { projection: { _id: 1 } })
      .limit(MOST_REMOVED)
      .toArray();
    await this.#deliveries.deleteMany({ _id: { $in: documents.map(({ _id }) => _id) } });
    return documents.length === MOST_REMOVED;
  }

  /** Those that have failed since a time; counted up to 10,000. */
  countFailed(since: Date): Promise<number> {
    return this.#deliveries.countDocuments({ failedAt: { $gte: since } }, { limit: MOST_COUNTED });
  }
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
