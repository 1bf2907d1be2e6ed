import { addProgress, addRequests, NOTHING_YET, type BucketProgress } from '../domain/scan/scan.ts';
import type { ReconciliationProgress, ScanResume, ScanView } from '../messages/messages.ts';

/** What one slice of a bucket's listing tells; the figures are the bucket's, not the slice's. */
export interface BucketSlice extends BucketProgress {
  readonly name: string;
  readonly done: boolean;
  /** Why the bucket could not be read; null where it could. */
  readonly error: string | null;
}

/** A bucket as an operator sees it. */
export interface ShownBucket {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly state: string;
}

/** What planning a scan has come to. */
export interface ScanPlan extends BucketProgress {
  readonly buckets: number;
  /** How many migrations there are to look back at; left out where there are none. */
  readonly migrations?: number;
}

/** What a running scan knows: which buckets are left, and what the others hold. */
export interface ScanState {
  plan(planned: ScanPlan): void;
  /** The next bucket to read, by its place in the plan. */
  take(): number | undefined;
  note(bucket: number, slice: BucketSlice): void;
  /** Whether there are migrations that it has not looked back at. */
  needsReconciliation(): boolean;
  noteReconciliation(slice: ReconciliationProgress): void;
  view(): ScanView;
  /** The latest buckets, the newest first. */
  shown(): readonly ShownBucket[];
  /** What the next run has to know; undefined where nothing is left to read or to look back at. */
  toContinueAsNew(): ScanResume | undefined;
}

/** More lines than this help nobody. */
const MAX_SHOWN = 40;

export function createScanState(carried: ScanResume | undefined): ScanState {
  let planned = carried !== undefined;
  let bucketsTotal = carried?.bucketsTotal ?? 0;
  let nextBucket = carried?.nextBucket ?? 0;
  let bucketsDone = carried?.bucketsDone ?? 0;
  let settled = carried?.settled ?? NOTHING_YET;
  let lookBack = carried?.lookBack;
  const open = new Map<number, BucketProgress>();
  const waiting: number[] = [];
  for (const { bucket, ...progress } of carried?.unfinished ?? []) {
    open.set(bucket, progress);
    waiting.push(bucket);
  }
  const lines = new Map<number, ShownBucket>();

  const total = () => [...open.values()].reduce(addProgress, settled);

  return {
    plan({ buckets, migrations = 0, ...spent }) {
      planned = true;
      bucketsTotal = buckets;
      if (migrations > 0) lookBack = { done: false, list: 0, other: 0, costUsd: 0 };
      settled = addProgress(settled, spent);
    },

    take() {
      const again = waiting.shift();
      if (again !== undefined) return again;
      if (nextBucket >= bucketsTotal) return undefined;
      nextBucket += 1;
      open.set(nextBucket - 1, NOTHING_YET);
      return nextBucket - 1;
    },

    note(bucket, { name, done, error, objects, bytes, list, other, costUsd }) {
      const progress = { objects, bytes, list, other, costUsd };
      lines.delete(bucket);
      lines.set(bucket, { name, objects, bytes, state: error ?? (done ? 'done' : 'reading') });
      const [oldest] = lines.keys();
      if (lines.size > MAX_SHOWN && oldest !== undefined) lines.delete(oldest);
      if (!done) {
        open.set(bucket, progress);
        return;
      }
      open.delete(bucket);
      bucketsDone += 1;
      settled = addProgress(settled, progress);
    },

    needsReconciliation: () => lookBack?.done === false,

    noteReconciliation({ done, list, other, costUsd }) {
      lookBack = { done, list, other, costUsd };
    },

    view() {
      const { objects, bytes, ...requests } = total();
      return {
        status: planned ? 'running' : 'queued',
        progress: { bucketsTotal, bucketsDone, objects, bytes },
        requests: addRequests(requests, lookBack ?? NOTHING_YET),
      };
    },

    shown: () => [...lines.values()].reverse(),

    toContinueAsNew() {
      const isRead = open.size === 0 && nextBucket >= bucketsTotal;
      if (isRead && lookBack?.done !== false) return undefined;
      const unfinished = [...open].map(([bucket, progress]) => Object.assign({ bucket }, progress));
      const looked = lookBack === undefined ? {} : { lookBack };
      return { bucketsTotal, nextBucket, unfinished, bucketsDone, settled, ...looked };
    },
  };
}
