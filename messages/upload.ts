import { defineSignal } from '@temporalio/workflow';
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

/** A file as its workflow sees it; `missing`: there is no such file. */
export interface UploadState {
  readonly status: FileStatus | 'missing';
  /** Something is left to do at the store when the window has closed. */
  readonly cleanupPending: boolean;
}

/** What an operator sees: what the workflow does at present. */
export type UploadPhase = 'waiting' | 'settling' | 'deleting' | 'settled';

/** Read the file again: there is work to do. */
export const wakeUpload = defineSignal('wake');
