import { LRUCache } from 'lru-cache';
import { Long, type Db } from 'mongodb';
import { addTotals, type MonthlyTotals } from '../../domain/usage-totals.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';

/** Entries in a chunk before it is sealed; concurrent writes may add a few more. */
const CHUNK_ENTRIES = 500;
/** Chunks that a reader requests after the folded ones: the open one, and the absence of the next. */
const READ_AHEAD = 2;
/** Months whose open chunk a process remembers. */
const MAX_REMEMBERED = 10_000;

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

/** One account in one month. */
export interface Book {
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
  /** As the caller has read or written it; undefined before one is chosen. */
  readonly chunk: number | undefined;
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
  /**
   * The chunk that accepts entries at present, to be stored with an event. A chunk that has been sealed
   * meanwhile costs `count` some further reads.
   */
  chooseChunk(book: Book): Promise<number>;
  /** Counts an entry exactly once, for any number of concurrent or repeated calls. */
  count(entry: UsageEntry, place: EntryPlace): Promise<void>;
  /** The totals of each month; an empty total where nothing is counted. */
  read(accountId: string, months: readonly Month[]): Promise<Map<Month, MonthlyTotals>>;
}

/** @param chunkEntries the number of entries before a chunk is sealed */
export function createUsageTotals(db: Db, chunkEntries = CHUNK_ENTRIES): UsageTotals {
  const chunks = db.collection<ChunkDocument>('usageTotalChunks');
  const usageTotals = db.collection<TotalsDocument>('usageTotals');
  /** The last known open chunk of each month. It may be sealed by now; its number never falls. */
  const openChunks = new LRUCache<string, number>({ max: MAX_REMEMBERED });

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
      if (!chunk || (!chunk.sealed && chunk.size < chunkEntries)) {
        openChunks.set(totalsId(book), next);
        return next;
      }
      if (!chunk.sealed) await chunks.updateOne({ _id }, { $set: { sealed: true } });
      await fold(book, next);
    }
  }

  /** True once the entry is in the chunk; false where the chunk is full, or was sealed, without it. */
  async function countIn(entry: UsageEntry, chunk: number): Promise<boolean> {
    const _id = chunkId(entry, chunk);
    const { matchedCount } = await chunks.updateOne(
      {
        _id,
        entries: { $ne: entry.id },
        sealed: { $exists: false },
        size: { $lt: chunkEntries },
      },
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

  /** The sums of these chunks, by chunk id. */
  async function readChunks(ids: readonly string[]): Promise<Map<string, MonthlyTotals>> {
    const documents = await chunks
      .find({ _id: { $in: ids } }, { projection: { sums: 1 } })
      .toArray();
    return new Map(documents.map(({ _id, sums }) => [_id, toSums(sums)]));
  }

  /** The sums of the chunks from `first` on. `found` holds the first ones that exist. */
  async function sumUnfolded(
    book: Book,
    first: number,
    found: ReadonlyMap<string, MonthlyTotals>,
  ): Promise<MonthlyTotals[]> {
    const sums = aheadOf(book, first).flatMap((id) => found.get(id) ?? []);
    // The last one exists: chunks were folded after the totals were read, and later ones may exist.
    if (sums.length < READ_AHEAD) return sums;
    const next = first + READ_AHEAD;
    return [...sums, ...(await sumUnfolded(book, next, await readChunks(aheadOf(book, next))))];
  }

  return {
    chooseChunk: async (book) => openChunks.get(totalsId(book)) ?? (await openChunk(book)),

    async count(entry, place) {
      for (let { chunk } = place; ; chunk = await place.find()) {
        if (chunk !== undefined && (await countIn(entry, chunk))) return;
        await place.move(chunk, await openChunk(entry));
      }
    },

    async read(accountId, months) {
      const books = months.map((month) => {
        const book = { accountId, month };
        return { ...book, expected: openChunks.get(totalsId(book)) ?? 1 };
      });
      // One round trip: the totals, and the chunks that are open as far as this process knows.
      const [totals, ahead] = await Promise.all([
        usageTotals.find({ _id: { $in: books.map(totalsId) } }).toArray(),
        readChunks(books.flatMap((book) => aheadOf(book, book.expected))),
      ]);
      const byId = new Map(totals.map((one) => [one._id, one]));
      const sums = books.map(async (book): Promise<[Month, MonthlyTotals]> => {
        const folded = byId.get(totalsId(book));
        const first = (folded?.throughChunk ?? 0) + 1;
        const found = first === book.expected ? ahead : await readChunks(aheadOf(book, first));
        // Only a chunk that exists may be chosen.
        if (first > book.expected && found.has(chunkId(book, first)))
          openChunks.set(totalsId(book), first);
        const unfolded = await sumUnfolded(book, first, found);
        return [book.month, addTotals([toSums(folded?.sums ?? {}), ...unfolded])];
      });
      return new Map(await Promise.all(sums));
    },
  };
}

function aheadOf(book: Book, first: number): string[] {
  return Array.from({ length: READ_AHEAD }, (_, index) => chunkId(book, first + index));
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
