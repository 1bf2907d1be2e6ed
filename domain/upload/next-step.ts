import type { FileStatus } from './file.ts';

/** A file as its workflow sees it; `missing`: there is no such file. */
export interface UploadState {
  readonly status: FileStatus | 'missing';
  /** Something is left to do at the store when the window has closed. */
  readonly cleanupPending: boolean;
  /** The delete has stopped; a call or new credentials resume it. */
  readonly isStopped?: true;
}

/** What is left to do for a file. `end`: nothing. */
export type UploadStep = 'wait' | 'settle' | 'delete' | 'cleanUp' | 'end';

/**
 * What the workflow of an upload does next.
 *
 * | file                                     | before the deadline | after it  |
 * | ---------------------------------------- | ------------------- | --------- |
 * | missing or pending                       | `wait`              | `settle`  |
 * | deleting                                 | `delete`            | `delete`  |
 * | deleting, stopped                        | `end`               | `end`     |
 * | deleted or expired, clean-up pending     | `wait`              | `cleanUp` |
 * | active, or nothing pending               | `end`               | `end`     |
 */
export function nextStep(
  { status, cleanupPending, isStopped }: UploadState,
  isOpen: boolean,
): UploadStep {
  if (status === 'deleting') return isStopped === true ? 'end' : 'delete';
  if (status === 'pending' || status === 'missing') return isOpen ? 'wait' : 'settle';
  if (cleanupPending) return isOpen ? 'wait' : 'cleanUp';
  return 'end';
}
