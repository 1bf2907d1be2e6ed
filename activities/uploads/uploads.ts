import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { FileKey } from '../../adapters/mongo/uploads/files.ts';
import { isPlaceGone, type AccountStores } from '../../adapters/object-store/account-stores.ts';
import { STORE_CALLS, type CallOptions } from '../../adapters/object-store/call-bounds.ts';
import { storeOf } from '../../domain/accounts/account.ts';
import type { StoreWork } from '../../domain/providers/pause.ts';
import {
  type FileRecord,
  givenUpAt,
  nextStep,
  type UploadState,
  type UploadTime,
} from '../../domain/uploads/file.ts';
import {
  StorePausedError,
  unlessPaused,
  type PauseDeps,
} from '../../operations/providers/pause.ts';
import {
  abortUploads,
  removeObject,
  type FileObject,
} from '../../operations/uploads/file-object.ts';
import {
  completeFile,
  countPending,
  expireFile,
  finishDelete,
  finishLook,
  holdFile,
} from '../../operations/uploads/file-transitions.ts';
import { giveUp, settledEvents, type GiveUpDeps } from '../../operations/uploads/give-up.ts';
import type { StoreGuard } from '../common/store-guard.ts';

const STORE_CALL = { timeoutMs: STORE_CALLS.upload.callMs };
const QUICK_STORE_CALL = { timeoutMs: STORE_CALLS.upload.quickCallMs };

export interface UploadActivityDeps extends GiveUpDeps, PauseDeps {
  readonly accounts: Accounts;
  readonly stores: AccountStores;
  readonly guard: StoreGuard;
}

export type UploadActivities = ReturnType<typeof createUploadActivities>;

/** The activities of an upload. Each may be repeated at any point. */
export function createUploadActivities(deps: UploadActivityDeps) {
  const { accounts, files, stores, guard, now } = deps;

  /** Does the work that is left at the store of a file, unless that is suspended or the work is paused. */
  async function atStore<Result>(
    file: FileRecord,
    work: StoreWork,
    call: (object: FileObject) => Promise<Result>,
  ): Promise<Result> {
    const { accountId, location } = file;
    const account = await accounts.findAccount(accountId);
    if (!account) throw new Error('the account of this file is gone');
    return await unlessPaused(deps, account, location, work, () =>
      guard({ accountId, store: storeOf(account, location) }, () =>
        call({ stores, account, file }),
      ),
    );
  }

  /** The file, after its totals are counted. */
  async function read(key: FileKey): Promise<FileRecord | undefined> {
    const file = await files.findFile(key);
    return file && (await countPending(deps, file));
  }

  /** What follows from a failure: the work is given up, or waits without attempts, or is attempted again. */
  async function afterFailure(file: FileRecord, error: unknown): Promise<FileRecord> {
    const isGivenUp = file.status === 'pending' ? isPlaceGone(error) : now() >= givenUpAt(file);
    if (isGivenUp) return await giveUp(deps, file, error);
    if (error instanceof StorePausedError) return await holdFile(deps, file, error.store);
    throw error;
  }

  const steps = {
    /** Deletes the object and its multipart uploads, then deleting → deleted. Any failure after 7 days stops it. */
    async delete(file: FileRecord, options: CallOptions): Promise<FileRecord> {
      if (file.status !== 'deleting' || file.error) return file;
      await atStore(file, 'delete', (object) => removeObject(object, options));
      return await finishDelete(deps, file);
    },

    /**
     * Looks for what came late. Deletes the object of a deleted file once more; aborts the multipart
     * uploads of an expired one, and makes it active if its object is there. Any failure 7 days after the last look
     * was due ends it.
     */
    async lookAgain(file: FileRecord, options: CallOptions): Promise<FileRecord> {
      if (!file.lookAgainAt) return file;
      if (file.status === 'deleted')
        await atStore(file, 'lookAgain', (object) => removeObject(object, options));
      else if (await atStore(file, 'lookAgain', (object) => isUploaded(object, options)))
        return await completeFile(deps, file, await settledEvents(deps, file, 'active'));
      return await finishLook(deps, file);
    },

    /**
     * The window has closed. An object of the expected size → active: the client never called complete.
     * Otherwise → expired, also where the account no longer has the place: a later look finds what is there, if the place is
     * configured again.
     */
    async settle(file: FileRecord, options: CallOptions): Promise<FileRecord> {
      if (file.status !== 'pending') return file;
      const isThere = await atStore(file, 'settle', (object) => isUploaded(object, options));
      const emits = await settledEvents(deps, file, isThere ? 'active' : 'expired');
      return await (isThere ? completeFile(deps, file, emits) : expireFile(deps, file, { emits }));
    },
  };

  async function perform(
    step: keyof typeof steps,
    key: FileKey,
    options: CallOptions,
  ): Promise<UploadState> {
    const file = await read(key);
    if (!file) return toState(file);
    try {
      return toState(await steps[step](file, options));
    } catch (error) {
      return toState(await afterFailure(file, error));
    }
  }

  return {
    /** Tries the next step once. Whatever fails or is slow, the file stays as it is, and an activity repeats it. */
    async attemptUpload({ at, ...key }: FileKey & { at: UploadTime }): Promise<UploadState> {
      const state = toState(await read(key));
      const step = nextStep(state, at).do;
      if (step === 'wait' || step === 'end') return state;
      return await perform(step, key, QUICK_STORE_CALL).catch(() => state);
    },

    deleteObject: async (key: FileKey): Promise<UploadState> =>
      await perform('delete', key, STORE_CALL),
    lookAgain: async (key: FileKey): Promise<UploadState> =>
      await perform('lookAgain', key, STORE_CALL),
    settleUpload: async (key: FileKey): Promise<UploadState> =>
      await perform('settle', key, STORE_CALL),

    /** pending → expired without asking the store, which did not answer for a day. */
    async expireUpload(key: FileKey): Promise<UploadState> {
      const file = await read(key);
      return toState(file?.status === 'pending' ? await giveUp(deps, file, undefined) : file);
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
  const store = await stores.at(account, file.location);
  const found = await store.head(file.objectKey, options);
  return found?.sizeBytes === file.sizeBytes;
}

function toState(file: FileRecord | undefined): UploadState {
  const lookAgainAtMs = file?.lookAgainAt?.getTime() ?? null;
  return {
    status: file?.status ?? 'missing',
    lookAgainAtMs,
    ...(file?.error ? { isStopped: true } : {}),
    ...(file?.held ? { isHeld: true } : {}),
  };
}
