import type { Db } from 'mongodb';
import type { QuotaPeriod } from './quota.ts';
import { insertIfNew } from './open.ts';

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
      // The list is full where its last index exists.
      const full = `scanIds.${limit - 1}`;
      const { matchedCount } = await counters.updateOne(
        { _id, scanIds: { $ne: scanId }, [full]: { $exists: false } },
        { $push: { scanIds: scanId } },
      );
      return matchedCount === 1 || (await counters.findOne({ _id, scanIds: scanId })) !== null;
    },
  };
}
