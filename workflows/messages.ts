import { defineQuery, defineUpdate } from '@temporalio/workflow';
import type { FileStatus } from '../domain/file.ts';
import type {
  BucketProgress,
  RecommendationStatus,
  ScanProgress,
  ScanRequests,
} from '../domain/scan/scan.ts';

/**
 * What an upload's workflow is started with: ids and a time, nothing else. It is the same however
 * often the workflow is started for a file. History is read by operators, so no file name, no
 * object key and no URL may be here.
 */
export interface UploadInput {
  readonly fileId: string;
  readonly accountId: string;
  /** When the upload's window closes, RFC 3339. */
  readonly deadline: string;
}

/** How a file stands after a command. `missing`: there is no such file. Times in RFC 3339. */
export interface UploadState {
  readonly status: FileStatus | 'missing';
  readonly completedAt?: string;
  readonly deletedAt?: string;
  /** Until when the presigned URL lets bytes in. */
  readonly urlExpiresAt?: string;
}

/** The object was seen on the store: make the file active and write its usage record. */
export const completeUpload = defineUpdate<UploadState>('complete');

/** Delete the file: it is `deleting` from now on, and retried until it is `deleted`. */
export const deleteUpload = defineUpdate<UploadState>('delete');

/** What a scan is started with. */
export interface ScanInput {
  readonly scanId: string;
  readonly accountId: string;
  readonly connectionId: string;
  /** What ages are measured from, RFC 3339. */
  readonly startedAt: string;
  /** Where a run goes on that had grown too long. */
  readonly carried?: ScanCarried;
}

/** What a long scan hands to its next run: numbers only. */
export interface ScanCarried {
  readonly bucketsTotal: number;
  /** The first bucket that nobody has begun with. */
  readonly nextBucket: number;
  /** Begun and not done. */
  readonly unfinished: readonly (BucketProgress & { readonly bucket: number })[];
  readonly bucketsDone: number;
  /** What the buckets that are done add up to, with the requests of the planning. */
  readonly settled: BucketProgress;
}

/** How a running scan stands. */
export interface ScanView {
  readonly status: 'queued' | 'running';
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
}

/** How the scan of this id stands; null where the workflow holds another one. */
export const scanProgress = defineQuery<ScanView | null, [scanId: string]>('progress');

/** What the waiting workflow of a recommended move is started with. */
export interface MigrationInput {
  readonly recommendationId: string;
  readonly accountId: string;
}

/** What became of a recommendation that nobody approved in time. */
export interface MigrationState {
  readonly status: RecommendationStatus | 'missing';
}
