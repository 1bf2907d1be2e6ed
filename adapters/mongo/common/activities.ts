import type { Collection, Db } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { Listed, Page } from './pages.ts';
import { insertIfNew } from './open.ts';

type ActivityDocument = Omit<Activity, 'id'> & { readonly _id: string };

/** The fields of a document whose change notes an activity. */
export interface Noting {
  /** Activities that the log may lack. */
  readonly noted?: readonly Activity[];
  /** When the oldest of them was noted. */
  readonly notedAt?: Date;
}

/** The collections whose documents note activities. */
const NOTING = [
  'accounts',
  'connections',
  'scans',
  'recommendations',
  'releases',
  'dismissals',
  'webhooks',
] as const;
export type NotingCollection = (typeof NOTING)[number];

/**
 * What the people of an account have changed. A change notes its activity in the document that it changes, by the same
 * write; `publish` takes it from there to the log. The sweep publishes what a process left when it died.
 */
export interface Activities {
  /** Takes the noted activities of a document to the log, each once. */
  publish(collection: NotingCollection, id: string): Promise<void>;
  /** For a change outside of the database. */
  addActivity(activity: Activity): Promise<void>;
  /** One page of those since a time, the newest first. */
  listActivities(accountId: string, since: Date, page: Page): Promise<Listed<Activity>>;
  /** Publishes what was noted before a time. Returns how many documents. */
  publishNotedBefore(before: Date, report: () => void): Promise<number>;
}

/** The operators by which an update notes an activity. */
export function noting(activity: Activity) {
  return { $push: { noted: activity }, $min: { notedAt: activity.at } } as const;
}

export function createActivities(db: Db): Activities {
  const log = db.collection<ActivityDocument>('activities');
  const noted = (collection: NotingCollection): Collection<Noting & { _id: string }> =>
    db.collection(collection);

  async function addActivity({ id, ...activity }: Activity): Promise<void> {
    await insertIfNew(() => log.insertOne({ _id: id, ...activity }));
  }

  async function publish(collection: NotingCollection, id: string): Promise<void> {
    const documents = noted(collection);
    const found = await documents.findOne({ _id: id }, { projection: { noted: 1 } });
    const activities = found?.noted ?? [];
    if (activities.length > 0) {
      await Promise.all(activities.map(addActivity));
      const ids = activities.map((activity) => activity.id);
      await documents.updateOne({ _id: id }, { $pull: { noted: { id: { $in: ids } } } });
    }
    await documents.updateOne(
      { _id: id, noted: { $size: 0 } },
      { $unset: { noted: true, notedAt: true } },
    );
  }

  return {
    addActivity,
    publish,

    async listActivities(accountId, since, { limit, offset }) {
      const filter = { accountId, at: { $gte: since } };
      const [items, total] = await Promise.all([
        log.find(filter).sort({ at: -1, _id: 1 }).skip(offset).limit(limit).toArray(),
        log.countDocuments(filter),
      ]);
      return { items: items.map(toActivity), total };
    },

    async publishNotedBefore(before, report) {
      let published = 0;
      for (const collection of NOTING) {
        const due = noted(collection).find(
          { notedAt: { $lte: before } },
          { projection: { _id: 1 } },
        );
        for await (const { _id } of due) {
          await publish(collection, _id);
          published += 1;
          report();
        }
      }
      return published;
    },
  };
}

function toActivity({ _id: id, ...activity }: ActivityDocument): Activity {
  return { id, ...activity };
}
