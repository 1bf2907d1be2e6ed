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

/** The state of a running scan: the buckets that are left, and the totals of the others. */
export interface ScanState {
  setBuckets(list: BucketList): void;
  /** The index of the next bucket to read; undefined if none is left. */
  take(): number | undefined;
  note(bucket: number, slice: BucketSlice): void;
  /** Whether all buckets are read. */
  isRead(): boolean;
  hasUsage(): boolean;
  /** The requests about the bill and the metrics. */
  noteUsage(requests: ScanRequests): void;
  /** Whether migrations are left whose source is not reconciled. */
  needsReconciliation(): boolean;
  noteReconciliation(progress: ReconciliationProgress): void;
  view(): ScanView;
  /** The latest buckets, the newest first. */
  shown(): readonly ShownBucket[];
  /** The input of the next run; undefined if nothing is left to read or to reconcile. */
  toContinueAsNew(): ScanResume | undefined;
}

/** More rows make Temporal UI's page hard to read. */
const MAX_SHOWN = 40;

export function createScanState(resume: ScanResume | undefined): ScanState {
  let isListed = resume !== undefined;
  let bucketsTotal = resume?.bucketsTotal ?? 0;
  let nextBucket = resume?.nextBucket ?? 0;
  let bucketsDone = resume?.bucketsDone ?? 0;
  let settled = resume?.settled ?? NOTHING_YET;
  let reconciliation = resume?.reconciliation;
  let usage = resume?.usage;
  const open = new Map<number, BucketProgress>();
  const waiting: number[] = [];
  for (const { bucket, ...progress } of resume?.unfinished ?? []) {
    open.set(bucket, progress);
    waiting.push(bucket);
  }
  const rows = new Map((resume?.shown ?? []).map((row) => [row.name, row] as const));

  const total = () => [...open.values()].reduce(addProgress, settled);

  return {
    setBuckets({ buckets, migrations = 0, ...spent }) {
      isListed = true;
      bucketsTotal = buckets;
      if (migrations > 0) reconciliation = { done: false, list: 0, other: 0, costUsd: 0 };
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
      rows.delete(name);
      rows.set(name, { name, objects, bytes, state: bucketState(done, error), error });
      const [oldest] = rows.keys();
      if (rows.size > MAX_SHOWN && oldest !== undefined) rows.delete(oldest);
      if (!done) {
        open.set(bucket, progress);
        return;
      }
      open.delete(bucket);
      bucketsDone += 1;
      settled = addProgress(settled, progress);
    },

    isRead: () => open.size === 0 && nextBucket >= bucketsTotal,
    hasUsage: () => usage !== undefined,
    noteUsage({ list, other, costUsd }) {
      usage = { list, other, costUsd };
    },

    needsReconciliation: () => reconciliation?.done === false,

    noteReconciliation({ done, list, other, costUsd }) {
      reconciliation = { done, list, other, costUsd };
    },

    view() {
      const { objects, bytes, ...requests } = total();
      return {
        status: isListed ? 'running' : 'queued',
        progress: { bucketsTotal, bucketsDone, objects, bytes },
        requests: addRequests(
          addRequests(requests, usage ?? NOTHING_YET),
          reconciliation ?? NOTHING_YET,
        ),
      };
    },

    shown: () => [...rows.values()].reverse(),

    toContinueAsNew() {
      if (this.isRead() && reconciliation?.done !== false) return undefined;
      const unfinished = [...open].map(([bucket, progress]) => Object.assign({ bucket }, progress));
      const later = {
        ...(usage === undefined ? {} : { usage }),
        ...(reconciliation === undefined ? {} : { reconciliation }),
      };
      const shown = [...rows.values()];
      return { bucketsTotal, nextBucket, unfinished, bucketsDone, settled, ...later, shown };
    },
  };
}

function bucketState(done: boolean, error: string | null): BucketState {
  if (error !== null) return 'failed';
  return done ? 'done' : 'reading';
}
