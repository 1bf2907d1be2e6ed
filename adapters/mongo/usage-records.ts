import { Long, type Db } from 'mongodb';
import type { UsageRecord } from '../../domain/upload/file.ts';
import type { Booked } from '../../domain/account/plan.ts';
import type { Month } from '../../domain/common/time.ts';
import { insertIfNew } from './open.ts';
import { sumUploads } from './sums.ts';

type UsageDocument = Omit<UsageRecord, 'fileId' | 'sizeBytes'> & {
  readonly _id: string;
  readonly sizeBytes: number | Long;
};

/** The usage records: one per completed upload, never changed, never deleted. */
export interface Usage {
  /** The record has the file's id, so a second write of the same upload does nothing. */
  record(usage: UsageRecord): Promise<void>;
  /** The sum of one month's records. */
  monthTotals(accountId: string, month: Month): Promise<Booked>;
}

export function createUsage(db: Db): Usage {
  const usage = db.collection<UsageDocument>('usage');
  return {
    async record({ fileId, ...record }) {
      await insertIfNew(() =>
        usage.insertOne({
          _id: fileId,
          ...record,
          sizeBytes: Long.fromNumber(record.sizeBytes),
        }),
      );
    },

    monthTotals: (accountId, month) => sumUploads(usage, { accountId, month }),
  };
}
