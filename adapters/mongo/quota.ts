import { Long, type Db, type Filter } from 'mongodb';
import type { Booked, PlanLimits } from '../../domain/plan.ts';
import { uploadQuota } from '../../domain/plan.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';

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
 * The booked quota of each account and month: one counter, raised before a file exists and lowered
 * after it is released. It may be too high for a while, never too low.
 */
export interface Quota {
  read(period: QuotaPeriod): Promise<Booked>;
  /** Books one upload if it fits, by one conditional write. */
  book(period: QuotaPeriod, sizeBytes: number, limits: PlanLimits): Promise<boolean>;
  /** Releases a booking. The caller must call it once. */
  release(period: QuotaPeriod, given: Booked): Promise<void>;
  /** All counters of a month. */
  counters(month: Month): AsyncIterable<QuotaPeriod & { readonly booked: Booked }>;
}

export function createQuota(db: Db): Quota {
  const quota = db.collection<QuotaDocument>('quota');
  const idOf = ({ accountId, month }: QuotaPeriod) => `${month}/${accountId}`;
  const add = (bytes: number, uploads: number) => ({
    $inc: { bytes: Long.fromNumber(bytes), uploads: Long.fromNumber(uploads) },
  });

  async function bookExisting(
    period: QuotaPeriod,
    sizeBytes: number,
    limits: PlanLimits,
  ): Promise<boolean> {
    const left = uploadQuota(limits);
    const filter: Filter<QuotaDocument> = {
      _id: idOf(period),
      ...(left.bytes === null ? {} : { bytes: { $lte: left.bytes - sizeBytes } }),
      ...(left.uploads === null ? {} : { uploads: { $lte: left.uploads - 1 } }),
    };
    const { matchedCount } = await quota.updateOne(filter, add(sizeBytes, 1));
    return matchedCount === 1;
  }

  async function openCounter(period: QuotaPeriod): Promise<void> {
    await insertIfNew(() =>
      quota.insertOne({ _id: idOf(period), ...period, bytes: Long.ZERO, uploads: Long.ZERO }),
    );
  }

  return {
    async read(period) {
      return toBooked(await quota.findOne({ _id: idOf(period) }));
    },

    async book(period, sizeBytes, limits) {
      if (await bookExisting(period, sizeBytes, limits)) return true;
      if ((await quota.findOne({ _id: idOf(period) })) === null) await openCounter(period);
      // Retried in any case: another call may have created the counter in between.
      return bookExisting(period, sizeBytes, limits);
    },

    async release(period, { bytes, uploads }) {
      await quota.updateOne({ _id: idOf(period) }, add(-bytes, -uploads));
    },

    async *counters(month) {
      for await (const { accountId, ...document } of quota.find({ month })) {
        yield { accountId, month, booked: toBooked(document) };
      }
    },
  };
}

function toBooked(document: Pick<QuotaDocument, 'bytes' | 'uploads'> | null): Booked {
  return { bytes: Number(document?.bytes ?? 0), uploads: Number(document?.uploads ?? 0) };
}
