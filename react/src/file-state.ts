import type { CompleteResult } from '@storage-routing/client';

/**
 * | status | meaning |
 * |---|---|
 * | `waiting` | begins when one of the files before it has ended |
 * | `uploading` | its bytes are sent, or it is being completed |
 * | `done` | it is stored and completed |
 * | `error` | it has failed; `resume` continues |
 * | `cancelled` | `cancel` was called, or the component was unmounted; `resume` continues |
 */
export type FileStatus = 'waiting' | 'uploading' | 'done' | 'error' | 'cancelled';

/** One file. Each change replaces the object, so that a memoised component sees it. */
export interface FileState {
  /** Unique in its hook: two files may have the same name. */
  readonly id: number;
  readonly file: File;
  readonly status: FileStatus;
  /** Bytes sent, of `file.size`. It falls if a part, or the whole file, has to be sent again. */
  readonly sentBytes: number;
  /** From 0 to 1. It is 1 as soon as all bytes are sent: `done` follows once it is completed. */
  readonly progress: number;
  /** Set while `status` is `error`: a `StorageRoutingError`, or what a given function threw. */
  readonly error: Error | undefined;
  /** What `complete` has answered, once `status` is `done`. */
  readonly result: CompleteResult | undefined;
}

/** Holds the states of the files of one hook, for `useSyncExternalStore`. */
export interface FileStates {
  snapshot(): readonly FileState[];
  /** Calls the listener after each change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
  publish(files: readonly FileState[]): void;
  /** Changes the files with these ids. */
  change(ids: readonly number[], changes: Partial<FileState>): void;
}

export function createFileStates(): FileStates {
  let files: readonly FileState[] = [];
  const listeners = new Set<() => void>();
  const publish = (changed: readonly FileState[]): void => {
    files = changed;
    for (const listener of listeners) listener();
  };
  return {
    snapshot: () => files,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    publish,
    change(ids, changes) {
      const changed = (file: FileState): FileState => ({ ...file, ...changes });
      publish(files.map((file) => (ids.includes(file.id) ? changed(file) : file)));
    },
  };
}

/** A file that has not begun. */
export function toWaiting(id: number, file: File): FileState {
  const nothing = { sentBytes: 0, progress: 0, error: undefined, result: undefined };
  return { id, file, status: 'waiting', ...nothing };
}
