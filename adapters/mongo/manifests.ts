import type { Db } from 'mongodb';
import type { ManifestPage } from '../../domain/migration/manifest.ts';
import type { ObjectLedger } from './object-ledger.ts';
import { insertIfNew } from './open.ts';
import { createManifestCounts, type ManifestCounts } from './page-counts.ts';

interface PageDocument extends ManifestPage {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
}

/**
 * The manifests of migrations: the objects to copy, in ordered pages of up to 1,000 keys, and the
 * counts of each page.
 */
export interface Manifests extends ManifestCounts {
  /** Adds a page, and returns the stored one: an existing page is kept. */
  add(migrationId: string, page: number, planned: ManifestPage): Promise<ManifestPage>;
  find(migrationId: string, page: number): Promise<ManifestPage | undefined>;
  /**
   * The objects of a page that are at the target, copied or skipped, in the order of their keys.
   * `after`: the last key before the page. Undefined: there is no such page.
   */
  migrated(migrationId: string, page: number): Promise<MigratedPage | undefined>;
  /** Whether the key is in the manifest. */
  holds(migrationId: string, key: string): Promise<boolean>;
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

export function createManifests(db: Db, ledger: Pick<ObjectLedger, 'ofPage' | 'close'>): Manifests {
  const pages = db.collection<PageDocument>('manifestPages');
  const toId = (migrationId: string, page: number) => `${migrationId}/${page}`;
  const find = async (migrationId: string, page: number): Promise<ManifestPage | undefined> => {
    const found = await pages.findOne({ _id: toId(migrationId, page) });
    return found ? { after: found.after, next: found.next, entries: found.entries } : undefined;
  };

  return {
    ...createManifestCounts(db, ledger),
    find,

    async add(migrationId, page, planned) {
      const _id = toId(migrationId, page);
      await insertIfNew(() => pages.insertOne({ _id, migrationId, page, ...planned }));
      return (await find(migrationId, page)) ?? planned;
    },

    async migrated(migrationId, page) {
      const [planned, { lines }] = await Promise.all([
        find(migrationId, page),
        ledger.ofPage(migrationId, page),
      ]);
      if (!planned) return undefined;
      const entries = [...lines]
        .toSorted(([a], [b]) => a - b)
        .filter(([, { outcome }]) => outcome !== 'failed')
        .map(([, { key, sourceEtag, bytes }]) => ({ key, etag: sourceEtag, sizeBytes: bytes }));
      return { after: planned.after, entries };
    },

    async holds(migrationId, key) {
      const [last] = await pages
        .find({ migrationId, after: { $lt: key } })
        .sort({ after: -1 })
        .limit(1)
        .toArray();
      const page = last ?? (await find(migrationId, 0));
      return page?.entries.some((entry) => entry.key === key) ?? false;
    },
  };
}
