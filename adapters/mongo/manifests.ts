import type { Db, Long } from 'mongodb';
import {
  addCounts,
  COUNT_NAMES,
  countLine,
  mapCounts,
  NO_COUNTS,
  type MigrationCounts,
} from '../../domain/migration/counts.ts';
import type { ManifestPage } from '../../domain/migration/manifest.ts';
import type { Confirmed } from '../../domain/migration/migration.ts';
import type { ByteSample } from '../../domain/migration/progress.ts';
import type { ObjectLedger } from './object-ledger.ts';
import { insertIfNew } from './open.ts';

/** The counts of a page, up to a batch of its object ledger. */
export interface PageCounts extends MigrationCounts, PageProgress {}

/** The confirmed progress of a page, besides its counts. */
export interface PageProgress {
  /** Ledger batches that the counts include. */
  readonly batches: number;
  /** Confirmed bytes of objects without a line. */
  readonly bytesInFlight: number;
  /** The confirmed bytes of the page in the last 30 seconds, the oldest first. */
  readonly samples: readonly ByteSample[];
}

interface PageDocument extends ManifestPage {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
}

/** A document of its own: a page is large, and its counts are read often. */
interface PageCountsDocument extends PageCounts {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
  readonly at: Date;
  /** The ledger of the page is closed. */
  readonly isClosed?: true;
}

/**
 * The manifests of migrations: the objects to copy, in ordered pages of up to 1,000 keys, and the
 * counts of each page.
 */
export interface Manifests {
  /** Adds a page, and returns the stored one: an existing page is kept. */
  add(migrationId: string, page: number, planned: ManifestPage): Promise<ManifestPage>;
  find(migrationId: string, page: number): Promise<ManifestPage | undefined>;
  /** True for the first call for this page. */
  begin(migrationId: string, page: number, now: Date): Promise<boolean>;
  /** Stores the counts of a page; counts that include more batches are kept. */
  saveCounts(migrationId: string, page: number, counts: PageCounts, now: Date): Promise<void>;
  /** Stores the progress of a page between two batches. Does nothing once its ledger is closed. */
  saveProgress(migrationId: string, page: number, progress: PageProgress, now: Date): Promise<void>;
  /**
   * Closes the ledger of every page that was started, and brings the counts up to it: a worker that was
   * presumed dead cannot write about them afterwards. `onPage` is called after each page.
   */
  close(migrationId: string, now: Date, onPage: () => void): Promise<void>;
  /** The sum over all pages. */
  counts(migrationId: string): Promise<MigrationCounts>;
  /** The sums over all pages of each migration that has started a page. */
  confirmed(migrationIds: readonly string[]): Promise<Map<string, Confirmed>>;
  /** The samples of each page that has changed since. */
  samplesSince(migrationId: string, since: Date): Promise<(readonly ByteSample[])[]>;
  /** The counts of the pages that changed last, the latest first. */
  latestCounts(migrationId: string, pages: number): Promise<MigrationCounts[]>;
  /** The pages with failures, in order. */
  withFailures(migrationId: string): Promise<number[]>;
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

const CLOSED_AT_ONCE = 50;

export function createManifests(db: Db, ledger: Pick<ObjectLedger, 'ofPage' | 'close'>): Manifests {
  const pages = db.collection<PageDocument>('manifestPages');
  const pageCounts = db.collection<PageCountsDocument>('manifestCounts');
  const toId = (migrationId: string, page: number) => `${migrationId}/${page}`;
  const find = async (migrationId: string, page: number): Promise<ManifestPage | undefined> => {
    const found = await pages.findOne({ _id: toId(migrationId, page) });
    return found ? { after: found.after, next: found.next, entries: found.entries } : undefined;
  };

  async function confirmed(migrationIds: readonly string[]): Promise<Map<string, Confirmed>> {
    const names = [...COUNT_NAMES, 'bytesInFlight'] as const;
    const sums = Object.fromEntries(names.map((name) => [name, { $sum: `$${name}` }]));
    const rows = await pageCounts
      .aggregate<Record<(typeof names)[number], number | Long> & { _id: string }>([
        { $match: { migrationId: { $in: [...migrationIds] } } },
        { $group: { _id: '$migrationId', ...sums } },
      ])
      .toArray();
    // Sums above 2^31 may come as 64-bit integers.
    return new Map(
      rows.map((row) => [
        row._id,
        {
          counts: mapCounts((name) => Number(row[name])),
          bytesInFlight: Number(row.bytesInFlight),
        },
      ]),
    );
  }

  /** A worker that was killed may have written a batch that the counts do not include. */
  async function closePage(
    {
      _id,
      migrationId,
      page,
      batches,
    }: Pick<PageCountsDocument, '_id' | 'migrationId' | 'page' | 'batches'>,
    now: Date,
  ): Promise<void> {
    if (await ledger.close(migrationId, page, batches, now)) {
      await pageCounts.updateOne(
        { _id },
        { $set: { batches: batches + 1, bytesInFlight: 0, isClosed: true } },
      );
      return;
    }
    const found = await ledger.ofPage(migrationId, page);
    const counts = [...found.lines.values()].map(countLine).reduce(addCounts, NO_COUNTS);
    const set = { ...counts, batches: found.batches, bytesInFlight: 0, at: now };
    await pageCounts.updateOne({ _id }, { $set: set });
    if (found.isClosed) await pageCounts.updateOne({ _id }, { $set: { isClosed: true } });
    else await closePage({ _id, migrationId, page, batches: found.batches }, now);
  }

  return {
    find,

    async add(migrationId, page, planned) {
      const _id = toId(migrationId, page);
      await insertIfNew(() => pages.insertOne({ _id, migrationId, page, ...planned }));
      return (await find(migrationId, page)) ?? planned;
    },

    async begin(migrationId, page, now) {
      const _id = toId(migrationId, page);
      const counts = { ...NO_COUNTS, batches: 0, bytesInFlight: 0, samples: [] };
      const isFirst = await insertIfNew(() =>
        pageCounts.insertOne({ _id, migrationId, page, at: now, ...counts }),
      );
      if (isFirst) return true;
      // The uploads of a worker that was killed are not continued.
      await pageCounts.updateOne(
        { _id, isClosed: { $exists: false }, bytesInFlight: { $gt: 0 } },
        { $set: { bytesInFlight: 0 } },
      );
      return false;
    },

    async saveCounts(migrationId, page, counts, now) {
      await pageCounts.updateOne(
        { _id: toId(migrationId, page), batches: { $lt: counts.batches } },
        { $set: { ...counts, at: now } },
      );
    },

    async saveProgress(migrationId, page, { batches, ...progress }, now) {
      await pageCounts.updateOne(
        { _id: toId(migrationId, page), batches, isClosed: { $exists: false } },
        { $set: { ...progress, at: now } },
      );
    },

    async close(migrationId, now, onPage) {
      const open = { migrationId, isClosed: { $exists: false } };
      const fields = { projection: { migrationId: 1, page: 1, batches: 1 } };
      for (;;) {
        const begun = await pageCounts.find(open, fields).limit(CLOSED_AT_ONCE).toArray();
        if (begun.length === 0) return;
        await Promise.all(begun.map((page) => closePage(page, now).then(onPage)));
      }
    },

    confirmed,

    counts: async (migrationId) =>
      (await confirmed([migrationId])).get(migrationId)?.counts ?? NO_COUNTS,

    async samplesSince(migrationId, since) {
      const found = pageCounts.find(
        { migrationId, at: { $gte: since } },
        { projection: { samples: 1 } },
      );
      return (await found.toArray()).map(({ samples }) => samples);
    },

    latestCounts: (migrationId, count) =>
      pageCounts.find({ migrationId }).sort({ at: -1 }).limit(count).toArray(),

    async withFailures(migrationId) {
      const found = await pageCounts
        .find({ migrationId, failed: { $gt: 0 } }, { projection: { page: 1 } })
        .sort({ page: 1 })
        .toArray();
      return found.map(({ page }) => page);
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
