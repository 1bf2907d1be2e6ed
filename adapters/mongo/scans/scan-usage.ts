import type { Collection, Db } from 'mongodb';
import type { AccountUsage, Bill, BucketMetrics } from '../../../domain/bill/bill.ts';
import type { ScanGap, ScanRequests } from '../../../domain/scans/scan.ts';
import { insertIfNew, matches } from '../common/open.ts';

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

/** The bills and metrics of scans: one document per scan. Removed with the connection. */
export class ScanUsage {
  readonly #usage: Collection<UsageDocument>;
  readonly #scans: Collection<{ _id: string; connectionId: string }>;
  readonly #buckets: Collection;

  constructor(db: Db) {
    this.#usage = db.collection('scanUsage');
    this.#scans = db.collection('scans');
    this.#buckets = db.collection('scanBuckets');
  }

  /** Returns the stored state, or a new one. */
  async open({
    scanId,
    connectionId,
  }: {
    readonly scanId: string;
    readonly connectionId: string;
  }): Promise<UsageWork> {
    await insertIfNew(() => this.#usage.insertOne({ _id: scanId, connectionId, ...NOTHING_READ }));
    return (await this.ofScan(scanId)) ?? NOTHING_READ;
  }

  /** False on a revision conflict. */
  async save(scanId: string, { revision, ...work }: UsageWork): Promise<boolean> {
    return await matches(
      this.#usage.updateOne(
        { _id: scanId, revision },
        { $set: { ...work, revision: revision + 1 } },
      ),
    );
  }

  /** Undefined for a scan that has not asked. */
  async ofScan(scanId: string): Promise<UsageWork | undefined> {
    const document = await this.#usage.findOne({ _id: scanId });
    if (!document) return undefined;
    const { _id, connectionId: _connectionId, ...work } = document;
    return work;
  }

  /** Also what was made of them, in the results of the connection's scans. */
  async removeOf(connectionId: string): Promise<void> {
    const documents = await this.#usage
      .find({ connectionId }, { projection: { _id: 1 } })
      .toArray();
    for (const { _id } of documents) {
      await this.#scans.updateOne(
        { _id, 'summary.bill': { $exists: true } },
        { $set: { 'summary.bill': null } },
      );
      for (const decision of ['current.decision', 'previous.decision'])
        await this.#buckets.updateMany(
          { scanId: _id, [decision]: { $ne: null } },
          { $unset: { [`${decision}.reads`]: true } },
        );
    }
    await this.#usage.deleteMany({ connectionId });
  }
}

/** What a scan's decision takes of it. */
export function toAccountUsage({ bill, metrics }: UsageWork): AccountUsage {
  return { bill, metrics: new Map(metrics.map(({ bucket, ...of }) => [bucket, of])) };
}
