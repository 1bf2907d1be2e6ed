import type { Collection, Db } from 'mongodb';
import { fromAccount, type DueQuery } from './due.ts';
import type { ServiceEvent } from '../../domain/webhooks/event.ts';

/** The fields of a document whose change emits events. */
export interface Emitting {
  /** Events that are not handed to the account's webhooks yet. */
  readonly emitted?: readonly ServiceEvent[];
  /** When the oldest of them was emitted. */
  readonly emittedAt?: Date;
  /** Their account. Set together with `emittedAt`. */
  readonly emittedOf?: string;
}

/** The collections whose documents emit events. */
export const EMITTING = [
  'accounts',
  'files',
  'scans',
  'recommendations',
  'migrations',
  'releases',
  'webhooks',
] as const;
export type EmittingCollection = (typeof EMITTING)[number];

/** The events of one document, the oldest of them if it has many. */
export interface EmittedEvents {
  readonly collection: EmittingCollection;
  readonly documentId: string;
  readonly accountId: string;
  readonly events: readonly ServiceEvent[];
}

/** Of one document at once. */
const MOST_EVENTS = 20;
/** A range, for which a sparse index is used. */
const SOME = { emittedAt: { $gt: new Date(0) } };

/**
 * What is to be told. A change emits its events in the document that it changes, by the same write; the sweep takes
 * them from there, so that none is lost when a process dies.
 */
export interface Events {
  /** Documents of a collection with events that are not published yet. */
  find(collection: EmittingCollection, query: DueQuery): Promise<EmittedEvents[]>;
  /** These were published. */
  clear(emitted: EmittedEvents): Promise<void>;
  /** When the oldest event was emitted that is not published yet. */
  findOldest(): Promise<Date | undefined>;
}

/** The operators by which an update emits events; none without events. */
export function emitting(events: readonly ServiceEvent[]) {
  const [first] = events;
  if (!first) return {};
  return {
    $push: { emitted: { $each: [...events] } },
    // All events of a document are of its account.
    $min: { emittedAt: first.at, emittedOf: first.accountId },
  };
}

export function createEvents(db: Db): Events {
  const emitted = (name: EmittingCollection): Collection<Emitting & { _id: string }> =>
    db.collection(name);

  return {
    async find(collection, { from, limit }) {
      const found = await emitted(collection)
        .find(
          { ...SOME, ...(from ? { emittedOf: fromAccount(from) } : {}) },
          { projection: { emittedOf: 1, emitted: { $slice: MOST_EVENTS } } },
        )
        .sort(from ? { emittedOf: 1, emittedAt: 1 } : { emittedAt: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id: documentId, emitted: events = [], emittedOf }) => ({
        collection,
        documentId,
        // A document of an earlier release has no `emittedOf`.
        accountId: emittedOf ?? events[0]?.accountId ?? '',
        events,
      }));
    },

    async clear({ collection, documentId: _id, events }) {
      const ids = events.map(({ id }) => id);
      await emitted(collection).updateOne({ _id }, { $pull: { emitted: { id: { $in: ids } } } });
      await emitted(collection).updateOne(
        { _id, emitted: { $size: 0 } },
        { $unset: { emitted: true, emittedAt: true, emittedOf: true } },
      );
    },

    async findOldest() {
      const oldest = await Promise.all(
        EMITTING.map((name) =>
          emitted(name).findOne(SOME, { projection: { emittedAt: 1 }, sort: { emittedAt: 1 } }),
        ),
      );
      return oldest
        .flatMap((found) => found?.emittedAt ?? [])
        .toSorted((a, b) => a.getTime() - b.getTime())[0];
    },
  };
}
