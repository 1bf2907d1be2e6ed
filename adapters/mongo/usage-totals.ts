import { Long, type Db } from 'mongodb';
import { addTotals, type MonthlyTotals } from '../../domain/usage-totals.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';

/** Entries in a chunk before it is sealed; concurrent writes may add a few more. */
const CHUNK_ENTRIES = 500;
/** Chunks that a reader requests after the folded ones: the open one, and the absence of the next. */
const READ_AHEAD = 2;

/** Totals as stored: integers, of 64 bits where needed. */
interface StoredSums {
  readonly [name: string]: number | Long | StoredSums;
}

interface ChunkDocument {
  readonly _id: string;
  /** The ids of the counted entries: an entry is counted once. */
  readonly entries: readonly string[];
  readonly size: number;
  readonly sums: StoredSums;
  /** Set once the chunk accepts no further entry. */
  readonly sealed?: true;
}

interface TotalsDocument {
  readonly _id: string;
  /** The sums include the chunks up to this one, each once. */
  readonly throughChunk: number;
  readonly sums: StoredSums;
}

interface Found {
  readonly month: Month;
  readonly sums: MonthlyTotals;
}

interface Book {
  readonly accountId: string;
  readonly month: Month;
}

/** One event and its amounts. */
export interface UsageEntry extends Book {
  readonly id: string;
  readonly sums: MonthlyTotals;
}

/**
 * The stored chunk number of an entry. It is chosen once, and changed only from a chunk that was sealed
 * without the entry.
 */
export interface EntryPlace {
  find(): Promise<number | undefined>;
  /** Does nothing where the chunk is no longer `from`. */
  move(from: number | undefined, to: number): Promise<void>;
}

/**
 * Totals per account and month, exact without transactions (docs/decisions/0014).
 *
 * One conditional write adds an entry's amounts and its id to a numbered chunk. A full chunk is sealed,
 * then folded into the month's totals, in order, by a write that is conditional on the chunk before.
 */
export interface UsageTotals {
  /** Counts an entry exactly once, for any number of concurrent or repeated calls. */
  count(entry: UsageEntry, place: EntryPlace): Promise<void>;
  /** The totals of each month; an empty total where nothing is counted. */
  read(accountId: string, months: readonly Month[]): Promise<Map<Month, MonthlyTotals>>;
}

/** @param chunkEntries the number of entries before a chunk is sealed */
export function createUsageTotals(db: Db, chunkEntries = CHUNK_ENTRIES): UsageTotals {
  const chunks = db.collection<ChunkDocument>('usageTotalChunks');
  const usageTotals = db.collection<TotalsDocument>('usageTotals');

  /** Adds a sealed chunk to the totals, once. */
  async function fold(book: Book, chunk: number): Promise<void> {
    const _id = totalsId(book);
    const sealed = await chunks.findOne({ _id: chunkId(book, chunk) }, { projection: { sums: 1 } });
    if (!sealed) return;
    await insertIfNew(() => usageTotals.insertOne({ _id, throughChunk: 0, sums: {} }));
    await usageTotals.updateOne(
      { _id, throughChunk: chunk - 1 },
      {
        $inc: increments(toSums(sealed.sums)),
        $set: { throughChunk: chunk },
      },
    );
  }

  /** The chunk after the folded ones, created where it is missing. Seals and folds a full chunk. */
  async function openChunk(book: Book): Promise<number> {
    for (;;) {
      const totals = await usageTotals.findOne(
        { _id: totalsId(book) },
        { projection: { throughChunk: 1 } },
      );
      const next = (totals?.throughChunk ?? 0) + 1;
      const _id = chunkId(book, next);
      const chunk = await chunks.findOne({ _id }, { projection: { sealed: 1, size: 1 } });
      if (!chunk)
        await insertIfNew(() => chunks.insertOne({ _id, entries: [], size: 0, sums: {} }));
      if (!chunk || (!chunk.sealed && chunk.size < chunkEntries)) return next;
      if (!chunk.sealed) await chunks.updateOne({ _id }, { $set: { sealed: true } });
      await fold(book, next);
    }
  }

  /** True once the entry is in the chunk; false where the chunk was sealed without it. */
  async function countIn(entry: UsageEntry, chunk: number): Promise<boolean> {
    const _id = chunkId(entry, chunk);
    const { matchedCount } = await chunks.updateOne(
      { _id, entries: { $ne: entry.id }, sealed: { $exists: false } },
      {
        $push: { entries: entry.id },
        $inc: { size: 1, ...increments(entry.sums) },
      },
    );
    if (matchedCount === 1) return true;
    // Both fields in one read: between two reads the entry could be added.
    const found = await chunks.findOne({ _id }, { projection: { entries: 1, sealed: 1 } });
    if (!found) throw new Error(`chunk ${chunk} was chosen, and is not there`);
    return found.entries.includes(entry.id);
  }

  /** The sums of the chunks that are not folded, from each month's first one on. */
  async function readChunks(accountId: string, from: Map<Month, number>): Promise<Found[]> {
    const ids = [...from].flatMap(([month, first]) =>
      Array.from({ length: READ_AHEAD }, (_, index) =>
        chunkId({ accountId, month }, first + index),
      ),
    );
    const documents = await chunks
      .find({ _id: { $in: ids } }, { projection: { sums: 1 } })
      .toArray();
    const byId = new Map(documents.map(({ _id, sums }) => [_id, toSums(sums)]));
    const found: Found[] = [];
    const further = new Map<Month, number>();
    for (const [month, first] of from) {
      const book = { accountId, month };
      for (let chunk = first; chunk < first + READ_AHEAD; chunk += 1) {
        const sums = byId.get(chunkId(book, chunk));
        if (sums) found.push({ month, sums });
      }
      // The chunk was folded after the totals were read: later chunks may exist.
      if (byId.has(chunkId(book, first + READ_AHEAD - 1))) further.set(month, first + READ_AHEAD);
    }
    return further.size === 0 ? found : [...found, ...(await readChunks(accountId, further))];
  }

  return {
    async count(entry, place) {
      for (;;) {
        const chunk = await place.find();
        if (chunk !== undefined && (await countIn(entry, chunk))) return;
        await place.move(chunk, await openChunk(entry));
      }
    },

    async read(accountId, months) {
      const ids = months.map((month) => totalsId({ accountId, month }));
      const found = await usageTotals.find({ _id: { $in: ids } }).toArray();
      const byId = new Map(found.map((totals) => [totals._id, totals]));
      const from = new Map<Month, number>();
      const parts = new Map<Month, MonthlyTotals[]>();
      for (const month of months) {
        const folded = byId.get(totalsId({ accountId, month }));
        from.set(month, (folded?.throughChunk ?? 0) + 1);
        parts.set(month, [toSums(folded?.sums ?? {})]);
      }
      for (const { month, sums } of await readChunks(accountId, from)) parts.get(month)?.push(sums);
      return new Map([...parts].map(([month, sums]) => [month, addTotals(sums)]));
    },
  };
}

function totalsId({ accountId, month }: Book): string {
  return `${accountId}|${month}`;
}

function chunkId(book: Book, chunk: number): string {
  return `${totalsId(book)}|${chunk}`;
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
