import { defineSignal } from '@temporalio/workflow';

/**
 * The input of an upload's workflow, equal for every start for one file. Operators read histories,
 * so it holds no file name, object key or URL.
 */
export interface UploadInput {
  readonly fileId: string;
  readonly accountId: string;
  /** When the upload's window closes, RFC 3339. */
  readonly deadline: string;
}

/** The current work of the workflow, as operators see it. */
export type UploadPhase = 'waiting' | 'settling' | 'deleting' | 'settled';

/** Read the file again: there is work to do. */
export const wakeUpload = defineSignal('wake');
