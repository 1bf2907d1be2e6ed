import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { FileKey, Files } from '../adapters/mongo/files.ts';
import type { Quota } from '../adapters/mongo/quota.ts';
import type { UsageTotals } from '../adapters/mongo/usage-totals.ts';
import type { Usage } from '../adapters/mongo/usage.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { FileRecord } from '../domain/file.ts';
import { eventsOf, totalsOf, type FileEvent } from '../domain/usage-totals.ts';
import type { UploadState } from '../messages/upload.ts';

const STORE_CALL_TIMEOUT_MS = 10_000;

export interface UploadActivityDeps {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly quota: Quota;
  readonly usage: Usage;
  readonly usageTotals: UsageTotals;
  readonly stores: AccountStores;
  readonly now: () => Date;
}

export type UploadActivities = ReturnType<typeof createUploadActivities>;

/**
 * The activities of an upload. Each may be repeated at any point: a status changes by a conditional
 * write, and the call that changed it does what follows from the change.
 */
export function createUploadActivities({
  accounts,
  files,
  quota,
  usage,
  usageTotals,
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
   * Writes everything that has happened to the file into the usage records and the usage totals. A
   * repeat, at the same time or later, adds nothing. `totalsPending` is cleared after that.
   */
  async function updateTotals(file: FileRecord): Promise<void> {
    const { fileId, accountId, month } = file;
    if (file.completedAt) await recordUsage(file);
    for (const event of eventsOf(file)) {
      const entry = { accountId, month, id: entryId(fileId, event), sums: totalsOf(file, event) };
      await usageTotals.count(entry, {
        find: () => files.findChunk(fileId, event),
        move: (from, to) => files.moveToChunk(fileId, event, from, to),
      });
    }
    await files.clearTotalsPending(file);
  }

  /** The state of the file, after its totals are up to date. */
  async function review(key: FileKey): Promise<UploadState> {
    const file = await files.find(key);
    if (file?.totalsPending) await updateTotals(file);
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
      if (file.deletePending) await files.holdDelete(file.fileId);
      const store = await openStore(file);
      await store.delete(file.objectKey, { timeoutMs: STORE_CALL_TIMEOUT_MS });
      await files.finishDelete(file.fileId, now());
      return review(key);
    },

    /**
     * The window has closed. An object of the expected size → active: the client never called complete.
     * Otherwise → expired. A file that was never inserted leaves a tombstone, so that a late insert
     * collides.
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

    /** pending → expired without asking the store, which did not answer for a day. */
    async expireUpload(key: FileKey): Promise<UploadState> {
      const file = await files.find(key);
      if (file) await expire(file);
      return review(key);
    },
  };
}

/** A completion has its file's id, as in the usage records. */
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
