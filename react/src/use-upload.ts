'use client';

import type { UploadCalls } from '@storage-routing/client';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { FileState } from './file-state.ts';
import { createUploadList, type UploadList } from './upload-list.ts';

/** What `useUpload` returns: the files one by one, all of them together, and the actions. */
export interface UseUpload extends Pick<UploadList, 'upload' | 'cancel' | 'resume' | 'remove'> {
  /** In the order in which they were added. */
  files: readonly FileState[];
  /** The bytes sent of all files, from 0 to 1; 1 only if each file of the list is sent. */
  progress: number;
  /**
   * | status | meaning |
   * |---|---|
   * | `idle` | the list is empty |
   * | `uploading` | at least one file is waiting or uploading |
   * | `error` | none is, and at least one has failed |
   * | `cancelled` | none is and none has failed, and at least one was cancelled |
   * | `done` | all are done |
   */
  status: 'idle' | 'uploading' | 'error' | 'cancelled' | 'done';
  /** The error of the first file that has failed; undefined if none has. */
  error: Error | undefined;
}

/**
 * Uploads files of a page directly to the store, by the given functions, which ask the application's
 * own server. Unmounting cancels the uploads.
 *
 * The functions need no `useCallback`: those of the latest render are called. `upload`, `cancel`,
 * `resume` and `remove` are the same functions in each render. `cancel`, `resume` and `remove` are
 * about one file if they are called with its `id`, otherwise about all.
 */
export function useUpload(calls: UploadCalls): UseUpload {
  const [list] = useState(() => createUploadList(calls));
  useEffect(() => list.setCalls(calls));
  useEffect(() => list.open(), [list]);
  const files = useSyncExternalStore(list.subscribe, list.snapshot, list.snapshot);
  const { upload, cancel, resume, remove } = list;
  return useMemo(
    () => ({ files, ...summarise(files), upload, cancel, resume, remove }),
    [files, upload, cancel, resume, remove],
  );
}

function summarise(files: readonly FileState[]): Pick<UseUpload, 'progress' | 'status' | 'error'> {
  const totalBytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const sentBytes = files.reduce((sum, file) => sum + file.sentBytes, 0);
  const isDone = files.length > 0 && files.every(({ status }) => status === 'done');
  return {
    progress: totalBytes === 0 ? Number(isDone) : sentBytes / totalBytes,
    status: summariseStatus(files),
    error: files.find(({ error }) => error !== undefined)?.error,
  };
}

function summariseStatus(files: readonly FileState[]): UseUpload['status'] {
  const has = (wanted: FileState['status']): boolean =>
    files.some((file) => file.status === wanted);
  if (files.length === 0) return 'idle';
  if (has('waiting') || has('uploading')) return 'uploading';
  if (has('error')) return 'error';
  return has('cancelled') ? 'cancelled' : 'done';
}
