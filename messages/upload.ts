import { defineUpdate } from '@temporalio/workflow';
import type { FileStatus } from '../domain/file.ts';

/**
 * The input of an upload's workflow, equal for every start for one file. Operators read histories, so
 * it holds no file name, object key or URL.
 */
export interface UploadInput {
  readonly fileId: string;
  readonly accountId: string;
  /** When the upload's window closes, RFC 3339. */
  readonly deadline: string;
}

/** The state of a file after a command; `missing`: there is no such file. Times in RFC 3339. */
export interface UploadState {
  readonly status: FileStatus | 'missing';
  readonly completedAt?: string;
  readonly deletedAt?: string;
  /** The presigned URL accepts bytes until then. */
  readonly urlExpiresAt?: string;
}

/** The object is on the store: make the file active and write its usage record. */
export const completeUpload = defineUpdate<UploadState>('complete');

/** Delete the file: it becomes `deleting`, and the delete is retried until it is `deleted`. */
export const deleteUpload = defineUpdate<UploadState>('delete');

/** Read the file again: its document holds a change that the run may have missed. */
export const reviewUpload = defineUpdate<UploadState>('review');
