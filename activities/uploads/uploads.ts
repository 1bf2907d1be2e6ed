import type { Accounts } from '../../adapters/mongo/accounts.ts';
import {
  completeFile,
  countPending,
  expireFile,
  finishDelete,
  finishLook,
  stopDelete,
  type FileTransitionDeps,
} from '../../operations/uploads/file-transitions.ts';
import type { Webhooks } from '../../adapters/mongo/webhooks.ts';
import { settledFile } from '../../domain/webhooks/data.ts';
import { describeEvent, type ServiceEvent } from '../../domain/webhooks/event.ts';
import type { FileKey } from '../../adapters/mongo/files.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import {
  abortUploads,
  removeObject,
  type FileObject,
} from '../../operations/uploads/file-object.ts';
import { STORE_CALLS, type CallOptions } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/common/errors.ts';
import {
  type FileError,
  type FileRecord,
  isDeleteOver,
  isLookOver,
  nextStep,
  type UploadState,
  type UploadTime,
} from '../../domain/upload/file.ts';
import type { StoreGuard } from '../common/store-guard.ts';

const STORE_CALL = { timeoutMs: STORE_CALLS.upload.callMs };
const QUICK_STORE_CALL = { timeoutMs: STORE_CALLS.upload.quickCallMs };

export interface UploadActivityDeps extends FileTransitionDeps {
  readonly accounts: Accounts;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly stores: AccountStores;
  readonly guard: StoreGuard;
}

export type UploadActivities = ReturnType<typeof createUploadActivities>;

/** The activities of an upload. Each may be repeated at any point. */
export function createUploadActivities(deps: UploadActivityDeps) {
  const { accounts, files, stores, guard, now } = deps;

  /** Works on the object of a file, unless its store is suspended. */
  async function atStore<Result>(
    file: FileRecord,
    work: (object: FileObject) => Promise<Result>,
  ): Promise<Result> {
    const { accountId, location } = file;
    const account = await accounts.find(accountId);
    if (!account) throw new Error('the account of this file is gone');
    return guard({ accountId, store: location.provider }, () => work({ stores, account, file }));
  }

  /** What the account's webhooks are to be told of a file that no call has completed. */
  async function settled(
    file: FileRecord,
    status: FileRecord['status'],
  ): Promise<readonly ServiceEvent[]> {
    const webhooks = await deps.webhooks.list(file.accountId);
    if (!webhooks.some(({ events }) => events.includes('file.settled'))) return [];
    return [describeEvent(file.accountId, 'file.settled', now(), settledFile(file, status))];
  }

  /** The file, after its totals are counted. */
  async function read(key: FileKey): Promise<FileRecord | undefined> {
    const file = await files.find(key);
    return file && (await countPending(deps, file));
  }

  const steps = {
    /**
     * Deletes the object and its multipart uploads, then deleting → deleted. A failure after 7 days
     * stops the delete, whatever it is.
     */
    async delete(key: FileKey, options: CallOptions): Promise<UploadState> {
      const file = await read(key);
      if (file?.status !== 'deleting' || file.error) return toState(file);
      try {
        await atStore(file, (object) => removeObject(object, options));
      } catch (error) {
        if (!isDeleteOver(file, now())) throw error;
        return toState(await stopDelete(deps, file, toFileError(deps, file, error)));
      }
      return toState(await finishDelete(deps, file));
    },

    /**
     * Looks for what came late. Deletes the object of a deleted file once more; aborts the multipart
     * uploads of an expired one, and makes it active if its object is there. Gives up if it fails 7 days
     * after the last look was due.
     */
    async lookAgain(key: FileKey, options: CallOptions): Promise<UploadState> {
      const file = await read(key);
      if (!file?.lookAgainAt) return toState(file);
      try {
        if (file.status === 'deleted')
          await atStore(file, (object) => removeObject(object, options));
        else if (await atStore(file, (object) => isUploaded(object, options)))
          return toState(await completeFile(deps, file, await settled(file, 'active')));
      } catch (error) {
        if (!isLookOver(file, now())) throw error;
      }
      return toState(await finishLook(deps, file));
    },

    /**
     * The window has closed. An object of the expected size → active: the client never called complete.
     * Otherwise → expired. A file that was never inserted leaves a tombstone, so that a late insert
     * collides.
     */
    async settle(key: FileKey, options: CallOptions): Promise<UploadState> {
      const file = await read(key);
      if (!file) {
        await files.insertTombstone(key, now());
        const inserted = await read(key);
        return inserted ? toState(inserted) : { status: 'expired', lookAgainAtMs: null };
      }
      if (file.status !== 'pending') return toState(file);
      const isThere = await atStore(file, (object) => isUploaded(object, options));
      const emits = await settled(file, isThere ? 'active' : 'expired');
      return toState(
        await (isThere ? completeFile(deps, file, emits) : expireFile(deps, file, { emits })),
      );
    },
  };

  return {
    /** Tries the next step once. If the store fails or is slow, the file stays as it is. */
    async attemptUpload({ at, ...key }: FileKey & { at: UploadTime }): Promise<UploadState> {
      const state = toState(await read(key));
      const step = nextStep(state, at).do;
      if (step === 'wait' || step === 'end') return state;
      try {
        return await steps[step](key, QUICK_STORE_CALL);
      } catch (error) {
        if (error instanceof StoreError || error instanceof AppError) return state;
        throw error;
      }
    },

    deleteObject: async (key: FileKey): Promise<UploadState> => await steps.delete(key, STORE_CALL),
    lookAgain: async (key: FileKey): Promise<UploadState> => await steps.lookAgain(key, STORE_CALL),
    settleUpload: async (key: FileKey): Promise<UploadState> => await steps.settle(key, STORE_CALL),

    /** pending → expired without asking the store, which did not answer for a day. */
    async expireUpload(key: FileKey): Promise<UploadState> {
      const file = await read(key);
      if (file?.status !== 'pending') return toState(file);
      const emits = await settled(file, 'expired');
      return toState(await expireFile(deps, file, { lookAgainAt: now(), emits }));
    },
  };
}

/**
 * Whether the object is at the store. Multipart uploads are aborted first, so that none can become the
 * object after the look.
 */
async function isUploaded(object: FileObject, options: CallOptions): Promise<boolean> {
  const { stores, account, file } = object;
  if (file.multipart) await abortUploads(object, options);
  const found = await stores.at(account, file.location).head(file.objectKey, options);
  return found?.sizeBytes === file.sizeBytes;
}

function toState(file: FileRecord | undefined): UploadState {
  const lookAgainAtMs = file?.lookAgainAt?.getTime() ?? null;
  if (file?.error) return { status: file.status, lookAgainAtMs, isStopped: true };
  return { status: file?.status ?? 'missing', lookAgainAtMs };
}

/** The text of another error may hold what callers must not see. */
function toFileError(
  { stores }: Pick<UploadActivityDeps, 'stores'>,
  { location }: FileRecord,
  error: unknown,
): FileError {
  const shown = error instanceof StoreError ? stores.toProviderError(location, error) : error;
  const { code, message } = shown instanceof AppError ? shown : new AppError('internal_error');
  return { code, message };
}
