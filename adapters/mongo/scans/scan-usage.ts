import type { Db } from 'mongodb';
import type { AccountUsage, Bill, BucketMetrics } from '../../../domain/bill/bill.ts';
import type { ScanGap, ScanRequests } from '../../../domain/scans/scan.ts';
import { insertIfNew } from '../common/open.ts';

/** What a scan has read of the bill and of metrics so far. */
export interface UsageWork {
  /** Incremented by every write; guards against two workers on one scan. */
  readonly revision: number;
  readonly isBillRead: boolean;
  readonly bill: Bill | null;
  /** CloudWatch was asked about the buckets of these; of none more once it refuses. */
  readonly regions: readonly string[];
  readonly isCloudWatchRefused: boolean;
  readonly metrics: readonly (BucketMetrics & { readonly bucket: string })[];
  readonly gaps: readonly ScanGap[];
  readonly requests: ScanRequests;
}

interface UsageDocument extends UsageWork {
  /** The scan's id. */
  readonly _id: string;
  readonly connectionId: string;
}

/** The bills and metrics of scans: one document per scan. Removed with the connection. */
export interface ScanUsage {
  /** Returns the stored state, or a new one. */
  open(scan: { readonly scanId: string; readonly connectionId: string }): Promise<UsageWork>;
  /** False on a revision conflict. */
  save(scanId: string, work: UsageWork): Promise<boolean>;
  /** Undefined for a scan that has not asked. */
  ofScan(scanId: string): Promise<UsageWork | undefined>;
  /** Also what was made of them, in the results of the connection's scans. */
  removeOf(connectionId: string): Promise<void>;
}

const NOTHING_READ: UsageWork = {
  revision: 0,
  isBillRead: false,
  bill: null,
  regions: [],
  isCloudWatchRefused: false,
  metrics: [],
  gaps: [],
  requests: { list: 0, other: 0, costUsd: 0 },
};

export function createScanUsage(db: Db): ScanUsage {
  const usage = db.collection<UsageDocument>('scanUsage');
  const scans = db.collection<{ _id: string; connectionId: string }>('scans');
  const buckets = db.collection('scanBuckets');

  async function find(scanId: string): Promise<UsageWork | undefined> {
    const document = await usage.findOne({ _id: scanId });
    if (!document) return undefined;
    const { _id, connectionId: _connectionId, ...work } = document;
    return work;
  }
  return {
    async open({ scanId, connectionId }) {
      await insertIfNew(() => usage.insertOne({ _id: scanId, connectionId, ...NOTHING_READ }));
      return (await find(scanId)) ?? NOTHING_READ;
    },

    async save(scanId, { revision, ...work }) {
      const { matchedCount } = await usage.updateOne(
        { _id: scanId, revision },
        { $set: { ...work, revision: revision + 1 } },
      );
      return matchedCount === 1;
    },

    ofScan: find,

    async removeOf(connectionId) {
      const found = await usage.find({ connectionId }, { projection: { _id: 1 } }).toArray();
      for (const { _id } of found) {
        await scans.updateOne(
          { _id, 'summary.bill': { $exists: true } },
          { $set: { 'summary.bill': null } },
        );
        for (const decision of ['decision', 'even.decision', 'odd.decision'])
          await buckets.updateMany(
            { scanId: _id, [decision]: { $ne: null } },
            { $unset: { [`${decision}.reads`]: true } },
          );
      }
      await usage.deleteMany({ connectionId });
    },
  };
}

/** What a scan's decision takes of it. */
export function toAccountUsage({ bill, metrics }: UsageWork): AccountUsage {
  return { bill, metrics: new Map(metrics.map(({ bucket, ...of }) => [bucket, of])) };
}
