import {
  BSON,
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Filter,
  type Long,
} from 'mongodb';
import type { BucketDecision } from '../../../domain/decision/types.ts';
import type { BucketInventory } from '../../../domain/inventory/inventory.ts';
import {
  NOTHING_YET,
  type BucketProgress,
  type DecisionKey,
  type ScannedBucket,
} from '../../../domain/scans/scan.ts';
import { NOT_READ, type BucketWork } from '../../cloud-account/bucket-slice.ts';
import { insertIfNew, matches } from '../common/open.ts';

interface BucketDocument extends BucketWork {
  readonly _id: string;
  readonly scanId: string;
  readonly name: string;
  /** The latest decision. */
  readonly current?: RevisedDecision;
  /** The one before it, which is read while the latest one is being written. */
  readonly previous?: RevisedDecision;
  /** The size of the inventory in BSON. */
  readonly inventoryBytes?: number;
}

interface RevisedDecision {
  readonly revision: number;
  readonly decision: BucketDecision;
}

const DECISIONS = { current: 1, previous: 1 } as const;
const DECISIONS_AT_ONCE = 500;
/** A bucket with many long prefixes takes a megabyte, which a slow reader keeps in memory. */
const RESULT_BYTES_AT_ONCE = 2 ** 19;
const RESULTS_AT_ONCE = 500;

const toId = (scanId: string, name: string) => `${scanId}/${name}`;

/** The buckets of a scan: one document per bucket, independent of its number of objects. */
export class ScanBuckets {
  readonly #buckets: Collection<BucketDocument>;

  constructor(db: Db) {
    this.#buckets = db.collection('scanBuckets');
  }

  /** Returns the stored state, or a new one. */
  async open(scanId: string, name: string): Promise<BucketWork> {
    const _id = toId(scanId, name);
    const stored = await this.#buckets.findOne({ _id });
    if (stored) {
      const { revision, progress, reading, inventory } = stored;
      return { revision, progress, reading, inventory };
    }
    await insertIfNew(() => this.#buckets.insertOne({ _id, scanId, name, ...NOT_READ }));
    return NOT_READ;
  }

  /** False on a revision conflict. */
  async save(scanId: string, name: string, { revision, ...work }: BucketWork): Promise<boolean> {
    return await matches(
      this.#buckets.updateOne(
        { _id: toId(scanId, name), revision },
        { $set: { ...work, ...sizeOf(work), revision: revision + 1 } },
      ),
    );
  }

  /** The inventories of the buckets that are done, in no order. */
  async *inventories(scanId: string): AsyncIterable<BucketInventory> {
    const documents = this.#buckets.find({ scanId }, { projection: { inventory: 1 } });
    for await (const { inventory } of documents) if (inventory) yield inventory;
  }

  async decide(
    { scanId, revision }: DecisionKey,
    decisions: readonly BucketDecision[],
  ): Promise<void> {
    for (let at = 0; at < decisions.length; at += DECISIONS_AT_ONCE) {
      const writes = decisions
        .slice(at, at + DECISIONS_AT_ONCE)
        .flatMap((decision) => setDecision(toId(scanId, decision.name), { revision, decision }));
      await this.#buckets.bulkWrite(writes);
    }
  }

  /** The buckets that are done, with what was decided, by name in UTF-8 order. */
  async *results({ scanId, revision }: DecisionKey): AsyncIterable<ScannedBucket> {
    // `0` follows `/`. The index of the ids has the order of the names.
    const ofScan = { _id: { $gte: `${scanId}/`, $lt: `${scanId}0` } };
    const fields = { projection: { inventoryBytes: 1 }, sort: { _id: 1 } } as const;
    for (const { from, to } of inPortions(await this.#buckets.find(ofScan, fields).toArray())) {
      const documents = await this.#buckets
        .find(
          { _id: { $gte: from, $lte: to } },
          { projection: { inventory: 1, ...DECISIONS }, sort: { _id: 1 } },
        )
        .toArray();
      for (const document of documents) {
        const { inventory } = document;
        const decision = decisionOf(document, revision);
        if (inventory && decision) yield { inventory, decision };
      }
    }
  }

  /** What each bucket was decided to cost a month, by name. */
  async costs({ scanId, revision }: DecisionKey): Promise<ReadonlyMap<string, number>> {
    const documents = this.#buckets.find({ scanId }, { projection: { name: 1, ...DECISIONS } });
    const costs = new Map<string, number>();
    for await (const document of documents) {
      const decision = decisionOf(document, revision);
      if (decision) costs.set(document.name, decision.currentMonthlyCostUsd);
    }
    return costs;
  }

  /** The sum over the buckets of a scan. */
  async progress(
    scanId: string,
  ): Promise<{ readonly bucketsDone: number; readonly sum: BucketProgress }> {
    const [row] = await this.#buckets
      .aggregate<Record<keyof BucketProgress | 'done', number | Long>>([
        { $match: { scanId } },
        {
          $group: {
            _id: null,
            ...Object.fromEntries(
              Object.keys(NOTHING_YET).map((name) => [name, { $sum: `$progress.${name}` }]),
            ),
            done: { $sum: { $cond: [{ $eq: ['$inventory', null] }, 0, 1] } },
          },
        },
      ])
      .toArray();
    if (!row) return { bucketsDone: 0, sum: NOTHING_YET };
    const { done, ...sum } = row;
    return { bucketsDone: Number(done), sum: toNumbers(sum) };
  }
}

/** Moves an earlier decision to the previous one, and sets the current one; repeatable. */
function setDecision(
  _id: string,
  decided: RevisedDecision,
): AnyBulkWriteOperation<BucketDocument>[] {
  const { revision } = decided;
  const isEarlier = { 'current.revision': { $lt: revision } };
  // Null matches a field that is absent.
  const isFree: Filter<BucketDocument> = { 'current.revision': { $in: [null, revision] } };
  return [
    { updateOne: { filter: { _id, ...isEarlier }, update: { $rename: { current: 'previous' } } } },
    { updateOne: { filter: { _id, ...isFree }, update: { $set: { current: decided } } } },
  ];
}

function decisionOf(
  { current, previous }: BucketDocument,
  revision: number,
): BucketDecision | undefined {
  return [current, previous].find((decided) => decided?.revision === revision)?.decision;
}

function sizeOf({ inventory }: Pick<BucketWork, 'inventory'>) {
  return inventory ? { inventoryBytes: BSON.calculateObjectSize(inventory) } : {};
}

/** Neighbouring documents that are read at once. */
function* inPortions(
  documents: readonly Pick<BucketDocument, '_id' | 'inventoryBytes'>[],
): Generator<{ readonly from: string; readonly to: string }> {
  let [from, to, bytes, length] = ['', '', 0, 0];
  for (const { _id, inventoryBytes = RESULT_BYTES_AT_ONCE } of documents) {
    const isFull = bytes + inventoryBytes > RESULT_BYTES_AT_ONCE || length === RESULTS_AT_ONCE;
    if (length > 0 && isFull) {
      yield { from, to };
      [bytes, length] = [0, 0];
    }
    if (length === 0) from = _id;
    to = _id;
    bytes += inventoryBytes;
    length += 1;
  }
  if (length > 0) yield { from, to };
}

/** Sums above 2^31 may come as 64-bit integers. */
function toNumbers(sums: Record<keyof BucketProgress, number | Long>): BucketProgress {
  const { objects, bytes, list, other, costUsd } = sums;
  return {
    objects: Number(objects),
    bytes: Number(bytes),
    list: Number(list),
    other: Number(other),
    costUsd: Number(costUsd),
  };
}
