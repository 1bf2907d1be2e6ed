import type { Collection, AnyBulkWriteOperation, Db } from 'mongodb';
import {
  addCounts,
  countLine,
  mapCounts,
  NO_COUNTS,
  subtractCounts,
  type MigrationCounts,
} from '../../../domain/migrations/counts.ts';
import type { Confirmed } from '../../../domain/migrations/migration.ts';
import type { ByteSample } from '../../../domain/migrations/progress.ts';
import type { ObjectLedger } from './object-ledger.ts';
import { insertIfNew } from '../common/open.ts';

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

/** The part of a page's counts that the running sum includes. */
interface Summed {
  readonly batches: number;
  readonly counts: MigrationCounts;
}

/** A document of its own: a page is large, and its counts are read often. */
interface PageCountsDocument extends PageCounts {
  readonly _id: string;
  readonly migrationId: string;
  readonly page: number;
  readonly at: Date;
  readonly summed: Summed;
  /** The migration, while the running sum does not include all of the page. */
  readonly unsummedOf?: string;
  /** The migration, while the ledger of the page is open. */
  readonly openOf?: string;
  /** Migration and page in order, if objects of it have failed. */
  readonly failedIn?: string;
  /** When the next old object of the page is due for its delete. */
  readonly drainAt?: Date;
}

type BegunPage = Pick<PageCountsDocument, '_id' | 'migrationId' | 'page' | 'batches'>;

/** The running sum of a migration's counts. */
interface SumDocument {
  readonly _id: string;
  /** Incremented by every write. */
  readonly revision: number;
  readonly counts: MigrationCounts;
  /** Included in `counts`; their pages may not know it yet. */
  readonly adding: readonly (Summed & { readonly pageId: string })[];
}

const CLOSED_AT_ONCE = 50;
const ADDED_AT_ONCE = 500;
/** Readings of a sum that changes all the time; the last may differ a little from its pages. */
const MAX_READINGS = 5;
const PAGE_DIGITS = 9;
const WITHOUT_SAMPLES = { projection: { samples: 0 } };

const toId = (migrationId: string, page: number) => `${migrationId}/${page}`;

/**
 * The counts of the pages of manifests, and their sums.
 *
 * A look at a migration reads one running sum and the pages that changed since, however many pages
 * it has. Pages are added to the sum in two writes, so that each change counts once wherever a
 * process dies: the sum with what it adds, then what each page has in the sum.
 */
export class ManifestCounts {
  readonly #ledger: Pick<ObjectLedger, 'ofPage' | 'close'>;
  readonly #pageCounts: Collection<PageCountsDocument>;
  readonly #sums: Collection<SumDocument>;

  constructor(db: Db, ledger: Pick<ObjectLedger, 'ofPage' | 'close'>) {
    this.#ledger = ledger;
    this.#pageCounts = db.collection('manifestCounts');
    this.#sums = db.collection('manifestSums');
  }

  /** True for the first call for this page. */
  async begin(migrationId: string, page: number, now: Date): Promise<boolean> {
    const _id = toId(migrationId, page);
    const isFirst = await insertIfNew(() =>
      this.#pageCounts.insertOne({
        _id,
        migrationId,
        page,
        at: now,
        ...NO_COUNTS,
        batches: 0,
        bytesInFlight: 0,
        samples: [],
        summed: { batches: 0, counts: NO_COUNTS },
        openOf: migrationId,
      }),
    );
    if (isFirst) return true;
    // The parts that a killed worker has uploaded are counted again when the upload is resumed.
    await this.#pageCounts.updateOne(
      { _id, openOf: migrationId, bytesInFlight: { $gt: 0 } },
      { $set: { bytesInFlight: 0 } },
    );
    return false;
  }

  /** Stores the counts of a page; counts that include more batches are kept. */
  async saveCounts(
    migrationId: string,
    page: number,
    counts: PageCounts,
    now: Date,
  ): Promise<void> {
    const failedIn = `${migrationId}/${String(page).padStart(PAGE_DIGITS, '0')}`;
    const set = { ...counts, at: now, unsummedOf: migrationId };
    await this.#pageCounts.updateOne(
      { _id: toId(migrationId, page), batches: { $lt: counts.batches } },
      counts.failed > 0
        ? { $set: { ...set, failedIn } }
        : { $set: set, $unset: { failedIn: true } },
    );
  }

  /** Stores the progress of a page between two batches. Does nothing once its ledger is closed. */
  async saveProgress(
    migrationId: string,
    page: number,
    { batches, ...progress }: PageProgress,
    now: Date,
  ): Promise<void> {
    await this.#pageCounts.updateOne(
      { _id: toId(migrationId, page), batches, openOf: migrationId },
      { $set: { ...progress, at: now, unsummedOf: migrationId } },
    );
  }

  /**
   * Closes the ledger of every page that was started, and brings the counts up to it: a worker that
   * was presumed dead cannot write about them afterwards. `onPage` is called after each page.
   */
  async close(migrationId: string, now: Date, onPage: () => void): Promise<void> {
    for (;;) {
      const begun = await this.#pageCounts
        .find({ openOf: migrationId }, WITHOUT_SAMPLES)
        .limit(CLOSED_AT_ONCE)
        .toArray();
      if (begun.length === 0) return;
      await Promise.all(begun.map((page) => this.#closePage(page, now).then(onPage)));
      await this.#addChanged(migrationId);
    }
  }

  /** Adds the counts of changed pages to the running sum, so that reading it stays cheap. */
  async sum(migrationId: string): Promise<void> {
    await this.#addChanged(migrationId);
  }

  /** The sum over all pages. */
  async counts(migrationId: string): Promise<MigrationCounts> {
    while (await this.#addChanged(migrationId));
    return (await this.#readConfirmed(migrationId))?.counts ?? NO_COUNTS;
  }

  /** The sums over all pages of each migration that has started a page. */
  async confirmed(migrationIds: readonly string[]): Promise<Map<string, Confirmed>> {
    const sums = await Promise.all(
      migrationIds.map(
        async (migrationId) => [migrationId, await this.#readConfirmed(migrationId)] as const,
      ),
    );
    return new Map(sums.flatMap(([id, each]) => (each ? [[id, each]] : [])));
  }

  /** The samples of each page that has changed since. */
  async samplesSince(migrationId: string, since: Date): Promise<(readonly ByteSample[])[]> {
    const documents = this.#pageCounts.find(
      { migrationId, at: { $gte: since } },
      { projection: { samples: 1 } },
    );
    return (await documents.toArray()).map(({ samples }) => samples);
  }

  /** Stores when the next old object of a page is due; undefined: none waits. */
  async saveDrain(migrationId: string, page: number, drainAt: Date | undefined): Promise<void> {
    await this.#pageCounts.updateOne(
      { _id: toId(migrationId, page) },
      drainAt ? { $set: { drainAt } } : { $unset: { drainAt: true } },
    );
  }

  /** The page whose old objects are due first, and when; undefined: none waits. */
  async nextDrain(migrationId: string): Promise<{ page: number; drainAt: Date } | undefined> {
    const [next] = await this.#pageCounts
      .find({ migrationId, drainAt: { $gt: new Date(0) } }, { projection: { page: 1, drainAt: 1 } })
      .sort({ drainAt: 1 })
      .limit(1)
      .toArray();
    return next?.drainAt && { page: next.page, drainAt: next.drainAt };
  }

  /** The counts of the pages that changed last, the latest first. */
  latestCounts(migrationId: string, count: number): Promise<MigrationCounts[]> {
    return this.#pageCounts.find({ migrationId }).sort({ at: -1 }).limit(count).toArray();
  }

  /** The pages with failures, in order. */
  async *withFailures(migrationId: string): AsyncIterable<number> {
    const ofMigration = { $gte: `${migrationId}/`, $lt: `${migrationId}0` };
    const documents = this.#pageCounts
      .find({ failedIn: ofMigration }, { projection: { page: 1 } })
      .sort({ failedIn: 1 });
    for await (const { page } of documents) yield page;
  }

  async #readConfirmed(migrationId: string): Promise<Confirmed | undefined> {
    for (let reading = 1; ; reading += 1) {
      const sum = await this.#sums.findOne({ _id: migrationId });
      const pages = await this.#pageCounts
        .find({ unsummedOf: migrationId }, WITHOUT_SAMPLES)
        .toArray();
      if (!sum && pages.length === 0) return undefined;
      const after = await this.#sums.findOne({ _id: migrationId }, { projection: { revision: 1 } });
      if (after?.revision !== sum?.revision && reading < MAX_READINGS) continue;
      const adding = new Map(sum?.adding.map((each) => [each.pageId, each]));
      return {
        counts: pages
          .map((page) => missing(page, adding.get(page._id)))
          .reduce(addCounts, sum?.counts ?? NO_COUNTS),
        bytesInFlight: pages.reduce((bytes, page) => bytes + page.bytesInFlight, 0),
      };
    }
  }

  /** One step. False: the sum includes all pages. */
  async #addChanged(migrationId: string): Promise<boolean> {
    await insertIfNew(() =>
      this.#sums.insertOne({ _id: migrationId, revision: 0, counts: NO_COUNTS, adding: [] }),
    );
    const sum = await this.#sums.findOne({ _id: migrationId });
    if (!sum) return false;
    if (sum.adding.length > 0) return await this.#noteAdded(migrationId, sum);
    const changed = await this.#pageCounts
      .find({ unsummedOf: migrationId }, WITHOUT_SAMPLES)
      .limit(ADDED_AT_ONCE)
      .toArray();
    const pages = changed.filter(({ batches, summed }) => batches > summed.batches);
    if (pages.length === 0) return false;
    const revision = sum.revision + 1;
    const adding = pages.map((page) => ({
      pageId: page._id,
      batches: page.batches,
      counts: mapCounts((name) => page[name]),
    }));
    const counts = pages.map((page) => missing(page)).reduce(addCounts, sum.counts);
    const { matchedCount } = await this.#sums.updateOne(
      { _id: migrationId, revision: sum.revision },
      { $set: { revision, counts, adding } },
    );
    return matchedCount === 0 || (await this.#noteAdded(migrationId, { revision, adding }));
  }

  /** The second half of an addition, which any process may finish. */
  async #noteAdded(
    migrationId: string,
    { revision, adding }: Pick<SumDocument, 'revision' | 'adding'>,
  ): Promise<true> {
    const writes = adding.flatMap(
      ({ pageId, batches, counts }): AnyBulkWriteOperation<PageCountsDocument>[] => [
        {
          updateOne: {
            filter: { _id: pageId, 'summed.batches': { $lt: batches } },
            update: { $set: { summed: { batches, counts } } },
          },
        },
        {
          updateOne: {
            filter: { _id: pageId, batches, 'summed.batches': batches, bytesInFlight: 0 },
            update: { $unset: { unsummedOf: true } },
          },
        },
      ],
    );
    await this.#pageCounts.bulkWrite(writes);
    await this.#sums.updateOne(
      { _id: migrationId, revision },
      { $set: { revision: revision + 1, adding: [] } },
    );
    return true;
  }

  /** A worker that was killed may have written a batch that the counts do not include. */
  async #closePage({ _id, migrationId, page, batches }: BegunPage, now: Date): Promise<void> {
    const closed = { $unset: { openOf: true } } as const;
    if (await this.#ledger.close(migrationId, page, batches, now)) {
      const set = { batches: batches + 1, bytesInFlight: 0 };
      await this.#pageCounts.updateOne({ _id }, { $set: set, ...closed });
      return;
    }
    const ledger = await this.#ledger.ofPage(migrationId, page);
    const counts = [...ledger.lines.values()].map(countLine).reduce(addCounts, NO_COUNTS);
    const stored = { ...counts, batches: ledger.batches, bytesInFlight: 0, samples: [] };
    await this.saveCounts(migrationId, page, stored, now);
    if (ledger.isClosed) await this.#pageCounts.updateOne({ _id }, closed);
    else await this.#closePage({ _id, migrationId, page, batches: ledger.batches }, now);
  }
}

/** The counts of a page that the sum does not include. */
function missing(page: PageCountsDocument, adding?: Summed): MigrationCounts {
  const summed = adding && adding.batches > page.summed.batches ? adding : page.summed;
  return subtractCounts(
    mapCounts((name) => page[name]),
    summed.counts,
  );
}
