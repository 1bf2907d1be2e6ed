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

/**
 * What is to be told. A change emits its events in the document that it changes, by the same write; the sweep takes
 * them from there, so that none is lost when a process dies.
 */
export interface Events {
  /** Hands on what was emitted, each event at least once. Returns how many documents had some. */
  handOn(tell: (event: ServiceEvent) => Promise<void>, report: () => void): Promise<number>;
  /** When the oldest event was emitted that is not handed on yet. */
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
    async handOn(tell, report) {
      let documents = 0;
      for (const name of EMITTING) {
        const found = emitted(name).find(
          { emittedAt: { $exists: true } },
          { projection: { emitted: 1 }, sort: { emittedAt: 1 } },
        );
        for await (const { _id, emitted: events = [] } of found) {
          for (const event of events) {
            await tell(event);
            await emitted(name).updateOne({ _id }, { $pull: { emitted: { id: event.id } } });
            report();
          }
          await emitted(name).updateOne(
            { _id, emitted: { $size: 0 } },
            { $unset: { emitted: true, emittedAt: true } },
          );
          documents += 1;
        }
      }
      return documents;
    },

    async findOldest() {
      const oldest = await Promise.all(
        EMITTING.map((name) =>
          emitted(name).findOne(
            { emittedAt: { $exists: true } },
            { projection: { emittedAt: 1 }, sort: { emittedAt: 1 } },
          ),
        ),
      );
      return oldest
        .flatMap((found) => found?.emittedAt ?? [])
        .toSorted((a, b) => a.getTime() - b.getTime())[0];
    },
  };
}
