import { LRUCache } from 'lru-cache';
import { Long, type Db, type Filter } from 'mongodb';
import { type Booked, type PlanLimits, uploadQuota } from '../../domain/account/plan.ts';
import { releases, stillBooked, type MonthlyTotals } from '../../domain/upload/usage-totals.ts';
import type { Month } from '../../domain/common/time.ts';
import { insertIfNew } from './open.ts';
import type { UsageTotals } from './usage.ts';

interface QuotaDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly month: Month;
  readonly bytes: number | Long;
  readonly uploads: number | Long;
}

export interface QuotaPeriod {
  readonly accountId: string;
  readonly month: Month;
}

/**
 * The quota of each account and month: one counter of bookings, raised before a file exists. What files
 * released is counted in the monthly totals, exactly once, and never lowers the counter. So what is
 * booked, bookings without releases, may be too high for a while, and is never too low.
 */
export interface Quota {
  /** What is booked: bookings without releases. */
  read(period: QuotaPeriod): Promise<Booked>;
  /** Every booking of the month, released ones included. */
  readBookings(period: QuotaPeriod): Promise<Booked>;
  /** Books one upload if it fits, by one conditional write. */
  book(period: QuotaPeriod, sizeBytes: number, limits: PlanLimits): Promise<boolean>;
  /** Takes back bookings that have no file. The caller must call it once. */
  withdraw(period: QuotaPeriod, bookings: Booked): Promise<void>;
  /** One page of the counters of a month after an account, in the order of account ids. */
  listBookings(
    month: Month,
    afterAccountId: string,
    limit: number,
  ): Promise<(QuotaPeriod & { readonly bookings: Booked })[]>;
}

/** Months whose releases a process remembers. */
const MAX_REMEMBERED = 10_000;
const NOTHING: Booked = { bytes: 0, uploads: 0 };

export function createQuota(db: Db, usageTotals: Pick<UsageTotals, 'read'>): Quota {
  const quota = db.collection<QuotaDocument>('quota');
  /** Releases only grow, so an old figure refuses too much and never allows too much. */
  const knownReleases = new LRUCache<string, Booked>({ max: MAX_REMEMBERED });
  const toId = ({ accountId, month }: QuotaPeriod) => `${month}/${accountId}`;
  const add = (bytes: number, uploads: number) => ({
    $inc: { bytes: Long.fromNumber(bytes), uploads: Long.fromNumber(uploads) },
  });

  async function bookExisting(
    period: QuotaPeriod,
    sizeBytes: number,
    limits: PlanLimits,
  ): Promise<boolean> {
    const left = uploadQuota(limits);
    const released = knownReleases.get(toId(period)) ?? NOTHING;
    const filter: Filter<QuotaDocument> = {
      _id: toId(period),
      ...(left.bytes === null ? {} : { bytes: { $lte: left.bytes + released.bytes - sizeBytes } }),
      ...(left.uploads === null ? {} : { uploads: { $lte: left.uploads + released.uploads - 1 } }),
    };
    const { matchedCount } = await quota.updateOne(filter, add(sizeBytes, 1));
    return matchedCount === 1;
  }

  async function openCounter(period: QuotaPeriod): Promise<void> {
    await insertIfNew(() =>
      quota.insertOne({ _id: toId(period), ...period, bytes: Long.ZERO, uploads: Long.ZERO }),
    );
  }

  async function readTotals({ accountId, month }: QuotaPeriod): Promise<MonthlyTotals> {
    return (await usageTotals.read(accountId, [month])).get(month) ?? {};
  }

  async function readBookings(period: QuotaPeriod): Promise<Booked> {
    return toBooked(await quota.findOne({ _id: toId(period) }));
  }

  return {
    readBookings,

    async read(period) {
      const [bookings, sums] = await Promise.all([readBookings(period), readTotals(period)]);
      return stillBooked(bookings, sums);
    },

    async book(period, sizeBytes, limits) {
      if (await bookExisting(period, sizeBytes, limits)) return true;
      if ((await quota.findOne({ _id: toId(period) })) === null) await openCounter(period);
      else knownReleases.set(toId(period), releases(await readTotals(period)));
      // Retried in any case: another call may have created the counter in between.
      return bookExisting(period, sizeBytes, limits);
    },

    async withdraw(period, { bytes, uploads }) {
      await quota.updateOne({ _id: toId(period) }, add(-bytes, -uploads));
    },

    async listBookings(month, afterAccountId, limit) {
      const documents = await quota
        .find({ month, accountId: { $gt: afterAccountId } })
        .sort({ accountId: 1 })
        .limit(limit)
        .toArray();
      return documents.map(({ accountId, ...document }) => ({
        accountId,
        month,
        bookings: toBooked(document),
      }));
    },
  };
}

function toBooked(document: Pick<QuotaDocument, 'bytes' | 'uploads'> | null): Booked {
  return { bytes: Number(document?.bytes ?? 0), uploads: Number(document?.uploads ?? 0) };
}

interface ScanQuotaDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly month: string;
  /** The ids of the counted scans: counting a scan twice changes nothing. */
  readonly scanIds: string[];
}

/** The number of scans that each account has started in each month. */
export interface ScanQuota {
  /** Counts a scan if it fits; true again for a counted one. */
  book(period: QuotaPeriod, scanId: string, limit: number | null): Promise<boolean>;
}

export function createScanQuota(db: Db): ScanQuota {
  const counters = db.collection<ScanQuotaDocument>('scanQuota');

  return {
    async book({ accountId, month }, scanId, limit) {
      if (limit === null) return true;
      if (limit < 1) return false;
      const _id = `${accountId}|${month}`;
      await insertIfNew(() => counters.insertOne({ _id, accountId, month, scanIds: [] }));
      // The list is full if its last index exists.
      const full = `scanIds.${limit - 1}`;
      const { matchedCount } = await counters.updateOne(
        { _id, scanIds: { $ne: scanId }, [full]: { $exists: false } },
        { $push: { scanIds: scanId } },
      );
      return matchedCount === 1 || (await counters.findOne({ _id, scanIds: scanId })) !== null;
    },
  };
}
