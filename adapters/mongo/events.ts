import type { Collection, Db } from 'mongodb';
import type { ServiceEvent } from '../../domain/webhooks/event.ts';

/** The fields of a document whose change emits events. */
export interface Emitting {
  /** Events that are not handed to the account's webhooks yet. */
  readonly emitted?: readonly ServiceEvent[];
  /** When the oldest of them was emitted. */
  readonly emittedAt?: Date;
}

/** The collections whose documents emit events. */
const EMITTING = [
  'accounts',
  'files',
  'scans',
  'recommendations',
  'migrations',
  'releases',
  'webhooks',
] as const;

/** What one document has emitted. */
export interface EmittedEvents {
  readonly collection: (typeof EMITTING)[number];
  readonly documentId: string;
  readonly events: readonly ServiceEvent[];
}

/** Of each collection at once. */
const PAGE = 500;
/** A range, for which a sparse index is used. */
const SOME = { emittedAt: { $gt: new Date(0) } };

/**
 * What is to be told. A change emits its events in the document that it changes, by the same write; the sweep takes
 * them from there, so that none is lost when a process dies.
 */
export interface Events {
  /** Documents with events that are not published yet, the oldest of each collection first. */
  find(): Promise<EmittedEvents[]>;
  /** These were published. */
  clear(emitted: EmittedEvents): Promise<void>;
  /** When the oldest event was emitted that is not published yet. */
  findOldest(): Promise<Date | undefined>;
}

/** The operators by which an update emits events; none without events. */
export function emitting(events: readonly ServiceEvent[]) {
  const [first] = events;
  if (!first) return {};
  return { $push: { emitted: { $each: [...events] } }, $min: { emittedAt: first.at } };
}

export function createEvents(db: Db): Events {
  const emitted = (name: (typeof EMITTING)[number]): Collection<Emitting & { _id: string }> =>
    db.collection(name);

  return {
    async find() {
      const pages = await Promise.all(
        EMITTING.map(async (collection) => {
          const found = await emitted(collection)
            .find(SOME, { projection: { emitted: 1 } })
            .sort({ emittedAt: 1 })
            .limit(PAGE)
            .toArray();
          return found.map(({ _id: documentId, emitted: events = [] }) => ({
            collection,
            documentId,
            events,
          }));
        }),
      );
      return pages.flat();
    },

    async clear({ collection, documentId: _id, events }) {
      const ids = events.map(({ id }) => id);
      await emitted(collection).updateOne({ _id }, { $pull: { emitted: { id: { $in: ids } } } });
      await emitted(collection).updateOne(
        { _id, emitted: { $size: 0 } },
        { $unset: { emitted: true, emittedAt: true } },
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
