import {
  Long,
  type Collection,
  type Db,
  type Filter,
  type FindCursor,
  type UpdateFilter,
  type WithId,
} from 'mongodb';
import { placeKey } from '../../../domain/accounts/account.ts';
import type { ProviderName, StoreLocation } from '../../../domain/providers/catalogue.ts';
import type { WorkAtStore } from '../../../domain/providers/pause.ts';
import type {
  FileEvent,
  FileRecord,
  FileSelection,
  FileStatus,
  OldObject,
} from '../../../domain/uploads/file.ts';
import type { Booked } from '../../../domain/accounts/plan.ts';
import type { Month } from '../../../domain/common/time.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { emitting, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { matches } from '../common/open.ts';
import { sumBy } from '../../../domain/common/sums.ts';

type FileDocument = Omit<FileRecord, 'fileId' | 'sizeBytes'> &
  WithOutbox & {
    readonly _id: string;
    readonly sizeBytes: number | Long;
    /** Its init failed after the insert. */
    readonly tombstone?: true;
    /** The account id while the file is pending; a sparse index counts by it. */
    readonly pendingOf?: string;
  };

/** Files that wait for the same. */
export interface HeldFiles {
  readonly at: WorkAtStore;
  readonly count: number;
}

export interface FileKey {
  readonly fileId: string;
  readonly accountId: string;
}

/** What a change sets, and the fields that it removes. */
export interface FileChange {
  readonly set: Partial<Omit<FileRecord, 'fileId' | 'sizeBytes' | 'totalsPending'>>;
  readonly unset?: readonly (keyof FileRecord)[];
  /** An event of the file; it is added to `totalsPending`. */
  readonly event?: FileEvent;
  /** The events for the account's webhooks. */
  readonly emits?: readonly ServiceEvent[];
  /** What the file must have besides its status. */
  readonly where?: Pick<FileRecord, 'deleteStartedAt'>;
}

/** A file on which work is left. */
export type DueFile = FileRecord & Due;

export interface FilesAtPlace {
  readonly location: StoreLocation;
  readonly files: number;
  readonly bytes: number;
}

export interface BookingsPiece extends Booked {
  /** The last file of the piece, if another piece may follow. */
  readonly next: string | undefined;
}

const UNSETTLED: FileStatus[] = ['pending', 'deleting'];
/** The sixth attempt is an hour after the first. */
const REFUSED_ATTEMPTS = 6;
const MOST_COUNTED = 10_000;
/** An index scan of this length takes some hundredths of a second. */
const SUMMED_AT_ONCE = 10_000;
const READ_AT_ONCE = 10_000;

/**
 * The files. Each status change is a write that is conditional on the status before, so a repeat
 * changes nothing.
 */
export class Files {
  readonly #files: Collection<FileDocument>;
  readonly due: DueQueue<DueFile>;

  constructor(db: Db) {
    this.#files = db.collection('files');
    this.due = queueOf(this.#files, { toWork: toFile });
  }

  async insertFile({ fileId, ...file }: FileRecord): Promise<void> {
    await this.#files.insertOne({
      _id: fileId,
      ...file,
      sizeBytes: Long.fromNumber(file.sizeBytes),
      ...(file.status === 'pending' ? { pendingOf: file.accountId } : {}),
    });
  }

  /** Undefined for an unknown id and for another account's. */
  async findFile({ fileId, accountId }: FileKey): Promise<FileRecord | undefined> {
    const document = await this.#files.findOne({ _id: fileId });
    return document?.accountId === accountId ? toFile(document) : undefined;
  }

  /** Applies the change if the file has one of the statuses; returns the file as it is then. */
  async change(
    fileId: string,
    from: readonly FileStatus[],
    { set, unset = [], event, emits = [], where = {} }: FileChange,
  ): Promise<FileRecord | undefined> {
    const leavesPending = set.status !== undefined && set.status !== 'pending';
    // Another status is other work.
    const ofBefore = [
      ...(leavesPending ? ['pendingOf', 'unstarted'] : []),
      ...(set.status ? ['held'] : []),
    ];
    const removed = [...unset, ...ofBefore];
    // The server refuses an operator without fields.
    const { $push, ...emitted } = emitting(emits);
    const change: UpdateFilter<FileDocument> = emitted;
    if (Object.keys(set).length > 0) change.$set = set;
    if (event !== undefined || $push)
      change.$push = { ...$push, ...(event === undefined ? {} : { totalsPending: event }) };
    if (removed.length > 0) change.$unset = Object.fromEntries(removed.map((name) => [name, true]));
    const changed = await this.#files.findOneAndUpdate(
      { _id: fileId, status: { $in: [...from] }, ...where },
      change,
      { returnDocument: 'after' },
    );
    return toFile(changed);
  }

  /** The active files of an account at a place behind an id, in the order of their ids. */
  async listActiveAt(
    accountId: string,
    place: StoreLocation,
    selection: FileSelection,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<FileRecord[]> {
    const documents = await this.#files
      .find(selected(accountId, place, selection, after))
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    return documents.map(toFile).filter((file) => file !== undefined);
  }

  /** Sizes and ages of the active files of an account at a place, in any order. */
  async *readActiveAt(
    accountId: string,
    place: StoreLocation,
    selection: FileSelection,
  ): AsyncIterable<Pick<FileRecord, 'sizeBytes' | 'createdAt'>> {
    const projection = { _id: 0, sizeBytes: 1, createdAt: 1 } as const;
    const stored = this.#readSelected(accountId, place, selection, projection);
    for await (const { sizeBytes, createdAt } of stored)
      yield { sizeBytes: Number(sizeBytes), createdAt };
  }

  /** Objects of the active files of an account at a place, in any order. */
  async *readObjectsAt(
    accountId: string,
    place: StoreLocation,
    selection: FileSelection,
  ): AsyncIterable<Pick<FileRecord, 'objectKey' | 'sizeBytes' | 'createdAt' | 'priority'>> {
    const projection = { _id: 0, objectKey: 1, sizeBytes: 1, createdAt: 1, priority: 1 } as const;
    const stored = this.#readSelected(accountId, place, selection, projection);
    for await (const file of stored) yield { ...file, sizeBytes: Number(file.sizeBytes) };
  }

  /** The bytes of the account's active files at a place. */
  async sumActiveAt(accountId: string, place: StoreLocation): Promise<number> {
    const at = { ...ofPlace(accountId, place), status: 'active' } as Filter<FileDocument>;
    const [sum] = await this.#files
      .aggregate<{ bytes: number | Long }>([
        { $match: at },
        { $group: { _id: null, bytes: { $sum: '$sizeBytes' } } },
      ])
      .toArray();
    return Number(sum?.bytes ?? 0);
  }

  /**
   * The active file is at another place from now on, and its object at the one before is an old
   * object. Undefined if it is not active there, if an old object waits at the new place,
   * or if anything about its places has changed since it was read.
   */
  async movePlace(
    file: FileRecord,
    to: StoreLocation,
    old: Omit<OldObject, 'placeKey' | 'location'>,
  ): Promise<FileRecord | undefined> {
    const { fileId, accountId, location } = file;
    const moved = await this.#files.findOneAndUpdate(
      {
        _id: fileId,
        ...ofPlace(accountId, location),
        status: 'active',
        ...withoutOld(to),
        ...atRevision(file),
      },
      {
        $set: { location: to },
        $push: { oldObjects: { placeKey: placeKey(location), location, ...old } },
        $inc: { placeRevision: 1 },
      },
      { returnDocument: 'after' },
    );
    return toFile(moved);
  }

  /**
   * Adds an object at a place to the file's old objects, unless the file is there, one is listed
   * there, or anything about its places has changed since it was read.
   */
  addOldObject(file: FileRecord, old: Omit<OldObject, 'placeKey'>): Promise<boolean> {
    return this.#update(
      {
        _id: file.fileId,
        ...elsewhere(old.location),
        ...withoutOld(old.location),
        ...atRevision(file),
      },
      {
        $push: { oldObjects: { placeKey: placeKey(old.location), ...old } },
        $inc: { placeRevision: 1 },
      },
    );
  }

  /**
   * Takes an old object whose delete is to be sent now. False if the file is at that place, if the
   * object is not listed, or if a delete that was begun after `settledBy` may still arrive.
   */
  beginOldDelete(
    fileId: string,
    place: StoreLocation,
    { now, settledBy }: { readonly now: Date; readonly settledBy: Date },
  ): Promise<boolean> {
    const isFree = [{ deleteBegunAt: { $exists: false } }, { deleteBegunAt: { $lte: settledBy } }];
    return this.#update(
      {
        _id: fileId,
        ...elsewhere(place),
        oldObjects: { $elemMatch: { placeKey: placeKey(place), $or: isFree } },
      },
      { $set: { 'oldObjects.$.deleteBegunAt': now } },
    );
  }

  /** Removes an old object from the list after the delete that was begun at `begunAt`. */
  async removeOldObject(fileId: string, place: StoreLocation, begunAt: Date): Promise<void> {
    const old = { placeKey: placeKey(place), deleteBegunAt: begunAt };
    await this.#files.updateOne(
      { _id: fileId },
      { $pull: { oldObjects: old }, $inc: { placeRevision: 1 } },
    );
    await this.#files.updateOne(
      { _id: fileId, oldObjects: { $size: 0 } },
      { $unset: { oldObjects: true } },
    );
  }

  /** Raises `urlExpiresAt` of a pending file. False if the file is no longer pending. */
  extendUrl(fileId: string, urlExpiresAt: Date): Promise<boolean> {
    return this.#update({ _id: fileId, status: 'pending' }, { $max: { urlExpiresAt } });
  }

  /** pending → a tombstone, for an init that failed after the insert. True if it was pending. */
  discard(fileId: string): Promise<boolean> {
    return this.#update(
      { _id: fileId, status: 'pending' },
      {
        $set: { status: 'expired', tombstone: true },
        $unset: { pendingOf: true, nextAttemptAt: true, unstarted: true },
      },
    );
  }

  /** For what files wait without attempts, and how many. */
  async listHeld(): Promise<HeldFiles[]> {
    const groups = await this.#files
      .aggregate<{ readonly _id: WorkAtStore; readonly count: number }>([
        { $match: { 'held.accountId': { $gt: '' } } },
        {
          $group: {
            _id: { accountId: '$held.accountId', store: '$held.store', work: '$held.work' },
            count: { $sum: 1 },
          },
        },
      ])
      .toArray();
    return groups.map(({ _id: at, count }) => ({ at, count }));
  }

  /** Makes files that wait for it due: all, or the one that was tried the longest ago. */
  async release(
    { accountId, store, work }: WorkAtStore,
    which: 'all' | 'one',
    now: Date,
  ): Promise<void> {
    const held = { 'held.accountId': accountId, 'held.store': store, 'held.work': work };
    const due = { $set: { nextAttemptAt: now }, $unset: { held: true } } as const;
    if (which === 'all') await this.#files.updateMany(held, due);
    else {
      const longest = await this.#files.findOne(held, { sort: { 'held.since': 1 } });
      if (longest) await this.#files.updateOne({ _id: longest._id, ...held }, due);
    }
  }

  /**
   * Deletes that have been repeated for over an hour and have not stopped, and those that wait at a
   * store that refuses them; counted up to 10,000.
   */
  async countRefusedDeletes(): Promise<number> {
    const counts = await Promise.all(
      [{ attempts: { $gte: REFUSED_ATTEMPTS } }, { 'held.accountId': { $gt: '' } }].map((which) =>
        this.#files.countDocuments({ status: 'deleting', ...which }, { limit: MOST_COUNTED }),
      ),
    );
    return Math.min(
      MOST_COUNTED,
      sumBy(counts, (count) => count),
    );
  }

  /** The number of the account's pending files. */
  countPending(accountId: string): Promise<number> {
    return this.#files.countDocuments({ pendingOf: accountId });
  }

  /** The account's files, the newest first, then by id. */
  async listFiles(
    accountId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<FileRecord[]> {
    const documents = await this.#files
      .find({ accountId, tombstone: { $exists: false } })
      .sort({ createdAt: -1, _id: 1 })
      .skip(offset)
      .limit(limit)
      .toArray();
    return documents.map(toFile).filter((file) => file !== undefined);
  }

  /** Whether a pending or deleting file uses the provider. Once stopped deletes do not count. */
  async isProviderInUse(accountId: string, provider: ProviderName): Promise<boolean> {
    const unsettled = await this.#files.findOne({
      accountId,
      'location.provider': provider,
      status: { $in: UNSETTLED },
      deleteStoppedAt: { $exists: false },
    });
    return unsettled !== null;
  }

  /**
   * Whether a bucket holds an active file of any account, or a pending one of this account, whose
   * key begins with `keyPrefix`; null: with any key. The region of the bucket does not matter.
   */
  async isHeldAt(
    accountId: string,
    bucket: StoreLocation,
    keyPrefix: string | null,
  ): Promise<boolean> {
    const there: Filter<FileDocument> = {
      'location.bucketName': bucket.bucketName,
      'location.provider': bucket.provider,
      // Null matches a field that is absent.
      'location.accountId': bucket.accountId ?? null,
      'location.jurisdiction': bucket.jurisdiction ?? null,
      // The keys are ASCII.
      ...(keyPrefix === null ? {} : { objectKey: { $gte: keyPrefix, $lt: `${keyPrefix}\uffff` } }),
    };
    const held = await Promise.all([
      this.#files.findOne({ ...there, status: 'active' }),
      this.#files.findOne({ ...there, pendingOf: accountId }),
    ]);
    return held.some((file) => file !== null);
  }

  /** Whether the account's files at a place may be read, completed, deleted or looked at there. */
  async isNeededAt(accountId: string, place: StoreLocation): Promise<boolean> {
    const left = [
      { status: { $in: ['pending', 'active'] } },
      { status: 'deleting', error: { $exists: false } },
      // Few of those that have ended: an index has them.
      {
        status: { $in: ['deleted', 'expired'] },
        lookAgainAt: { $exists: true },
        nextAttemptAt: { $gt: new Date(0) },
      },
    ] as const;
    // The last look at a deleted file reaches its old objects too.
    const ofOld = {
      accountId,
      nextAttemptAt: { $gt: new Date(0) },
      'oldObjects.placeKey': placeKey(place),
    };
    const needed = await Promise.all(
      [...left.map((which) => ({ $and: [ofPlace(accountId, place), which] })), ofOld].map((which) =>
        this.#files.findOne(which as Filter<FileDocument>, { projection: { _id: 1 } }),
      ),
    );
    return needed.some((file) => file !== null);
  }

  /** The account's active and pending files at places of a provider. */
  async countByPlace(accountId: string, provider: ProviderName): Promise<readonly FilesAtPlace[]> {
    const held = { accountId, 'location.provider': provider };
    const groups = await this.#files
      .aggregate<{ _id: StoreLocation; files: number; bytes: number | Long }>([
        // An index has all the fields.
        { $match: { ...held, status: { $in: ['active', 'pending'] } } },
        {
          $group: {
            _id: {
              provider: '$location.provider',
              bucketName: '$location.bucketName',
              region: '$location.region',
              accountId: '$location.accountId',
              jurisdiction: '$location.jurisdiction',
            },
            files: { $sum: 1 },
            bytes: { $sum: '$sizeBytes' },
          },
        },
      ])
      .toArray();
    return groups.map((group) => ({
      location: group._id,
      files: group.files,
      bytes: Number(group.bytes),
    }));
  }

  /** Resumes the account's stopped deletes at this place: the sweep continues each of them. */
  async resumeDeletes(accountId: string, place: StoreLocation, now: Date): Promise<void> {
    await this.#files.updateMany(
      {
        ...ofPlace(accountId, place),
        status: 'deleting',
        deleteStoppedAt: { $exists: true },
        error: { $exists: true },
      },
      { $set: { deleteStartedAt: now, nextAttemptAt: now }, $unset: { error: true } },
    );
  }

  /**
   * The bookings of an account in a month that documents explain, in pieces that are to be added
   * up: its files in any status, of which `after` is the last that was summed before. Each piece is
   * one short query.
   */
  async *sumBookings(
    { accountId, month }: { readonly accountId: string; readonly month: Month },
    after?: string,
  ): AsyncIterable<BookingsPiece> {
    let last = after;
    do {
      const others: Filter<FileDocument> = last === undefined ? {} : { _id: { $gt: last } };
      const [sum] = await this.#files
        .aggregate<{ last: string; bytes: number | Long; uploads: number }>([
          // An index has all the fields. Not `$exists`: it reads the documents.
          { $match: { accountId, month, ...others, tombstone: { $ne: true } } },
          { $sort: { _id: 1 } },
          { $limit: SUMMED_AT_ONCE },
          {
            $group: {
              _id: null,
              last: { $max: '$_id' },
              bytes: { $sum: '$sizeBytes' },
              uploads: { $sum: 1 },
            },
          },
        ])
        .toArray();
      last = sum?.uploads === SUMMED_AT_ONCE ? sum.last : undefined;
      if (sum) yield { bytes: Number(sum.bytes), uploads: sum.uploads, next: last };
    } while (last !== undefined);
  }

  /** The active files at a place, with some of their fields, in any order. */
  #readSelected(
    accountId: string,
    place: StoreLocation,
    selection: FileSelection,
    projection: Readonly<Record<string, 0 | 1>>,
  ): FindCursor<WithId<FileDocument>> {
    const filter = selected(accountId, place, selection, null);
    return this.#files.find(filter, { projection, batchSize: READ_AT_ONCE });
  }

  async #update(
    filter: Filter<FileDocument>,
    change: UpdateFilter<FileDocument>,
  ): Promise<boolean> {
    return await matches(this.#files.updateOne(filter, change));
  }
}

function selected(
  accountId: string,
  place: StoreLocation,
  { priority, createdBefore, completedBefore, fileIds }: FileSelection,
  after: string | null,
): Filter<FileDocument> {
  return {
    ...ofPlace(accountId, place),
    status: 'active',
    createdAt: { $lte: createdBefore },
    completedAt: { $lte: completedBefore },
    ...(priority === undefined ? {} : { priority }),
    _id: {
      $gt: after ?? '',
      ...(fileIds === undefined ? {} : { $in: [...fileIds] }),
    },
  };
}

function ofPlace(accountId: string, place: StoreLocation): Filter<FileDocument> {
  return { accountId, ...atPlace(place) };
}

function elsewhere(place: StoreLocation): Filter<FileDocument> {
  return { $nor: [atPlace(place)] };
}

function atPlace(place: StoreLocation): Filter<FileDocument> {
  return {
    'location.provider': place.provider,
    'location.bucketName': place.bucketName,
    'location.region': place.region,
    // Null matches a field that is absent.
    'location.accountId': place.accountId ?? null,
    'location.jurisdiction': place.jurisdiction ?? null,
  };
}

/** No old object of the file waits at the place. */
function withoutOld(place: StoreLocation): Filter<FileDocument> {
  return { 'oldObjects.placeKey': { $ne: placeKey(place) } };
}

function atRevision({ placeRevision }: FileRecord): Filter<FileDocument> {
  return { placeRevision: placeRevision ?? { $exists: false } };
}

function toFile(document: WithId<FileDocument> | null): FileRecord | undefined {
  if (!document || document.tombstone) return undefined;
  const { _id, sizeBytes, pendingOf: _p, ...file } = withoutOutbox(document);
  return { fileId: _id, sizeBytes: Number(sizeBytes), ...file };
}
