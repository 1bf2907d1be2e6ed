import { Long, type Db, type Filter, type WithId } from 'mongodb';
import type { ProviderName } from '../../domain/catalogue.ts';
import type { FileRecord, FileStatus } from '../../domain/file.ts';
import type { Booked } from '../../domain/plan.ts';
import type { FileEvent } from '../../domain/usage-totals.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';
import { sumUploads } from './sums.ts';

type FileDocument = Omit<FileRecord, 'fileId' | 'sizeBytes'> & {
  readonly _id: string;
  readonly sizeBytes: number | Long;
  /** When the file gave up its reservation; the release follows. */
  readonly releasedAt?: Date;
  /** Takes the id of a file that was never inserted. */
  readonly tombstone?: true;
  /** The account id while the file is pending; a sparse index counts by it. */
  readonly pendingOf?: string;
  /** The chunk that counts each event of the file. */
  readonly chunks?: Readonly<Partial<Record<FileEvent, number>>>;
};

export interface FileKey {
  readonly fileId: string;
  readonly accountId: string;
}

export type Reservation = Pick<FileRecord, 'month' | 'sizeBytes'>;

/**
 * The files. Each status change is a write that is conditional on the status before, so a repeat
 * changes nothing.
 */
export interface Files {
  insert(file: FileRecord): Promise<void>;
  /** Undefined for an unknown id and for another account's. */
  find(key: FileKey): Promise<FileRecord | undefined>;
  /** pending → active. True for the one call that changed it. */
  activate(fileId: string, completedAt: Date): Promise<boolean>;
  /** pending → expired. True for the one call that changed it; that call releases the quota. */
  expire(fileId: string, now: Date): Promise<boolean>;
  /** pending → deleting. True for the one call that changed it; that call releases the quota. */
  startDeletePending(fileId: string, now: Date): Promise<boolean>;
  /** active or expired → deleting. */
  startDeleteSettled(fileId: string, now: Date): Promise<boolean>;
  /** Clears `deletePending`: the workflow has started with the delete and retries it. */
  holdDelete(fileId: string): Promise<void>;
  /** deleting → deleted. */
  finishDelete(fileId: string, deletedAt: Date): Promise<boolean>;
  /**
   * Takes the id of a file that was never inserted; an inserted file is kept. Size and month tell the
   * quota reconciliation which reservation is released.
   */
  insertTombstone(file: FileKey & Partial<Reservation>, now: Date): Promise<void>;
  /** The chunk that counts this event; undefined before one is chosen. */
  findChunk(fileId: string, event: FileEvent): Promise<number | undefined>;
  /** Changes the chunk where it is still `from`. */
  moveToChunk(
    fileId: string,
    event: FileEvent,
    from: number | undefined,
    to: number,
  ): Promise<void>;
  /** Clears `totalsPending` where the file's status is unchanged since it was read. */
  clearTotalsPending(file: Pick<FileRecord, 'fileId' | 'status'>): Promise<void>;
  /** Files with this pending since before then, the oldest first. */
  findPending(
    due: 'totalsPending' | 'deletePending',
    before: Date,
    limit: number,
  ): Promise<FileRecord[]>;
  /** The number of the account's pending files. */
  countPending(accountId: string): Promise<number>;
  /** The account's files, the newest first, then by id. */
  list(accountId: string, page: { offset: number; limit: number }): Promise<FileRecord[]>;
  /** Unsettled files past their deadline, the oldest first. */
  findStuck(before: Date, limit: number): Promise<FileRecord[]>;
  /** Whether a pending or deleting file uses this provider. */
  isProviderInUse(accountId: string, provider: ProviderName): Promise<boolean>;
  /** The reservations of the account's files; those released after `releasedAfter` still count. */
  sumHeld(accountId: string, month: Month, releasedAfter: Date): Promise<Booked>;
}

const UNSETTLED: FileStatus[] = ['pending', 'deleting'];

export function createFiles(db: Db): Files {
  const files = db.collection<FileDocument>('files');
  const move = async (
    fileId: string,
    from: FileStatus[],
    change: Partial<FileDocument> & { status: FileStatus },
  ): Promise<boolean> => {
    const { matchedCount } = await files.updateOne(
      { _id: fileId, status: { $in: from } },
      { $set: change, ...(from.includes('pending') ? { $unset: { pendingOf: true } } : {}) },
    );
    return matchedCount === 1;
  };

  return {
    async insert({ fileId, ...file }) {
      await files.insertOne({
        _id: fileId,
        ...file,
        sizeBytes: Long.fromNumber(file.sizeBytes),
        ...(file.status === 'pending' ? { pendingOf: file.accountId } : {}),
      });
    },

    async find({ fileId, accountId }) {
      const document = await files.findOne({ _id: fileId });
      return document?.accountId === accountId ? toFile(document) : undefined;
    },

    activate: (fileId, completedAt) =>
      move(fileId, ['pending'], { status: 'active', completedAt, totalsPending: completedAt }),
    expire: (fileId, now) =>
      move(fileId, ['pending'], {
        status: 'expired',
        expiredAt: now,
        releasedAt: now,
        totalsPending: now,
      }),
    startDeletePending: (fileId, now) =>
      move(fileId, ['pending'], {
        status: 'deleting',
        releasedAt: now,
        totalsPending: now,
        deletePending: now,
      }),
    startDeleteSettled: (fileId, now) =>
      move(fileId, ['active', 'expired'], {
        status: 'deleting',
        totalsPending: now,
        deletePending: now,
      }),

    async holdDelete(fileId) {
      await files.updateOne(
        { _id: fileId, status: 'deleting' },
        { $unset: { deletePending: true } },
      );
    },

    finishDelete: (fileId, deletedAt) =>
      move(fileId, ['deleting'], { status: 'deleted', deletedAt }),

    async insertTombstone({ fileId, accountId, month, sizeBytes }, now) {
      const reserved = { month, sizeBytes: Long.fromNumber(sizeBytes ?? 0), releasedAt: now };
      const tombstone = {
        _id: fileId,
        accountId,
        status: 'expired',
        createdAt: now,
        tombstone: true,
        ...(month === undefined ? {} : reserved),
      };
      await insertIfNew(() => files.insertOne(tombstone as unknown as FileDocument));
    },

    async findChunk(fileId, event) {
      const found = await files.findOne({ _id: fileId }, { projection: { chunks: 1 } });
      return found?.chunks?.[event];
    },

    async moveToChunk(fileId, event, from, to) {
      const chosen = `chunks.${event}`;
      const still = from === undefined ? { $exists: false } : from;
      await files.updateOne({ _id: fileId, [chosen]: still }, { $set: { [chosen]: to } });
    },

    async clearTotalsPending({ fileId, status }) {
      // Another status means a newer event, which is still to be counted.
      await files.updateOne({ _id: fileId, status }, { $unset: { totalsPending: true } });
    },

    async findPending(due, before, limit) {
      const owing: Filter<FileDocument> = { [due]: { $lt: before } };
      const documents = await files
        .find(owing)
        .sort({ [due]: 1 })
        .limit(limit)
        .toArray();
      return documents.map(toFile).filter((file) => file !== undefined);
    },

    countPending: (accountId) => files.countDocuments({ pendingOf: accountId }),

    async list(accountId, { offset, limit }) {
      const documents = await files
        .find({ accountId, tombstone: { $exists: false } })
        .sort({ createdAt: -1, _id: 1 })
        .skip(offset)
        .limit(limit)
        .toArray();
      return documents.map(toFile).filter((file) => file !== undefined);
    },

    async findStuck(before, limit) {
      const overdue: Filter<FileDocument> = {
        status: { $in: UNSETTLED },
        deadline: { $lt: before },
      };
      const documents = await files.find(overdue).sort({ deadline: 1 }).limit(limit).toArray();
      return documents.map(toFile).filter((file) => file !== undefined);
    },

    async isProviderInUse(accountId, provider) {
      const found = await files.findOne({
        accountId,
        'location.provider': provider,
        status: { $in: UNSETTLED },
      });
      return found !== null;
    },

    sumHeld: (accountId, month, releasedAfter) =>
      sumUploads(files, {
        accountId,
        month,
        $or: [{ releasedAt: { $exists: false } }, { releasedAt: { $gt: releasedAfter } }],
      }),
  };
}

function toFile(document: WithId<FileDocument> | null): FileRecord | undefined {
  if (!document || document.tombstone) return undefined;
  const { _id, sizeBytes, releasedAt: _r, pendingOf: _p, chunks: _c, ...file } = document;
  return { fileId: _id, sizeBytes: Number(sizeBytes), ...file };
}
