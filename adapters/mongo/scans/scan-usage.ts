import type { Collection, Db } from 'mongodb';
import { NO_USAGE_WORK, type UsageWork } from '../../../domain/scans/usage-work.ts';
import { insertIfNew, matches } from '../common/open.ts';

interface UsageDocument extends UsageWork {
  /** The scan's id. */
  readonly _id: string;
  readonly connectionId: string;
}

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
    await insertIfNew(() => this.#usage.insertOne({ _id: scanId, connectionId, ...NO_USAGE_WORK }));
    return (await this.ofScan(scanId)) ?? NO_USAGE_WORK;
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
