import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ProviderName } from '../domain/catalogue.ts';
import type { FileStatus } from '../domain/file.ts';
import type { MigrationProgress, MigrationStatus } from '../domain/migration/migration.ts';
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

/** Look at the file: something was written that the run may not know of, its worker having died. */
export const reviewUpload = defineUpdate<UploadState>('review');

/** What a scan is started with. */
export interface ScanInput {
  readonly scanId: string;
  readonly accountId: string;
  readonly connectionId: string;
  /** What ages are measured from, RFC 3339. */
  readonly startedAt: string;
  /** Where a run goes on that had grown too long. */
  readonly carried?: ScanResume;
}

/** What a long scan hands to its next run: numbers only. */
export interface ScanResume {
  readonly bucketsTotal: number;
  /** The first bucket that nobody has begun with. */
  readonly nextBucket: number;
  /** Begun and not done. */
  readonly unfinished: readonly (BucketProgress & { readonly bucket: number })[];
  readonly bucketsDone: number;
  /** What the buckets that are done add up to, with the requests of the planning. */
  readonly settled: BucketProgress;
  /** There where the connection has migrations to look back at. */
  readonly lookBack?: ReconciliationProgress;
}

/** How far looking back at migrations has come; the requests are those of all of it. */
export interface ReconciliationProgress extends ScanRequests {
  readonly done: boolean;
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
  /** Where a run goes on that had grown too long. */
  readonly carried?: MigrationResume;
}

/** A migration as an operator may know it: no key of an object. */
export interface OpenedMigration {
  readonly migrationId: string;
  /** Bucket and prefix of the source. */
  readonly from: string;
  readonly provider: ProviderName;
  readonly to: string;
  readonly approvedBy: string;
  readonly quotedUsd: number;
  /** Of the call that approved it. */
  readonly requestId: string;
}

/** How far the manifest has come. */
export interface PlanSlice {
  readonly isWhole: boolean;
  readonly pages: number;
  readonly objects: number;
  readonly bytes: number;
}

/** What became of the objects of some pages. */
export interface CopyCounts {
  readonly copied: number;
  readonly skipped: number;
  readonly failed: number;
  readonly bytesCopied: number;
  readonly bytesSettled: number;
}

/** How one page stands after a slice: the page's figures while it is copied, changes of them while it is verified. */
export interface PageSlice extends CopyCounts {
  readonly page: number;
  readonly isDone: boolean;
}

/** What a slice of work on some pages came to. */
export interface CopySlice {
  readonly pages: readonly PageSlice[];
  /** Why the latest object failed that did, by its code; null where none did. */
  readonly lastFailure: string | null;
}

/** What a long migration hands to its next run: numbers only. */
export interface MigrationResume {
  readonly opened: OpenedMigration;
  readonly phase: 'copying' | 'verifying';
  readonly manifest: PlanSlice;
  /** The first page that nobody has begun with in this phase. */
  readonly nextPage: number;
  /** Begun and not done. */
  readonly waiting: readonly number[];
  /** What the pages that are not open add up to. */
  readonly settled: CopyCounts;
  readonly open: readonly (CopyCounts & { readonly page: number })[];
  /** When the phase began, in milliseconds. */
  readonly sinceMs: number;
  readonly lastFailure: string | null;
}

/** How a running migration stands. */
export interface MigrationView {
  readonly status: Exclude<MigrationStatus, 'queued'>;
  readonly progress: MigrationProgress;
  /** As of late. */
  readonly bytesPerSecond: number;
  readonly etaSeconds: number | null;
}

/** How the migration of this id stands; null before its workflow has learnt of its approval. */
export const migrationProgress = defineQuery<MigrationView | null, [migrationId: string]>(
  'progress',
);

/** The move was approved: it is for the recommendation to say how. */
export const approveMigration = defineSignal('approve');

/** Stop after the objects in flight. */
export const cancelMigration = defineSignal('cancel');

/** What became of a recommendation: of one that was approved, how its migration ended. */
export interface MigrationOutcome {
  readonly status: RecommendationStatus | MigrationStatus | 'missing';
}
