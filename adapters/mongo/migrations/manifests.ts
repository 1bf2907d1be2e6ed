import type { Db } from 'mongodb';
import type { ManifestPage } from '../../../domain/migrations/manifest.ts';
import type { ObjectLedger } from './object-ledger.ts';
import { isMigrated, type LedgerLine } from '../../../domain/migrations/object-ledger.ts';
import { insertIfNew } from '../common/open.ts';
import { createManifestCounts, type ManifestCounts } from './page-counts.ts';

interface PageDocument extends ManifestPage {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
}

/** Of a round: the bytes that it has read from its source, failed attempts and comparisons included. */
interface ReadsDocument {
  readonly _id: string;
  readonly bytes: number;
}

/**
 * The manifests of migrations: the objects to copy, in ordered pages of up to 1,000 keys, and the
 * counts of each page.
 */
export interface Manifests extends ManifestCounts {
  /** Adds a page, and returns the stored one: an existing page is kept. */
  addPage(migrationId: string, page: number, planned: ManifestPage): Promise<ManifestPage>;
  findPage(migrationId: string, page: number): Promise<ManifestPage | undefined>;
  /**
   * The objects of a page that are at the target, copied or skipped, in the order of their keys.
   * `after`: the last key before the page. Undefined: there is no such page.
   */
  migrated(migrationId: string, page: number): Promise<MigratedPage | undefined>;
  /** Adds to the bytes that the round has read from its source, and returns their sum. */
  addSourceBytes(id: string, bytes: number): Promise<number>;
  /** The ledger lines of a page, in the order of their keys; the removed objects last. */
  lines(id: string, page: number): Promise<LedgerLine[]>;
  /** The first pages with keys behind `after` and up to a key, in order. Null: from the first key, to the last one. */
  pagesBetween(
    id: string,
    after: string | null,
    upTo: string | null,
    limit: number,
  ): Promise<PageRange[]>;
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

export function createManifests(db: Db, ledger: Pick<ObjectLedger, 'ofPage' | 'close'>): Manifests {
  const pages = db.collection<PageDocument>('manifestPages');
  const reads = db.collection<ReadsDocument>('manifestReads');
  const toId = (migrationId: string, page: number) => `${migrationId}/${page}`;
  const findPage = async (migrationId: string, page: number): Promise<ManifestPage | undefined> => {
    const found = await pages.findOne({ _id: toId(migrationId, page) });
    if (!found) return undefined;
    const { _id, migrationId: _migration, page: _page, ...planned } = found;
    return planned;
  };
  const lines = async (id: string, page: number): Promise<LedgerLine[]> =>
    [...(await ledger.ofPage(id, page)).lines]
      .toSorted(([a], [b]) => a - b)
      .map(([, line]) => line);

  /** The last page that begins before a key, unless it is the first one. */
  async function lastBefore(id: string, key: string): Promise<PageRange | undefined> {
    const [last] = await pages
      .find({ migrationId: id, after: { $lt: key } }, RANGE)
      .sort({ after: -1 })
      .limit(1)
      .toArray();
    return last;
  }

  return {
    ...createManifestCounts(db, ledger),
    findPage,

    async addPage(migrationId, page, planned) {
      const _id = toId(migrationId, page);
      await insertIfNew(() => pages.insertOne({ _id, migrationId, page, ...planned }));
      return (await findPage(migrationId, page)) ?? planned;
    },

    async migrated(migrationId, page) {
      const [planned, found] = await Promise.all([
        findPage(migrationId, page),
        lines(migrationId, page),
      ]);
      if (!planned) return undefined;
      const entries = found
        .filter(isMigrated)
        .map(({ key, sourceEtag, bytes }) => ({ key, etag: sourceEtag, sizeBytes: bytes }));
      return { after: planned.after, entries };
    },

    lines,

    async addSourceBytes(id, bytes) {
      const read = await reads.findOneAndUpdate(
        { _id: id },
        { $inc: { bytes } },
        { upsert: true, returnDocument: 'after' },
      );
      return read?.bytes ?? bytes;
    },

    async pagesBetween(id, after, upTo, limit) {
      const first = after === null ? undefined : await lastBefore(id, after);
      const begin = first ?? (await pages.findOne({ migrationId: id, after: null }, RANGE));
      const behind = { $gt: first?.after ?? '', ...(upTo === null ? {} : { $lt: upTo }) };
      const others = pages
        .find({ migrationId: id, after: behind }, RANGE)
        .sort({ after: 1 })
        .limit(limit);
      return [...(begin ? [begin] : []), ...(await others.toArray())]
        .slice(0, limit)
        .map(({ page, after: begins }) => ({ page, after: begins }));
    },
  };
}
