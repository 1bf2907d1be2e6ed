import type { Collection, Db } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { listDue, type DueList } from './due.ts';

/** What a change publishes: an activity to the log, an event to the account's webhooks. */
export type OutboxEntry =
  (Activity & { readonly kind: 'activity' }) | (ServiceEvent & { readonly kind: 'event' });

/** The fields of a document whose change publishes something. */
export interface WithOutbox {
  /** What is not published yet. */
  readonly outbox?: readonly OutboxEntry[];
  /** The time of the oldest entry. */
  readonly outboxAt?: Date;
  /** The account of the entries. Set together with `outboxAt`. */
  readonly outboxOf?: string;
}

/** The collections whose documents have an outbox. */
export const OUTBOXES = [
  'accounts',
  'connections',
  'files',
  'scans',
  'recommendations',
  'migrations',
  'releases',
  'relocations',
  'drills',
  'drillSchedules',
  'dismissals',
  'webhooks',
] as const;
export type OutboxCollection = (typeof OUTBOXES)[number];

/** The entries of one document, the oldest of them if it has many. */
export interface Unpublished {
  readonly collection: OutboxCollection;
  readonly documentId: string;
  readonly accountId: string;
  readonly entries: readonly OutboxEntry[];
}

export interface Publishers {
  readonly publishActivity: (activity: Activity) => Promise<void>;
  /** Without it, events stay where they are. */
  readonly publishEvent?: (event: ServiceEvent) => Promise<void>;
}

type OutboxDocument = WithOutbox & { readonly _id: string };

/** Taken from one document at once. */
const MOST_ENTRIES = 20;

/** The operators by which an update publishes an activity, and events with it. */
export function noting(activity: Activity, events: readonly ServiceEvent[] = []) {
  return publishing(activity, [{ ...activity, kind: 'activity' }, ...events.map(toEntry)]);
}

/** The operators by which an update publishes events; none without events. */
export function emitting(events: readonly ServiceEvent[]): Partial<ReturnType<typeof publishing>> {
  const [first] = events;
  return first ? publishing(first, events.map(toEntry)) : {};
}

/** The outbox of a document that is inserted with an activity. */
export function toOutbox(activity: Activity): Required<WithOutbox> {
  const { at, accountId } = activity;
  return { outbox: [{ ...activity, kind: 'activity' }], outboxAt: at, outboxOf: accountId };
}

/** All entries of a document are those of its account. */
function publishing(
  { at, accountId }: Pick<OutboxEntry, 'at' | 'accountId'>,
  entries: OutboxEntry[],
) {
  return {
    $push: { outbox: { $each: entries } },
    $min: { outboxAt: at, outboxOf: accountId },
  } as const;
}

function toEntry(event: ServiceEvent): OutboxEntry {
  return { ...event, kind: 'event' };
}

/** A document without its outbox. */
export function withoutOutbox<Document extends WithOutbox>(
  document: Document,
): Omit<Document, keyof WithOutbox> {
  const { outbox: _outbox, outboxAt: _at, outboxOf: _of, ...fields } = document;
  return fields;
}

/**
 * What changes publish. A change stores its entries in the document that it changes, by the same
 * write, so that none is lost when a process ends. They are published from there, each at least
 * once.
 */
export class Outbox {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The documents of a collection with entries. */
  due(collection: OutboxCollection): DueList<Unpublished> {
    return listDue(this.#documents(collection), {
      account: 'outboxOf',
      time: 'outboxAt',
      // A range, for which a sparse index is used. Also what a process stored whose clock is ahead.
      isDue: () => ({ outboxAt: { $gt: new Date(0) } }),
      toWork: ({ _id: documentId, outbox: entries = [], outboxOf: accountId }) =>
        accountId === undefined ? undefined : { collection, documentId, accountId, entries },
      projection: { outboxOf: 1, outbox: { $slice: MOST_ENTRIES } },
    });
  }

  /** The entries of one document; undefined if it has none. */
  async find(collection: OutboxCollection, documentId: string): Promise<Unpublished | undefined> {
    const fields = { projection: { outbox: 1, outboxOf: 1 } };
    const stored = await this.#documents(collection).findOne({ _id: documentId }, fields);
    if (!stored?.outbox || stored.outboxOf === undefined) return undefined;
    return { collection, documentId, accountId: stored.outboxOf, entries: stored.outbox };
  }

  /** Publishes entries one after the other, and removes them from their document. */
  async drain(
    { collection, documentId: _id, entries }: Unpublished,
    { publishActivity, publishEvent }: Publishers,
  ): Promise<void> {
    const ids: string[] = [];
    for (const entry of entries) {
      if (entry.kind === 'activity') {
        const { kind: _, ...activity } = entry;
        await publishActivity(activity);
      } else if (publishEvent) {
        const { kind: _, ...event } = entry;
        await publishEvent(event);
      } else continue;
      ids.push(entry.id);
    }
    const documents = this.#documents(collection);
    await documents.updateOne({ _id }, { $pull: { outbox: { id: { $in: ids } } } });
    await documents.updateOne(
      { _id, outbox: { $size: 0 } },
      { $unset: { outbox: true, outboxAt: true, outboxOf: true } },
    );
  }

  #documents(collection: OutboxCollection): Collection<OutboxDocument> {
    return this.#db.collection(collection);
  }
}
