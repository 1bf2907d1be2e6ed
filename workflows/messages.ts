import { defineUpdate } from '@temporalio/workflow';
import type { FileStatus } from '../domain/file.ts';

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
