import type { Collection, Db } from 'mongodb';
import type { ManifestPage } from '../../../domain/migrations/manifest.ts';
import type { ObjectLedger } from './object-ledger.ts';
import { isMigrated, type LedgerLine } from '../../../domain/migrations/object-ledger.ts';
import { insertIfNew } from '../common/open.ts';
import { ManifestCounts } from './page-counts.ts';

interface PageDocument extends ManifestPage {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
}

/** The bytes that a round has read from its source, in failed attempts and comparisons too. */
interface ReadsDocument {
  readonly _id: string;
  readonly bytes: number;
}

export interface PageRange {
  readonly page: number;
  /** The keys of the page are behind it; null: at the first key. */
  readonly after: string | null;
}

/** A source object as it was when it was copied. */
export interface MigratedEntry {
  readonly key: string;
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface MigratedPage {
  readonly after: string | null;
  readonly entries: readonly MigratedEntry[];
}

const RANGE = { projection: { page: 1, after: 1 } };

const toId = (migrationId: string, page: number) => `${migrationId}/${page}`;

/**
 * The manifests of migrations: the objects to copy, in ordered pages of up to 1,000 keys, and the
 * counts of each page.
 */
export class Manifests extends ManifestCounts {
  readonly #ledger: Pick<ObjectLedger, 'ofPage' | 'close'>;
  readonly #pages: Collection<PageDocument>;
  readonly #reads: Collection<ReadsDocument>;

  constructor(db: Db, ledger: Pick<ObjectLedger, 'ofPage' | 'close'>) {
    super(db, ledger);
    this.#ledger = ledger;
    this.#pages = db.collection('manifestPages');
    this.#reads = db.collection('manifestReads');
  }

  /** Adds a page, and returns the stored one: an existing page is kept. */
  async addPage(migrationId: string, page: number, planned: ManifestPage): Promise<ManifestPage> {
    const _id = toId(migrationId, page);
    await insertIfNew(() => this.#pages.insertOne({ _id, migrationId, page, ...planned }));
    return (await this.findPage(migrationId, page)) ?? planned;
  }

  async findPage(migrationId: string, page: number): Promise<ManifestPage | undefined> {
    const stored = await this.#pages.findOne({ _id: toId(migrationId, page) });
    if (!stored) return undefined;
    const { _id, migrationId: _migration, page: _page, ...planned } = stored;
    return planned;
  }

  /**
   * The objects of a page that are at the target, copied or skipped, in the order of their keys.
   * `after`: the last key before the page. Undefined: there is no such page.
   */
  async migrated(migrationId: string, page: number): Promise<MigratedPage | undefined> {
    const [planned, lines] = await Promise.all([
      this.findPage(migrationId, page),
      this.lines(migrationId, page),
    ]);
    if (!planned) return undefined;
    const entries = lines
      .filter(isMigrated)
      .map(({ key, sourceEtag, bytes }) => ({ key, etag: sourceEtag, sizeBytes: bytes }));
    return { after: planned.after, entries };
  }

  /** Adds to the bytes that the round has read from its source, and returns their sum. */
  async addSourceBytes(id: string, bytes: number): Promise<number> {
    const read = await this.#reads.findOneAndUpdate(
      { _id: id },
      { $inc: { bytes } },
      { upsert: true, returnDocument: 'after' },
    );
    return read?.bytes ?? bytes;
  }

  /** The ledger lines of a page, in the order of their keys; the removed objects last. */
  async lines(id: string, page: number): Promise<LedgerLine[]> {
    return [...(await this.#ledger.ofPage(id, page)).lines]
      .toSorted(([a], [b]) => a - b)
      .map(([, line]) => line);
  }

  /** The first pages with keys behind `after`, up to a key, in order. Null: no bound. */
  async pagesBetween(
    id: string,
    after: string | null,
    upTo: string | null,
    limit: number,
  ): Promise<PageRange[]> {
    const first = after === null ? undefined : await this.#lastBefore(id, after);
    const begin = first ?? (await this.#pages.findOne({ migrationId: id, after: null }, RANGE));
    const behind = {
      ...(first ? { $gt: first.after } : { $ne: null }),
      ...(upTo === null ? {} : { $lt: upTo }),
    };
    const others = this.#pages
      .find({ migrationId: id, after: behind }, RANGE)
      .sort({ after: 1 })
      .limit(limit);
    return [...(begin ? [begin] : []), ...(await others.toArray())]
      .slice(0, limit)
      .map(({ page, after: begins }) => ({ page, after: begins }));
  }

  /** The last page that begins before a key, unless it is the first one. */
  async #lastBefore(id: string, key: string): Promise<PageRange | undefined> {
    const [last] = await this.#pages
      .find({ migrationId: id, after: { $lt: key } }, RANGE)
      .sort({ after: -1 })
      .limit(1)
      .toArray();
    return last;
  }
}
