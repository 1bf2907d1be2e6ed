import { LRUCache } from 'lru-cache';
import { Long, type Collection, type Db, type Filter } from 'mongodb';
import { type Booked, type PlanLimits, uploadQuota } from '../../../domain/accounts/plan.ts';
import { releases, stillBooked, type MonthlyTotals } from '../../../domain/uploads/usage-totals.ts';
import type { Month } from '../../../domain/common/time.ts';
import { insertIfNew } from '../common/open.ts';
import type { UsageTotals } from './usage.ts';

interface QuotaDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly month: Month;
  readonly bytes: number | Long;
  readonly uploads: number | Long;
  /** How often the reconciliation has lowered the counter. */
  readonly corrections: number;
  /** How often an init has lowered it. */
  readonly withdrawals: number;
  /** The bookings that had a file when the counter was last reconciled. */
  readonly reconciled?: Pick<QuotaDocument, 'bytes' | 'uploads'>;
}

export interface QuotaPeriod {
  readonly accountId: string;
  readonly month: Month;
}

/** What identifies a booking to `withdraw`. */
export type QuotaBooking = Pick<QuotaDocument, 'corrections'>;

/** A counter as it was read. */
export interface QuotaCounter
  extends QuotaPeriod, Pick<QuotaDocument, 'corrections' | 'withdrawals'> {
  readonly bookings: Booked;
  /** No booking was added since it was reconciled. */
  readonly isReconciled: boolean;
}

/** The last account that the reconciliation has finished. */
export interface QuotaPosition extends QuotaPeriod {
  /** What is summed of the account after it, which has many files. */
  readonly sum?: BookingsSum;
}

/** The sum of an account's files up to one of them. */
export interface BookingsSum {
  readonly counter: QuotaCounter;
  readonly held: Booked;
  /** Undefined: none is summed. */
  readonly lastFileId?: string | undefined;
}

/** Months whose releases a process remembers. */
const MAX_REMEMBERED = 10_000;
/** A release is taken back if an expired file becomes active. */
const REMEMBERED_MS = 10_000;
const POSITION_ID = 'reconcileQuota';
const NOTHING: Booked = { bytes: 0, uploads: 0 };

const toId = ({ accountId, month }: QuotaPeriod) => `${month}/${accountId}`;
const add = (bytes: number, uploads: number) => ({
  $inc: { bytes: Long.fromNumber(bytes), uploads: Long.fromNumber(uploads) },
});

/**
 * The quota of each account and month: one counter of bookings, raised before a file exists. What
 * files released is counted in the monthly totals, exactly once, and never lowers the counter. So
 * what is booked, bookings without releases, may be too high for a while, and is never too low.
 */
export class Quota {
  readonly #usageTotals: Pick<UsageTotals, 'read'>;
  readonly #quota: Collection<QuotaDocument>;
  readonly #positions: Collection<QuotaPosition & { readonly _id: string }>;
  readonly #knownReleases = new LRUCache<string, Booked>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  });

  constructor(db: Db, usageTotals: Pick<UsageTotals, 'read'>) {
    this.#usageTotals = usageTotals;
    this.#quota = db.collection('quota');
    this.#positions = db.collection('positions');
  }

  /** What is booked: bookings without releases. */
  async read(period: QuotaPeriod): Promise<Booked> {
    const [bookings, sums] = await Promise.all([
      this.readBookings(period),
      this.#readTotals(period),
    ]);
    return stillBooked(bookings, sums);
  }

  /** Every booking of the month, released ones included. */
  async readBookings(period: QuotaPeriod): Promise<Booked> {
    return toBooked(await this.#quota.findOne({ _id: toId(period) }));
  }

  /** Books one upload, by one conditional write. Undefined if it does not fit. */
  async book(
    period: QuotaPeriod,
    sizeBytes: number,
    limits: PlanLimits,
  ): Promise<QuotaBooking | undefined> {
    const booking = await this.#bookExisting(period, sizeBytes, limits);
    if (booking) return booking;
    if ((await this.#quota.findOne({ _id: toId(period) })) === null)
      await this.#openCounter(period);
    else this.#knownReleases.set(toId(period), releases(await this.#readTotals(period)));
    // Retried in any case: another call may have created the counter in between.
    return this.#bookExisting(period, sizeBytes, limits);
  }

  /**
   * Takes back one booking that has no file. The caller must call it once. It does nothing if a
   * correction came after the booking, because that may have taken it back already.
   */
  async withdraw(
    period: QuotaPeriod,
    sizeBytes: number,
    { corrections }: QuotaBooking,
  ): Promise<void> {
    const { $inc } = add(-sizeBytes, -1);
    await this.#quota.updateOne(
      { _id: toId(period), corrections },
      { $inc: { ...$inc, withdrawals: 1 } },
    );
  }

  /** One page of the counters of a month after an account, in the order of account ids. */
  async listCounters(month: Month, afterAccountId: string, limit: number): Promise<QuotaCounter[]> {
    const documents = await this.#quota
      .find({ month, accountId: { $gt: afterAccountId } })
      .sort({ accountId: 1 })
      .limit(limit)
      .toArray();
    return documents.map(({ accountId, corrections, withdrawals, reconciled, ...counted }) => ({
      accountId,
      month,
      corrections,
      withdrawals,
      bookings: toBooked(counted),
      isReconciled: reconciled !== undefined && isSame(toBooked(counted), toBooked(reconciled)),
    }));
  }

  /**
   * Subtracts bookings without a file from a counter, and notes that the others have one. Does
   * nothing if it has been lowered since it was read. True if it was lowered now.
   */
  async reconcile(
    { accountId, month, corrections, withdrawals, bookings }: QuotaCounter,
    surplus: Booked,
  ): Promise<boolean> {
    const isTooHigh = !isSame(surplus, NOTHING);
    const { $inc } = add(-surplus.bytes, -surplus.uploads);
    const reconciled = {
      bytes: Long.fromNumber(bookings.bytes - surplus.bytes),
      uploads: Long.fromNumber(bookings.uploads - surplus.uploads),
    };
    const { matchedCount } = await this.#quota.updateOne(
      { _id: toId({ accountId, month }), corrections, withdrawals },
      { $set: { reconciled }, ...(isTooHigh ? { $inc: { ...$inc, corrections: 1 } } : {}) },
    );
    return isTooHigh && matchedCount === 1;
  }

  /** Where the reconciliation continues; undefined at its beginning. */
  async readPosition(): Promise<QuotaPosition | undefined> {
    const stored = await this.#positions.findOne({ _id: POSITION_ID });
    if (!stored) return undefined;
    const { _id, ...position } = stored;
    return position;
  }

  /** `undefined`: the next reconciliation begins anew. */
  async savePosition(position: QuotaPosition | undefined): Promise<void> {
    if (!position) await this.#positions.deleteOne({ _id: POSITION_ID });
    else await this.#positions.replaceOne({ _id: POSITION_ID }, position, { upsert: true });
  }

  async #bookExisting(
    period: QuotaPeriod,
    sizeBytes: number,
    limits: PlanLimits,
  ): Promise<QuotaBooking | undefined> {
    const left = uploadQuota(limits);
    const released = this.#knownReleases.get(toId(period)) ?? NOTHING;
    const filter: Filter<QuotaDocument> = {
      _id: toId(period),
      ...(left.bytes === null ? {} : { bytes: { $lte: left.bytes + released.bytes - sizeBytes } }),
      ...(left.uploads === null ? {} : { uploads: { $lte: left.uploads + released.uploads - 1 } }),
    };
    const previous = await this.#quota.findOneAndUpdate(filter, add(sizeBytes, 1), {
      returnDocument: 'before',
      projection: { corrections: 1 },
    });
    return previous ? { corrections: previous.corrections } : undefined;
  }

  async #openCounter(period: QuotaPeriod): Promise<void> {
    await insertIfNew(() =>
      this.#quota.insertOne({
        _id: toId(period),
        ...period,
        bytes: Long.ZERO,
        uploads: Long.ZERO,
        corrections: 0,
        withdrawals: 0,
      }),
    );
  }

  async #readTotals({ accountId, month }: QuotaPeriod): Promise<MonthlyTotals> {
    return (await this.#usageTotals.read(accountId, [month])).get(month) ?? {};
  }
}

function isSame(one: Booked, other: Booked): boolean {
  return one.bytes === other.bytes && one.uploads === other.uploads;
}

function toBooked(document: Pick<QuotaDocument, 'bytes' | 'uploads'> | null): Booked {
  return document ? { bytes: Number(document.bytes), uploads: Number(document.uploads) } : NOTHING;
}

interface ScanQuotaDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly month: string;
  /** The ids of the counted scans: counting a scan twice changes nothing. */
  readonly scanIds: string[];
}

/** The number of scans that each account has started in each month. */
export class ScanQuota {
  readonly #counters: Collection<ScanQuotaDocument>;

  constructor(db: Db) {
    this.#counters = db.collection('scanQuota');
  }

  /** Counts a scan if it fits; true again for a counted one. */
  async book(
    { accountId, month }: QuotaPeriod,
    scanId: string,
    limit: number | null,
  ): Promise<boolean> {
    if (limit === null) return true;
    if (limit < 1) return false;
    const _id = `${accountId}|${month}`;
    await insertIfNew(() => this.#counters.insertOne({ _id, accountId, month, scanIds: [] }));
    // The list is full if its last index exists.
    const full = `scanIds.${limit - 1}`;
    const { matchedCount } = await this.#counters.updateOne(
      { _id, scanIds: { $ne: scanId }, [full]: { $exists: false } },
      { $push: { scanIds: scanId } },
    );
    return matchedCount === 1 || (await this.#counters.findOne({ _id, scanIds: scanId })) !== null;
  }
}
