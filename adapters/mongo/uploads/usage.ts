import { LRUCache } from 'lru-cache';
import { Long, type Collection, type Db } from 'mongodb';
import type { Booked } from '../../../domain/accounts/plan.ts';
import type { FileEvent, FileRecord, UsageRecord } from '../../../domain/uploads/file.ts';
import { eventTotals, type MonthlyTotals } from '../../../domain/uploads/usage-totals.ts';
import type { Month } from '../../../domain/common/time.ts';
import { insertIfNew, matches } from '../common/open.ts';

type UsageDocument = Omit<UsageRecord, 'fileId' | 'sizeBytes'> & {
  readonly _id: string;
  readonly sizeBytes: number | Long;
};

/** The usage records: one per completed upload, never changed, never deleted. */
export class Usage {
  readonly #usage: Collection<UsageDocument>;

  constructor(db: Db) {
    this.#usage = db.collection('usage');
  }

  /** The record has the file's id, so a second write of the same upload does nothing. */
  async record({ fileId, ...record }: UsageRecord): Promise<void> {
    await insertIfNew(() =>
      this.#usage.insertOne({
        _id: fileId,
        ...record,
        sizeBytes: Long.fromNumber(record.sizeBytes),
      }),
    );
  }

  /** The sum of one month's records. */
  async monthTotals(accountId: string, month: Month): Promise<Booked> {
    const [sum] = await this.#usage
      .aggregate<{ bytes: number | Long; uploads: number }>([
        { $match: { accountId, month } },
        { $group: { _id: null, bytes: { $sum: '$sizeBytes' }, uploads: { $sum: 1 } } },
      ])
      .toArray();
    return { bytes: Number(sum?.bytes ?? 0), uploads: sum?.uploads ?? 0 };
  }
}

/** A process removes counted events from a month's list after it has counted this many. */
const EVENTS_BETWEEN_TRIMS = 500;
/** Months whose generation a process remembers. */
const MAX_REMEMBERED = 10_000;

/** Totals as stored: integers, of 64 bits if needed. */
interface StoredSums {
  readonly [name: string]: number | Long | StoredSums;
}

interface TotalsDocument {
  readonly _id: string;
  /** Raised by each trim. */
  readonly generation: number;
  /** Events in the sums whose files may still list them as pending. */
  readonly recent: readonly string[];
  readonly sums: StoredSums;
}

/** One account in one month. */
export interface UsagePeriod {
  readonly accountId: string;
  readonly month: Month;
}

/**
 * Totals per account and month, one document each, exact without transactions.
 *
 * A file lists the events that its totals may lack in `totalsPending`, by the write that changes
 * its status. One conditional write adds an event's amounts to the totals, and its id to `recent`;
 * it refuses an id that is there. The file's list is cleared afterwards. A trim removes ids from
 * `recent` whose file no longer lists them, and raises the generation.
 *
 * A caller that has read the file before the event was counted and trimmed must not count it again:
 * it reads the generation first, and its write matches that generation only.
 */
export class UsageTotals {
  readonly #eventsBetweenTrims: number;
  readonly #totals: Collection<TotalsDocument>;
  readonly #files: Collection<Pick<FileRecord, 'totalsPending'> & { _id: string }>;
  readonly #known = new LRUCache<string, { readonly generation: number; counted: number }>({
    max: MAX_REMEMBERED,
  });

  /** @param eventsBetweenTrims the number of events that a process counts before it trims */
  constructor(db: Db, eventsBetweenTrims = EVENTS_BETWEEN_TRIMS) {
    this.#eventsBetweenTrims = eventsBetweenTrims;
    this.#totals = db.collection('usageTotals');
    this.#files = db.collection('files');
  }

  /** To be read before the file that lists the events. */
  async generation(period: UsagePeriod): Promise<number> {
    return this.#known.get(totalsId(period))?.generation ?? this.#load(totalsId(period));
  }

  /**
   * Counts an event exactly once, for any number of concurrent or repeated calls. False if the
   * generation is not the current one: the caller reads it, and the file, again.
   */
  async count(file: FileRecord, event: FileEvent, generation: number): Promise<boolean> {
    const _id = totalsId(file);
    const id = `${file.fileId}:${event}`;
    if (
      await matches(
        this.#totals.updateOne(
          { _id, generation, recent: { $ne: id } },
          { $push: { recent: id }, $inc: increments(eventTotals(file, event)) },
        ),
      )
    ) {
      const remembered = this.#known.get(_id);
      if (remembered) remembered.counted += 1;
      if (remembered && remembered.counted >= this.#eventsBetweenTrims) await this.#trim(_id);
      return true;
    }
    this.#known.delete(_id);
    // Both fields in one read: between two reads the event could be trimmed.
    const stored = await this.#totals.findOne(
      { _id },
      { projection: { generation: 1, recent: 1 } },
    );
    return stored?.generation === generation && stored.recent.includes(id);
  }

  /** The totals of each month; an empty total if nothing is counted. */
  async read(accountId: string, months: readonly Month[]): Promise<Map<Month, MonthlyTotals>> {
    const ids = months.map((month) => totalsId({ accountId, month }));
    const documents = await this.#totals
      .find({ _id: { $in: ids } }, { projection: { sums: 1 } })
      .toArray();
    const byId = new Map(documents.map(({ _id, sums }) => [_id, toSums(sums)]));
    return new Map(months.map((month) => [month, byId.get(totalsId({ accountId, month })) ?? {}]));
  }

  async #load(_id: string): Promise<number> {
    const stored = await this.#totals.findOne(
      { _id },
      { projection: { generation: 1, recent: 1 } },
    );
    if (!stored)
      await insertIfNew(() => this.#totals.insertOne({ _id, generation: 0, recent: [], sums: {} }));
    const { generation, recent } = stored ?? { generation: 0, recent: [] };
    this.#known.set(_id, { generation, counted: recent.length });
    return generation;
  }

  /** Removes events that their files no longer list. */
  async #trim(_id: string): Promise<void> {
    this.#known.delete(_id);
    const stored = await this.#totals.findOne(
      { _id },
      { projection: { generation: 1, recent: 1 } },
    );
    if (!stored) return;
    const { generation, recent } = stored;
    const ids = [...new Set(recent.map((id) => splitEventId(id).fileId))];
    const listing = this.#files.find({ _id: { $in: ids } }, { projection: { totalsPending: 1 } });
    const pending = new Map(
      (await listing.toArray()).map(({ _id: fileId, totalsPending = [] }) => [
        fileId,
        totalsPending,
      ]),
    );
    const settled = recent.filter((id) => {
      const { fileId, event } = splitEventId(id);
      return pending.get(fileId)?.includes(event) === false;
    });
    if (
      await matches(
        this.#totals.updateOne(
          { _id, generation },
          { $pullAll: { recent: settled }, $inc: { generation: 1 } },
        ),
      )
    )
      this.#known.set(_id, { generation: generation + 1, counted: 0 });
  }
}

function totalsId({ accountId, month }: UsagePeriod): string {
  return `${accountId}|${month}`;
}

function splitEventId(id: string): { readonly fileId: string; readonly event: FileEvent } {
  const [fileId = '', event] = id.split(':');
  return { fileId, event: event as FileEvent };
}

/** Each amount as a 64-bit integer, by its path in the document. */
function increments(sums: MonthlyTotals): Record<string, Long> {
  const paths: Record<string, Long> = {};
  const walk = (part: object, path: string): void => {
    for (const [name, value] of Object.entries(part) as [string, bigint | object][]) {
      if (typeof value === 'bigint') paths[`${path}.${name}`] = Long.fromBigInt(value);
      else walk(value, `${path}.${name}`);
    }
  };
  walk(sums, 'sums');
  return paths;
}

function toSums(stored: StoredSums): MonthlyTotals {
  const read = (value: StoredSums[string]): unknown => {
    if (typeof value === 'number') return BigInt(value);
    if (value instanceof Long) return value.toBigInt();
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
  };
  return read(stored) as MonthlyTotals;
}
