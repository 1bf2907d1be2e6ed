import type { Collection, Db } from 'mongodb';
import type { LedgerLine } from '../../../domain/migrations/object-ledger.ts';
import { insertIfNew } from '../common/open.ts';

/** A line with the index of its object in the page. */
export interface PlacedLine extends LedgerLine {
  readonly place: number;
}

interface BatchDocument {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
  readonly batch: number;
  readonly at: Date;
  readonly lines: readonly PlacedLine[];
  /** Places whose objects may be written from now on. */
  readonly named?: readonly number[];
  /** The migration has ended: no batch follows. */
  readonly isLast?: true;
}

/** The ledger of one page. */
export interface PageLedger {
  readonly batches: number;
  /** By place; the later line if an object has two. */
  readonly lines: ReadonlyMap<number, PlacedLine>;
  /** The places named before a worker wrote there: an object without a line may be its own. */
  readonly named: ReadonlySet<number>;
  /** No line follows: the migration has ended. */
  readonly isClosed: boolean;
}

const toId = (migrationId: string, page: number, batch: number) =>
  `${migrationId}/${page}/${batch}`;

/**
 * The outcome of each object, in append-only batches of lines, and the places that are about to be
 * written. A page's batches are numbered without a gap, so that only one of two workers on a page
 * can append.
 */
export class ObjectLedger {
  readonly #batches: Collection<BatchDocument>;

  constructor(db: Db) {
    this.#batches = db.collection('ledger');
  }

  /** False if the batch exists: another worker writes about this page, or the page is closed. */
  append(
    migrationId: string,
    page: number,
    batch: number,
    content: { readonly lines: readonly PlacedLine[]; readonly named: readonly number[] },
    at: Date,
  ): Promise<boolean> {
    return this.#insert({
      _id: toId(migrationId, page, batch),
      migrationId,
      page,
      batch,
      at,
      ...content,
    });
  }

  /** Appends the last batch, which has no line. False if the batch exists. */
  close(migrationId: string, page: number, batch: number, at: Date): Promise<boolean> {
    return this.#insert({
      _id: toId(migrationId, page, batch),
      migrationId,
      page,
      batch,
      at,
      lines: [],
      isLast: true,
    });
  }

  async ofPage(migrationId: string, page: number): Promise<PageLedger> {
    const lines = new Map<number, PlacedLine>();
    const named = new Set<number>();
    let isClosed = false;
    for (let number = 0; ; number += 1) {
      const batch = await this.#batches.findOne({ _id: toId(migrationId, page, number) });
      if (!batch) return { batches: number, lines, named, isClosed };
      isClosed = batch.isLast === true;
      for (const line of batch.lines) lines.set(line.place, line);
      for (const place of batch.named ?? []) named.add(place);
    }
  }

  #insert(batch: BatchDocument): Promise<boolean> {
    return insertIfNew(() => this.#batches.insertOne(batch));
  }
}
