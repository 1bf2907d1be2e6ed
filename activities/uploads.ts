import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { FileKey, Files } from '../adapters/mongo/files.ts';
import type { Quota } from '../adapters/mongo/quota.ts';
import type { Tallies } from '../adapters/mongo/tallies.ts';
import type { Usage } from '../adapters/mongo/usage.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { FileRecord } from '../domain/file.ts';
import { eventsOf, totalsOf, type FileEvent } from '../domain/usage-totals.ts';
import type { UploadState } from '../workflows/messages.ts';

const STORE_CALL_TIMEOUT_MS = 10_000;

export interface UploadActivityDeps {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly tallies: Tallies;
  readonly stores: AccountStores;
  readonly now: () => Date;
}

export type UploadActivities = ReturnType<typeof createUploadActivities>;

/**
 * What an upload's workflow has done. Each may be repeated at any point: a status moves by a
 * conditional write, and what follows from a move is done by the call that moved it.
 */
export function createUploadActivities({
  accounts,
  files,
  quota,
  usage,
  tallies,
  stores,
  now,
}: UploadActivityDeps) {
  async function recordUsage({
    fileId,
    accountId,
    month,
    location,
    sizeBytes,
    savedVsAws,
  }: FileRecord) {
    const { provider } = location;
    await usage.record({
      fileId,
      accountId,
      month,
      provider,
      sizeBytes,
      savedVsAws,
      recordedAt: now(),
    });
  }

  async function release({ accountId, month, sizeBytes }: FileRecord) {
    await quota.release({ accountId, month }, { bytes: sizeBytes, uploads: 1 });
  }

  /**
   * Everything that has happened to the file goes into the ledger and the sums. Whoever does it
   * again, at the same time or late, adds nothing: only then is the note that it is due taken away.
   */
  async function tally(file: FileRecord): Promise<void> {
    const { fileId, accountId, month } = file;
    if (file.completedAt) await recordUsage(file);
    for (const event of eventsOf(file)) {
      const entry = { accountId, month, id: entryId(fileId, event), sums: totalsOf(file, event) };
      await tallies.count(entry, {
        find: () => files.findChunk(fileId, event),
        move: (from, to) => files.moveToChunk(fileId, event, from, to),
      });
    }
    await files.settleTally(file);
  }

  /** How the file stands; what has happened to it is made sure to be counted. */
  async function review(key: FileKey): Promise<UploadState> {
    const file = await files.find(key);
    if (file?.totalsPending) await tally(file);
    return toState(file);
  }

  async function activate(file: FileRecord): Promise<void> {
    await files.activate(file.fileId, now());
  }

  async function expire(file: FileRecord): Promise<void> {
    if (await files.expire(file.fileId, now())) await release(file);
  }

  async function openStore(file: FileRecord): Promise<ObjectStore> {
    const account = await accounts.find(file.accountId);
    if (!account) throw new Error('the account of this file is gone');
    return stores.at(account, file.location);
  }

  return {
    reviewUpload: review,

    /** pending → active, with its usage record. */
    async completeUpload(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (file?.status === 'pending') await activate(file);
      return review(key);
    },

    /** pending, active or expired → deleting. A pending file gives its reservation back. */
    async startDelete(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (!file) return toState(undefined);
      if (await files.startDeletePending(file.fileId, now())) await release(file);
      else await files.startDeleteSettled(file.fileId, now());
      return review(key);
    },

    /** Deletes the object, then deleting → deleted. */
    async deleteObject(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (!file) return { status: 'deleted' };
      if (file.deleteDue) await files.holdDelete(file.fileId);
      const store = await openStore(file);
      await store.delete(file.objectKey, { timeoutMs: STORE_CALL_TIMEOUT_MS });
      await files.finishDelete(file.fileId, now());
      return review(key);
    },

    /**
     * The window has closed. The object is there at the expected size → active: the client merely
     * never said so. Else → expired. A file that was never inserted leaves a tombstone, so that a
     * late insert collides.
     */
    async settleUpload(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (!file) {
        await files.insertTombstone(key, now());
        return { status: (await files.find(key)) ? 'pending' : 'expired' };
      }
      if (file.status !== 'pending') return review(key);
      const store = await openStore(file);
      const found = await store.head(file.objectKey, { timeoutMs: STORE_CALL_TIMEOUT_MS });
      if (found?.sizeBytes === file.sizeBytes) await activate(file);
      else await expire(file);
      return review(key);
    },

    /** pending → expired without a look: the store has been silent for too long. */
    async expireUpload(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (file) await expire(file);
      return review(key);
    },
  };
}

/** A completion is known by its file's id, as in the ledger. */
function entryId(fileId: string, event: FileEvent): string {
  return event === 'completed' ? fileId : `${fileId}:${event}`;
}

function toState(file: FileRecord | undefined): UploadState {
  if (!file) return { status: 'missing' };
  return {
    status: file.status,
    urlExpiresAt: file.urlExpiresAt.toISOString(),
    ...(file.completedAt ? { completedAt: file.completedAt.toISOString() } : {}),
    ...(file.deletedAt ? { deletedAt: file.deletedAt.toISOString() } : {}),
  };
}
