import { Long, type Db, type Filter, type WithId } from 'mongodb';
import type { ProviderName } from '../../domain/catalogue.ts';
import type { FileRecord, FileStatus } from '../../domain/file.ts';
import type { Booked } from '../../domain/plan.ts';
import type { Month } from '../../domain/time.ts';
import { insertIfNew } from './open.ts';
import { sumUploads } from './sums.ts';

type FileDocument = Omit<FileRecord, 'fileId' | 'sizeBytes'> & {
  readonly _id: string;
  readonly sizeBytes: number | Long;
  /** When the file stopped holding its reservation: the moment that a release may follow. */
  readonly releasedAt?: Date;
  /** Holds the place of a file whose insert never came. */
  readonly tombstone?: true;
};

export interface FileKey {
  readonly fileId: string;
  readonly accountId: string;
}

export type Reservation = Pick<FileRecord, 'month' | 'sizeBytes'>;

/**
 * The files. `insert` is the API's; every other write is the upload's workflow's, and is conditional
 * on the status that it moves from: the filter is the guard, so repeating a write changes nothing.
 */
export interface Files {
  insert(file: FileRecord): Promise<void>;
  /** Undefined where there is none, or where it is another account's. */
  find(key: FileKey): Promise<FileRecord | undefined>;
  /** pending → active. True for the one call that moved it. */
  activate(fileId: string, completedAt: Date): Promise<boolean>;
  /** pending → expired. True for the one call that moved it: it owes the release. */
  expire(fileId: string, now: Date): Promise<boolean>;
  /** pending → deleting. True for the one call that moved it: it owes the release. */
  startDeletePending(fileId: string, now: Date): Promise<boolean>;
  /** active or expired → deleting. */
  startDeleteSettled(fileId: string): Promise<boolean>;
  /** deleting → deleted. */
  finishDelete(fileId: string, deletedAt: Date): Promise<boolean>;
  /**
   * Takes the id of a file that was never inserted; one that was, after all, stays as it is. With the
   * size and the month it tells the reconciliation of a reservation that is being given back.
   */
  insertTombstone(file: FileKey & Partial<Reservation>, now: Date): Promise<void>;
  /** Files that something should have settled by now, oldest first. */
  findStuck(before: Date, limit: number): Promise<FileRecord[]>;
  /** Whether a file still waits for its bytes, or for its delete, on this provider. */
  isProviderInUse(accountId: string, provider: ProviderName): Promise<boolean>;
  /** What the account's files held at a moment; releases after `releasedAfter` still count as held. */
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
      { $set: change },
    );
    return matchedCount === 1;
  };

  return {
    async insert({ fileId, ...file }) {
      await files.insertOne({ _id: fileId, ...file, sizeBytes: Long.fromNumber(file.sizeBytes) });
    },

    async find({ fileId, accountId }) {
      const document = await files.findOne({ _id: fileId });
      return document?.accountId === accountId ? toFile(document) : undefined;
    },

    activate: (fileId, completedAt) => move(fileId, ['pending'], { status: 'active', completedAt }),
    expire: (fileId, now) => move(fileId, ['pending'], { status: 'expired', releasedAt: now }),
    startDeletePending: (fileId, now) =>
      move(fileId, ['pending'], { status: 'deleting', releasedAt: now }),
    startDeleteSettled: (fileId) => move(fileId, ['active', 'expired'], { status: 'deleting' }),
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
  const { _id, sizeBytes, releasedAt: _releasedAt, ...file } = document;
  return { fileId: _id, sizeBytes: Number(sizeBytes), ...file };
}
