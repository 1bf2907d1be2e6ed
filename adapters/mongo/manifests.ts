import type { Db, Long } from 'mongodb';
import type { ManifestPage } from '../../domain/migration/manifest.ts';
import type { Ledger } from './ledger.ts';
import { insertIfNew, isDuplicate } from './open.ts';

/** What became of a page's objects so far. */
export interface PageProgress {
  /** Batches of the ledger that are counted in. */
  readonly batches: number;
  readonly copied: number;
  readonly skipped: number;
  readonly failed: number;
  /** Of the objects that were tried at all, and of these that failed. */
  readonly tried: number;
  readonly triedInVain: number;
  readonly bytesCopied: number;
  /** Of all objects of which the outcome is known. */
  readonly bytesSettled: number;
  /** Objects that hold something which the target cannot. */
  readonly tags: number;
  readonly lock: number;
}

export const NO_PROGRESS: PageProgress = {
  batches: 0,
  copied: 0,
  skipped: 0,
  failed: 0,
  tried: 0,
  triedInVain: 0,
  bytesCopied: 0,
  bytesSettled: 0,
  tags: 0,
  lock: 0,
};

interface PageDocument extends ManifestPage {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
}

/** Small and by itself: a page is large, and how it stands is asked again and again. */
interface ProgressDocument extends PageProgress {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
  readonly at: Date;
}

/**
 * The manifests of migrations: what is to be copied, in pages of up to 1,000 keys, in their order; and
 * what has become of it, page by page.
 */
export interface Manifests {
  /** Adds a page; where it is there already, that one counts. */
  add(migrationId: string, page: number, planned: ManifestPage): Promise<ManifestPage>;
  find(migrationId: string, page: number): Promise<ManifestPage | undefined>;
  /** Whether it is for the first time that anybody begins to copy the page. */
  begin(migrationId: string, page: number, now: Date): Promise<boolean>;
  /** Counts that know of more batches stay. */
  settle(migrationId: string, page: number, progress: PageProgress, now: Date): Promise<void>;
  /** What the pages add up to. */
  progress(migrationId: string): Promise<PageProgress>;
  /** What became of the pages that were settled last, the latest first. */
  latest(migrationId: string, pages: number): Promise<PageProgress[]>;
  /** The pages that hold failures, in order. */
  withFailures(migrationId: string): Promise<number[]>;
  /**
   * What of a page is at the target by now, copied or found there, in the order of its keys. `after`:
   * the key behind which the page begins. Undefined: there is no such page.
   */
  carried(migrationId: string, page: number): Promise<CarriedPage | undefined>;
  /** Whether the key is in the manifest. */
  holds(migrationId: string, key: string): Promise<boolean>;
}

/** An object as it was at the source when it was copied. */
export interface CarriedEntry {
  readonly key: string;
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface CarriedPage {
  readonly after: string | null;
  readonly entries: readonly CarriedEntry[];
}

export function createManifests(db: Db, ledger: Pick<Ledger, 'ofPage'>): Manifests {
  const pages = db.collection<PageDocument>('manifestPages');
  const standing = db.collection<ProgressDocument>('manifestProgress');
  const idOf = (migrationId: string, page: number) => `${migrationId}/${page}`;
  const find = async (migrationId: string, page: number): Promise<ManifestPage | undefined> => {
    const found = await pages.findOne({ _id: idOf(migrationId, page) });
    return found ? { after: found.after, next: found.next, entries: found.entries } : undefined;
  };

  return {
    find,

    async add(migrationId, page, planned) {
      const _id = idOf(migrationId, page);
      await insertIfNew(() => pages.insertOne({ _id, migrationId, page, ...planned }));
      return (await find(migrationId, page)) ?? planned;
    },

    async begin(migrationId, page, now) {
      const _id = idOf(migrationId, page);
      try {
        await standing.insertOne({ _id, migrationId, page, at: now, ...NO_PROGRESS });
        return true;
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
    },

    async settle(migrationId, page, progress, now) {
      await standing.updateOne(
        { _id: idOf(migrationId, page), batches: { $lt: progress.batches } },
        { $set: { ...progress, at: now } },
      );
    },

    async progress(migrationId) {
      const names = Object.keys(NO_PROGRESS) as (keyof PageProgress)[];
      const [row] = await standing
        .aggregate<Record<keyof PageProgress, number | Long>>([
          { $match: { migrationId } },
          {
            $group: {
              _id: null,
              ...Object.fromEntries(names.map((name) => [name, { $sum: `$${name}` }])),
            },
          },
        ])
        .toArray();
      if (!row) return NO_PROGRESS;
      // Sums beyond 2^31 may come as 64-bit integers.
      return Object.fromEntries(names.map((name) => [name, Number(row[name])])) as {
        [Name in keyof PageProgress]: number;
      };
    },

    latest: (migrationId, count) =>
      standing.find({ migrationId }).sort({ at: -1 }).limit(count).toArray(),

    async withFailures(migrationId) {
      const found = await standing
        .find({ migrationId, failed: { $gt: 0 } }, { projection: { page: 1 } })
        .sort({ page: 1 })
        .toArray();
      return found.map(({ page }) => page);
    },

    async carried(migrationId, page) {
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
