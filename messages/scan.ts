import { defineQuery } from '@temporalio/workflow';
import type {
  BucketProgress,
  BucketState,
  ScanProgress,
  ScanRequests,
} from '../domain/scans/scan.ts';

/** A scan, as its workflow and activities name it. */
export interface ScanRun {
  readonly scanId: string;
  readonly accountId: string;
  readonly connectionId: string;
  /** Ages are measured from this time, RFC 3339. */
  readonly startedAt: string;
}

export interface ScanInput extends ScanRun {
  /** Set if an earlier run continued as new. */
  readonly resume?: ScanResume;
}

/** The state that a scan's run passes to its next run: numbers only. */
export interface ScanResume {
  readonly bucketsTotal: number;
  /** The first bucket that is not started. */
  readonly nextBucket: number;
  /** Started and not done. */
  readonly unfinished: readonly (BucketProgress & { readonly bucket: number })[];
  readonly bucketsDone: number;
  /** The sum over the buckets that are done, with the requests of the bucket listing. */
  readonly settled: BucketProgress;
  /** The requests about the bill and the metrics, once they are read. */
  readonly usage?: ScanRequests;
  /** Set if the connection has migrations whose source is to be reconciled. */
  readonly reconciliation?: ReconciliationProgress;
  /** The latest buckets, the oldest first. */
  readonly shown: readonly ShownBucket[];
}

export interface ShownBucket {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly state: BucketState;
  /** Why it could not be read. */
  readonly error: string | null;
}

/** The progress of one slice of a bucket's listing. The numbers are the bucket's totals. */
export interface BucketSlice extends BucketProgress {
  readonly name: string;
  readonly done: boolean;
  /** Why the bucket could not be read; null if it could. */
  readonly error: string | null;
}

export interface BucketList extends BucketProgress {
  readonly buckets: number;
  /** How many migrations need source reconciliation; left out if none does. */
  readonly migrations?: number;
}

/** The progress of source reconciliation; the requests are its totals. */
export interface ReconciliationProgress extends ScanRequests {
  readonly done: boolean;
}

export interface ScanView {
  readonly status: 'queued' | 'running';
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
}

/** The state of the scan with this id; null if the workflow runs another scan. */
export const scanProgress = defineQuery<ScanView | null, [scanId: string]>('progress');

/** The scan's latest buckets, the newest first; null if the workflow runs another scan. */
export const scanBuckets = defineQuery<readonly ShownBucket[] | null, [scanId: string]>('buckets');
