import type { FileKey } from '../../adapters/mongo/uploads/files.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
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
import { StorePausedError, unlessPaused } from '../../operations/providers/pause.ts';
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
import { giveUp, settledEvents } from '../../operations/uploads/give-up.ts';
import type { UploadContext } from '../contexts.ts';

const STORE_CALL = { timeoutMs: STORE_CALLS.upload.callMs };
const QUICK_STORE_CALL = { timeoutMs: STORE_CALLS.upload.quickCallMs };

export type UploadActivities = ReturnType<typeof createUploadActivities>;

type Step = 'delete' | 'lookAgain' | 'settle';
type Work = (context: UploadContext, file: FileRecord, options: CallOptions) => Promise<FileRecord>;

/** The activities of an upload. Each may be repeated at any point. */
export function createUploadActivities(context: UploadContext) {
  return {
    /** Tries the next step once. If it fails, the file stays as it is: an activity repeats it. */
    async attemptUpload({ at, ...key }: FileKey & { at: UploadTime }): Promise<UploadState> {
      const state = toState(await readFile(context, key));
      const step = nextStep(state, at).do;
      if (step === 'wait' || step === 'end') return state;
      return await perform(context, step, key, QUICK_STORE_CALL).catch(() => state);
    },

    deleteObject: (key: FileKey) => perform(context, 'delete', key, STORE_CALL),
    lookAgain: (key: FileKey) => perform(context, 'lookAgain', key, STORE_CALL),
    settleUpload: (key: FileKey) => perform(context, 'settle', key, STORE_CALL),

    /** pending → expired without asking the store, which did not answer for a day. */
    async expireUpload(key: FileKey): Promise<UploadState> {
      const file = await readFile(context, key);
      return toState(file?.status === 'pending' ? await giveUp(context, file, undefined) : file);
    },
  };
}

async function readFile(context: UploadContext, key: FileKey): Promise<FileRecord | undefined> {
  const file = await context.files.findFile(key);
  return file && (await countPending(context, file));
}

async function perform(
  context: UploadContext,
  step: Step,
  key: FileKey,
  options: CallOptions,
): Promise<UploadState> {
  const file = await readFile(context, key);
  if (!file) return toState(file);
  try {
    return toState(await STEPS[step](context, file, options));
  } catch (error) {
    return toState(await afterFailure(context, file, error));
  }
}

/** After a failure the work is given up, waits without attempts, or is attempted again. */
async function afterFailure(
  context: UploadContext,
  file: FileRecord,
  error: unknown,
): Promise<FileRecord> {
  const isGivenUp =
    file.status === 'pending' ? isPlaceGone(error) : context.now() >= givenUpAt(file);
  if (isGivenUp) return await giveUp(context, file, error);
  if (error instanceof StorePausedError) return await holdFile(context, file, error.store);
  throw error;
}

const STEPS: Readonly<Record<Step, Work>> = {
  /** Deletes object and uploads; deleting → deleted. Any failure after 7 days stops it. */
  async delete(context, file, options) {
    if (file.status !== 'deleting' || file.error) return file;
    await atStore(context, file, 'delete', (object) => removeObject(object, options));
    return await finishDelete(context, file);
  },

  /**
   * Looks for what came late. Deletes the object of a deleted file once more; aborts the multipart
   * uploads of an expired one, and makes it active if its object is there. Any failure 7 days after
   * the last look was due ends it.
   */
  async lookAgain(context, file, options) {
    if (!file.lookAgainAt) return file;
    if (file.status === 'deleted')
      await atStore(context, file, 'lookAgain', (object) => removeObject(object, options));
    else if (await atStore(context, file, 'lookAgain', (object) => isUploaded(object, options)))
      return await completeFile(context, file, await settledEvents(context, file, 'active'));
    return await finishLook(context, file);
  },

  /**
   * The window has closed. An object of the expected size → active: the client never called
   * complete. Otherwise → expired, also where the account no longer has the place: a later look
   * finds what is there, if the place is configured again.
   */
  async settle(context, file, options) {
    if (file.status !== 'pending') return file;
    const isThere = await atStore(context, file, 'settle', (object) => isUploaded(object, options));
    const emits = await settledEvents(context, file, isThere ? 'active' : 'expired');
    if (isThere) return await completeFile(context, file, emits);
    return await expireFile(context, file, { emits });
  },
};

/** Works at the store of a file, unless the store is suspended or such work is paused. */
async function atStore<Result>(
  context: UploadContext,
  file: FileRecord,
  work: StoreWork,
  call: (object: FileObject) => Promise<Result>,
): Promise<Result> {
  const { accounts, stores, guard } = context;
  const { accountId, location } = file;
  const account = await accounts.findAccount(accountId);
  if (!account) throw new Error('the account of this file does not exist');
  return await unlessPaused(context, account, location, work, () =>
    guard({ accountId, store: storeOf(account, location) }, () => call({ stores, account, file })),
  );
}

/**
 * Whether the object is at the store. Multipart uploads are aborted first, so that none can become
 * the object after the look.
 */
async function isUploaded(at: FileObject, options: CallOptions): Promise<boolean> {
  const { stores, account, file } = at;
  if (file.multipart) await abortUploads(at, options);
  const store = await stores.at(account, file.location);
  const object = await store.head(file.objectKey, options);
  return object?.sizeBytes === file.sizeBytes;
}

function toState(file: FileRecord | undefined): UploadState {
  return {
    status: file?.status ?? 'missing',
    lookAgainAtMs: file?.lookAgainAt?.getTime() ?? null,
    ...(file?.error ? { isStopped: true } : {}),
    ...(file?.held ? { isHeld: true } : {}),
  };
}
