import { createFileUpload, type FileUpload, type UploadCalls } from '@storage-routing/client';
import { createFileStates, type FileStates, type FileStatus, toWaiting } from './file-state.ts';

/** The uploads of one hook. */
export interface UploadList extends Pick<FileStates, 'snapshot' | 'subscribe'> {
  /** Uploads call these functions from now on. */
  setCalls(calls: UploadCalls): void;
  /** Permits uploads. Returns a function that cancels all of them, and permits none. */
  open(): () => void;
  /** Adds files, and uploads them. A `File` object that is in the list is not added again. */
  upload(files: File | Iterable<File>): void;
  cancel(id?: number): void;
  resume(id?: number): void;
  remove(id?: number): void;
}

/** Keeps the uploads of one hook. It sends nothing before `upload`. */
export function createUploadList(initialCalls: UploadCalls): UploadList {
  let calls = initialCalls;
  let isOpen = true;
  let latestId = 0;
  const current = forwardTo(() => calls);
  const states = createFileStates();
  const { transfers, startWaiting } = createQueue(states);

  /** The ids of the chosen files, all without an id, that have one of these states. */
  const idsOf = (id: number | undefined, ...statuses: FileStatus[]): number[] =>
    states
      .snapshot()
      .filter((file) => (id === undefined || file.id === id) && statuses.includes(file.status))
      .map((file) => file.id);

  function cancel(id?: number): void {
    const ids = idsOf(id, 'waiting', 'uploading');
    if (ids.length === 0) return;
    states.change(ids, { status: 'cancelled' });
    for (const each of ids) transfers.get(each)?.stopped.abort();
    startWaiting();
  }

  return {
    snapshot: states.snapshot,
    subscribe: states.subscribe,
    setCalls(latest) {
      calls = latest;
    },
    open() {
      isOpen = true;
      return () => {
        isOpen = false;
        cancel();
      };
    },
    upload(given) {
      const known = new Set(states.snapshot().map(({ file }) => file));
      const added = [...new Set(given instanceof File ? [given] : given)].filter(
        (file) => !known.has(file),
      );
      if (!isOpen || added.length === 0) return;
      const begun = added.map((file) => {
        latestId += 1;
        const upload = createFileUpload(current, file);
        transfers.set(latestId, { upload, stopped: new AbortController() });
        return toWaiting(latestId, file);
      });
      states.publish([...states.snapshot(), ...begun]);
      startWaiting();
    },
    cancel,
    resume(id) {
      const ids = idsOf(id, 'error', 'cancelled');
      if (!isOpen || ids.length === 0) return;
      states.change(ids, { status: 'waiting', error: undefined });
      startWaiting();
    },
    remove(id) {
      cancel(id);
      const removed = idsOf(id, 'done', 'error', 'cancelled');
      for (const each of removed) transfers.delete(each);
      states.publish(states.snapshot().filter((file) => !removed.includes(file.id)));
    },
  };
}

/** What a file has besides its state. */
interface Transfer {
  upload: FileUpload;
  /** Stops the latest run. */
  stopped: AbortController;
}

/**
 * With HTTP/1.1 a browser opens six connections to a host, and a PUT that waits for one may exceed
 * its time limit. So no more than six PUTs are open at a time.
 */
const FILES_AT_ONCE = 3;
const PARTS_AT_ONCE = 2;

/** Runs what is `waiting`, in the order of the list, a few files at a time. */
function createQueue({ snapshot, change }: FileStates) {
  const transfers = new Map<number, Transfer>();

  function startWaiting(): void {
    for (const { id, status } of snapshot()) {
      const running = snapshot().filter((file) => file.status === 'uploading').length;
      if (status === 'waiting' && running < FILES_AT_ONCE) void run(id);
    }
  }

  async function run(id: number): Promise<void> {
    const transfer = transfers.get(id);
    if (transfer === undefined) return;
    const stopped = new AbortController();
    transfer.stopped = stopped;
    const { signal } = stopped;
    change([id], { status: 'uploading' });
    try {
      const result = await transfer.upload.run({
        signal,
        parallelParts: PARTS_AT_ONCE,
        onProgress({ sentBytes, totalBytes }) {
          const progress = totalBytes === 0 ? 0 : sentBytes / totalBytes;
          if (!signal.aborted) change([id], { sentBytes, progress });
        },
      });
      // A cancel that came too late: the file is stored. A later run reports its own end.
      if (transfer.stopped === stopped) change([id], { status: 'done', progress: 1, result });
    } catch (error) {
      if (!signal.aborted) change([id], { status: 'error', error: toError(error) });
    }
    startWaiting();
  }

  return { transfers, startWaiting };
}

/** The functions of the latest render: they may use a token that changes. */
function forwardTo(latest: () => UploadCalls): UploadCalls {
  return {
    init: (...input) => latest().init(...input),
    complete: (...input) => latest().complete(...input),
    uploadUrl: (...input) => latest().uploadUrl(...input),
    // Undefined if the application gives none.
    get uploadParts() {
      return latest().uploadParts;
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
