import type { Collection, Db } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import { insertIfNew } from './open.ts';
import type { Outbox, OutboxCollection } from './outbox.ts';
import type { Listed, Page } from './pages.ts';

type ActivityDocument = Omit<Activity, 'id'> & { readonly _id: string };

/** The log of what the people of an account have changed. */
export class Activities {
  readonly #log: Collection<ActivityDocument>;
  readonly #outbox: Outbox;

  constructor(db: Db, outbox: Outbox) {
    this.#log = db.collection('activities');
    this.#outbox = outbox;
  }

  /** Adds an activity once. For one in an outbox, and for a change outside of the database. */
  async addActivity({ id, ...activity }: Activity): Promise<void> {
    await insertIfNew(() => this.#log.insertOne({ _id: id, ...activity }));
  }

  /** Moves the activities of a document's outbox to the log; the sweep does so for the others. */
  async publish(collection: OutboxCollection, id: string): Promise<void> {
    const unpublished = await this.#outbox.find(collection, id);
    if (unpublished)
      await this.#outbox.drain(unpublished, {
        publishActivity: (activity) => this.addActivity(activity),
      });
  }

  /** One page of those since a time, the newest first. */
  async listActivities(
    accountId: string,
    since: Date,
    { limit, offset }: Page,
  ): Promise<Listed<Activity>> {
    const filter = { accountId, at: { $gte: since } };
    const [items, total] = await Promise.all([
      this.#log.find(filter).sort({ at: -1, _id: 1 }).skip(offset).limit(limit).toArray(),
      this.#log.countDocuments(filter),
    ]);
    return { items: items.map(toActivity), total };
  }
}

function toActivity({ _id: id, ...activity }: ActivityDocument): Activity {
  return { id, ...activity };
}
