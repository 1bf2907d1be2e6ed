import type { Collection, Db } from 'mongodb';
import { dueDocuments, type DueDocuments } from './due.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';

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
  due(collection: EmittingCollection): DueDocuments<EmittedEvents>;
  /** These were published. */
  clear(emitted: EmittedEvents): Promise<void>;
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

type EmittingDocument = Emitting & { readonly _id: string };

export function createEvents(db: Db): Events {
  const emitted = (name: EmittingCollection): Collection<EmittingDocument> => db.collection(name);

  return {
    due: (collection) =>
      dueDocuments(emitted(collection), {
        account: 'emittedOf',
        time: 'emittedAt',
        // Also what a process emitted whose clock is ahead.
        isDue: () => SOME,
        toDue: ({ _id: documentId, emitted: events = [], emittedOf }) => ({
          collection,
          documentId,
          // A document of an earlier release has no `emittedOf`.
          accountId: emittedOf ?? events[0]?.accountId ?? '',
          events,
        }),
        projection: { emittedOf: 1, emitted: { $slice: MOST_EVENTS } },
      }),

    async clear({ collection, documentId: _id, events }) {
      const ids = events.map(({ id }) => id);
      await emitted(collection).updateOne({ _id }, { $pull: { emitted: { id: { $in: ids } } } });
      await emitted(collection).updateOne(
        { _id, emitted: { $size: 0 } },
        { $unset: { emitted: true, emittedAt: true, emittedOf: true } },
      );
    },
  };
}
