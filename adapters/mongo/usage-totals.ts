import { Long, type Db } from 'mongodb';
import { addTotals, type MonthlyTotals } from '../../domain/usage-totals.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';

/** How many entries a chunk takes before it is sealed; a few more where many come at once. */
const CHUNK_ENTRIES = 500;
/** How many chunks a reader asks for beyond the folded ones: the open one, and proof that it is the last. */
const READ_AHEAD = 2;

/** MonthlyTotals as they are stored: whole numbers, of 64 bits where they need them. */
interface StoredSums {
  readonly [name: string]: number | Long | StoredSums;
}

interface ChunkDocument {
  readonly _id: string;
  /** The ids of what is counted in here: what is in it already is not counted again. */
  readonly entries: readonly string[];
  readonly size: number;
  readonly sums: StoredSums;
  /** Nothing enters any more: its sums stay as they are. */
  readonly sealed?: true;
}

interface TotalsDocument {
  readonly _id: string;
  /** The chunks up to this one are in the sums, each once. */
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

/** One thing that happened, and what it adds. */
export interface UsageEntry extends Book {
  readonly id: string;
  readonly sums: MonthlyTotals;
}

/**
 * Where an entry's chunk is remembered, in one place of its own: it is chosen once, and moved on only
 * from a chunk that is known to have been sealed without the entry.
 */
export interface EntryPlace {
  find(): Promise<number | undefined>;
  /** Does nothing where the chunk is not `from` any more. */
  move(from: number | undefined, to: number): Promise<void>;
}

/**
 * MonthlyTotals per account and month that are exact without transactions (docs/decisions/0014).
 *
 * Entries are counted in numbered chunks, each by one conditional write that adds the figures and the
 * entry's id together. A full chunk is sealed and then folded into the month's sums, in order, by a
 * write that is conditional on the chunk before it.
 */
export interface UsageTotals {
  /** Counts an entry once, however often it is called, by however many at once, and however late. */
  count(entry: UsageEntry, place: EntryPlace): Promise<void>;
  /** What is counted in each of the months; nothing is an empty sum. */
  read(accountId: string, months: readonly Month[]): Promise<Map<Month, MonthlyTotals>>;
}

/** @param chunkEntries how many entries a chunk takes */
export function createUsageTotals(db: Db, chunkEntries = CHUNK_ENTRIES): UsageTotals {
  const chunks = db.collection<ChunkDocument>('usageTotalChunks');
  const usageTotals = db.collection<TotalsDocument>('usageTotals');

  /** Adds a sealed chunk to the sums, unless somebody has. */
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

  /** The chunk after the folded ones, once it is there and has room. Seals and folds what is full. */
  async function openChunk(book: Book): Promise<number> {
    for (;;) {
      const tally = await usageTotals.findOne(
        { _id: totalsId(book) },
        { projection: { throughChunk: 1 } },
      );
      const next = (tally?.throughChunk ?? 0) + 1;
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
    // Both in one read: asked one after the other, the entry could come in between the two answers.
    const found = await chunks.findOne({ _id }, { projection: { entries: 1, sealed: 1 } });
    if (!found) throw new Error(`chunk ${chunk} was chosen, and is not there`);
    return found.entries.includes(entry.id);
  }

  /** The sums of what is not folded, from each month's first such chunk on. */
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
      // Sealed and folded since the sums were read: there may be more after it.
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
      const byId = new Map(found.map((tally) => [tally._id, tally]));
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

/** Each figure with its path in a document, of 64 bits. */
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
