import {
  addProgress,
  addRequests,
  NOTHING_YET,
  type BucketProgress,
  type BucketState,
  type ScanRequests,
} from '../domain/scans/scan.ts';
import type {
  BucketList,
  BucketSlice,
  ReconciliationProgress,
  ScanResume,
  ScanView,
  ShownBucket,
} from '../messages/scan.ts';

/** More rows make Temporal UI's page hard to read. */
const MAX_SHOWN = 40;

type Totals = Omit<ScanResume, 'unfinished' | 'shown'>;

const START: ScanResume = {
  bucketsTotal: 0,
  nextBucket: 0,
  unfinished: [],
  bucketsDone: 0,
  settled: NOTHING_YET,
  shown: [],
};

/** The state of a running scan: the buckets that are left, and the totals of the others. */
export class ScanState {
  #isListed: boolean;
  #totals: Totals;
  /** The buckets that are started and not done. */
  readonly #open: Map<number, BucketProgress>;
  /** Those of them that an earlier run has started. */
  readonly #waiting: number[];
  readonly #rows: Map<string, ShownBucket>;

  constructor(resume: ScanResume | undefined) {
    const { unfinished, shown, ...totals } = { ...START, ...resume };
    this.#isListed = resume !== undefined;
    this.#totals = totals;
    this.#open = new Map(unfinished.map(({ bucket, ...progress }) => [bucket, progress]));
    this.#waiting = unfinished.map(({ bucket }) => bucket);
    this.#rows = new Map(shown.map((row) => [row.name, row]));
  }

  setBuckets({ buckets: bucketsTotal, migrations = 0, ...spent }: BucketList): void {
    this.#isListed = true;
    const settled = addProgress(this.#totals.settled, spent);
    this.#totals = { ...this.#totals, bucketsTotal, settled };
    if (migrations > 0) this.noteReconciliation({ done: false, list: 0, other: 0, costUsd: 0 });
  }

  /** The index of the next bucket to read; undefined if none is left. */
  take(): number | undefined {
    const again = this.#waiting.shift();
    if (again !== undefined) return again;
    const { nextBucket, bucketsTotal } = this.#totals;
    if (nextBucket >= bucketsTotal) return undefined;
    this.#totals = { ...this.#totals, nextBucket: nextBucket + 1 };
    this.#open.set(nextBucket, NOTHING_YET);
    return nextBucket;
  }

  note(bucket: number, slice: BucketSlice): void {
    const { name, done, error, objects, bytes, list, other, costUsd } = slice;
    const progress = { objects, bytes, list, other, costUsd };
    this.#rows.delete(name);
    this.#rows.set(name, { name, objects, bytes, state: bucketState(done, error), error });
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > MAX_SHOWN && oldest !== undefined) this.#rows.delete(oldest);
    if (!done) {
      this.#open.set(bucket, progress);
      return;
    }
    this.#open.delete(bucket);
    const { bucketsDone, settled } = this.#totals;
    this.#totals = {
      ...this.#totals,
      bucketsDone: bucketsDone + 1,
      settled: addProgress(settled, progress),
    };
  }

  isRead(): boolean {
    return this.#open.size === 0 && this.#totals.nextBucket >= this.#totals.bucketsTotal;
  }

  hasUsage(): boolean {
    return this.#totals.usage !== undefined;
  }

  noteUsage({ list, other, costUsd }: ScanRequests): void {
    this.#totals = { ...this.#totals, usage: { list, other, costUsd } };
  }

  needsReconciliation(): boolean {
    return this.#totals.reconciliation?.done === false;
  }

  noteReconciliation({ done, list, other, costUsd }: ReconciliationProgress): void {
    this.#totals = { ...this.#totals, reconciliation: { done, list, other, costUsd } };
  }

  view(): ScanView {
    const { bucketsTotal, bucketsDone, settled, usage, reconciliation } = this.#totals;
    const { objects, bytes, ...listing } = [...this.#open.values()].reduce(addProgress, settled);
    return {
      status: this.#isListed ? 'running' : 'queued',
      progress: { bucketsTotal, bucketsDone, objects, bytes },
      requests: addRequests(
        addRequests(listing, usage ?? NOTHING_YET),
        reconciliation ?? NOTHING_YET,
      ),
    };
  }

  /** The latest buckets, the newest first. */
  shown(): readonly ShownBucket[] {
    return [...this.#rows.values()].reverse();
  }

  /** The input of the next run; undefined if nothing is left to read or to reconcile. */
  toContinueAsNew(): ScanResume | undefined {
    if (this.isRead() && !this.needsReconciliation()) return undefined;
    return {
      ...this.#totals,
      unfinished: [...this.#open].map(([bucket, progress]) => Object.assign({ bucket }, progress)),
      shown: [...this.#rows.values()],
    };
  }
}

function bucketState(done: boolean, error: string | null): BucketState {
  if (error !== null) return 'failed';
  return done ? 'done' : 'reading';
}
