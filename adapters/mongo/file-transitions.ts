import {
  afterSettling,
  type FileError,
  type FileEvent,
  type FileRecord,
  type FileStatus,
} from '../../domain/file.ts';
import { afterFollowUp } from '../../domain/sweep.ts';
import { eventsOf, totalsOf } from '../../domain/usage-totals.ts';
import type { FileChange, Files } from './files.ts';
import type { UsageTotals } from './usage-totals.ts';
import type { Usage } from './usage.ts';

export interface FileTransitionsDeps {
  readonly files: Files;
  readonly usage: Usage;
  readonly usageTotals: UsageTotals;
  readonly now: () => Date;
}

/**
 * The changes of a file's status, each with what follows from it: the usage record and the monthly
 * totals, which include the released quota.
 *
 * A status changes by one conditional write, which also stores that the totals are pending. What
 * follows may be repeated by any process, at the same time or later, and adds nothing twice. So a
 * process may end between any two writes: the next call for the file, its workflow or the sweep
 * continues. Each method returns the file as it stands afterwards, also where another process was
 * faster.
 */
export interface FileTransitions {
  /** pending → active. */
  complete(file: FileRecord): Promise<FileRecord>;
  /** pending → expired. `cleanupPending`: its multipart upload may still be there. */
  expire(file: FileRecord, left?: Pick<FileRecord, 'cleanupPending'>): Promise<FileRecord>;
  /**
   * pending, active or expired → deleting. Its totals are counted, and stay marked as pending. A delete
   * that has stopped is resumed.
   */
  startDelete(file: FileRecord): Promise<FileRecord>;
  /** Ends the attempts of a delete: it stays deleting, with the error, until it is resumed. */
  stopDelete(file: FileRecord, error: FileError): Promise<FileRecord>;
  /** deleting → deleted, after the object is gone and the totals are counted. */
  finishDelete(file: FileRecord): Promise<FileRecord>;
  /** Clears `cleanupPending`. */
  finishCleanup(file: FileRecord): Promise<FileRecord>;
  /** Counts the events that the totals may lack. */
  countPending(file: FileRecord): Promise<FileRecord>;
}

export function createFileTransitions({
  files,
  usage,
  usageTotals,
  now,
}: FileTransitionsDeps): FileTransitions {
  async function read(file: FileRecord): Promise<FileRecord> {
    const found = await files.find(file);
    if (!found) throw new Error('the file has vanished');
    return found;
  }

  /** The changed file; undefined where its status has changed since it was read. */
  async function change(
    file: FileRecord,
    from: FileStatus,
    wanted: FileChange,
  ): Promise<FileRecord | undefined> {
    if (file.status !== from || !(await files.change(file.fileId, [from], wanted)))
      return undefined;
    return withChange(file, wanted);
  }

  /** What every event sets beside its status. */
  async function eventFields(file: FileRecord, event: FileEvent, at: Date) {
    const chunks = { [event]: await usageTotals.chooseChunk(file) };
    return { chunks, totalsPending: true, nextAttemptAt: afterFollowUp(at) } as const;
  }

  async function count(file: FileRecord, events: readonly FileEvent[]): Promise<void> {
    const { fileId, accountId, month, chunks } = file;
    const counting = events.map((event) => {
      const entry = { accountId, month, id: entryId(fileId, event), sums: totalsOf(file, event) };
      return usageTotals.count(entry, {
        chunk: chunks?.[event],
        find: () => files.findChunk(fileId, event),
        move: (from, to) => files.moveToChunk(fileId, event, from, to),
      });
    });
    await Promise.all(events.includes('completed') ? [...counting, record(file)] : counting);
  }

  async function record(file: FileRecord): Promise<void> {
    const { fileId, accountId, month, location, sizeBytes, savedVsAws } = file;
    const { provider } = location;
    const recordedAt = now();
    await usage.record({ fileId, accountId, month, provider, sizeBytes, savedVsAws, recordedAt });
  }

  async function countPending(file: FileRecord): Promise<FileRecord> {
    if (!file.totalsPending) return file;
    await count(file, eventsOf(file));
    const unset: (keyof FileRecord)[] = ['totalsPending', ...(isAtRest(file) ? PENDING_WORK : [])];
    // Another status means a newer event, which is still to be counted.
    return (await change(file, file.status, { set: {}, unset })) ?? (await read(file));
  }

  return {
    countPending,

    async complete(file) {
      const completedAt = now();
      const fields = await eventFields(file, 'completed', completedAt);
      const set = { status: 'active', completedAt, ...fields } as const;
      return await countPending((await change(file, 'pending', { set })) ?? (await read(file)));
    },

    async expire(file, left = {}) {
      const expiredAt = now();
      const fields = await eventFields(file, 'expired', expiredAt);
      const set = { status: 'expired', expiredAt, ...fields, ...left } as const;
      return await countPending((await change(file, 'pending', { set })) ?? (await read(file)));
    },

    async startDelete(file) {
      for (let found = file; ; found = await read(found)) {
        const { status } = found;
        if (status === 'deleted') return found;
        if (status === 'deleting') {
          if (found.totalsPending) await count(found, eventsOf(found));
          const resumed = found.error ? await change(found, status, resumption(now())) : found;
          if (resumed) return resumed;
          continue;
        }
        const deleteStartedAt = now();
        const fields = await eventFields(found, 'deleted', deleteStartedAt);
        const set = { status: 'deleting', deleteStartedAt, ...fields } as const;
        const deleting = await change(found, status, { set });
        if (!deleting) continue;
        await count(deleting, found.totalsPending ? eventsOf(deleting) : ['deleted']);
        return deleting;
      }
    },

    async stopDelete(file, error) {
      const { deleteStartedAt, deleteStoppedAt = now() } = file;
      const wanted: FileChange = {
        set: { error, deleteStoppedAt },
        unset: PENDING_WORK,
        // Another value: it was resumed after this attempt had begun.
        where: deleteStartedAt ? { deleteStartedAt } : {},
      };
      return (await change(file, 'deleting', wanted)) ?? (await read(file));
    },

    async finishDelete(file) {
      const deletedAt = now();
      const wanted: FileChange = mayArriveLate(file, deletedAt)
        ? {
            set: {
              status: 'deleted',
              deletedAt,
              cleanupPending: true,
              nextAttemptAt: afterSettling(file),
            },
            unset: ['totalsPending', 'attempts', ...PRESENT_DELETE],
          }
        : {
            set: { status: 'deleted', deletedAt },
            unset: [...PENDING_WORK, ...PRESENT_DELETE, 'cleanupPending', 'totalsPending'],
          };
      return (await change(file, 'deleting', wanted)) ?? (await read(file));
    },

    async finishCleanup(file) {
      const unset = [...PENDING_WORK, 'cleanupPending'] as const;
      return (await change(file, file.status, { set: {}, unset })) ?? (await read(file));
    },
  };
}

const PENDING_WORK = ['nextAttemptAt', 'attempts'] as const;
const PRESENT_DELETE = ['deleteStartedAt', 'deleteStoppedAt', 'error'] as const;

/** Repeats a stopped delete for another 7 days. */
function resumption(at: Date): FileChange {
  return {
    set: { deleteStartedAt: at, nextAttemptAt: afterFollowUp(at) },
    unset: ['error'],
  };
}

/** Whether nothing is left to be done once the totals are counted. */
function isAtRest({ status, cleanupPending }: FileRecord): boolean {
  return status !== 'pending' && status !== 'deleting' && !cleanupPending;
}

/** Whether bytes may still arrive after a delete: a URL is valid, or an upload is being assembled. */
function mayArriveLate(file: FileRecord, deletedAt: Date): boolean {
  const isOpenUpload = file.multipart !== undefined && !file.completedAt;
  return deletedAt < (isOpenUpload ? file.deadline : file.urlExpiresAt);
}

function withChange(file: FileRecord, { set, unset = [] }: FileChange): FileRecord {
  const changed = { ...file, ...set, chunks: { ...file.chunks, ...set.chunks } };
  for (const name of unset) delete changed[name as keyof typeof changed];
  return changed;
}

/** A completion has its file's id, as in the usage records. */
function entryId(fileId: string, event: FileEvent): string {
  return event === 'completed' ? fileId : `${fileId}:${event}`;
}
