import type { Account } from '../../domain/accounts/account.ts';
import { AppError, type ErrorDetail } from '../../domain/common/errors.ts';
import { type FileRecord, toPartSize } from '../../domain/uploads/file.ts';
import { completeFile, countPending, type FileTransitionDeps } from './file-transitions.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { isRefusal } from '../../adapters/object-store/errors.ts';
import { noteSuccess } from '../providers/pause.ts';
import { retryTransient } from '../../adapters/retry.ts';
import { hasUpload, listParts } from './parts.ts';
import type { Deps } from '../common/deps.ts';
import { closedError, findFile, withStoreErrors } from './files.ts';

export type UploadCompletionDeps = FileTransitionDeps & Deps<'accounts' | 'stores'>;

/** The number of parts that an error lists. */
const MAX_NAMED_PARTS = 20;

/**
 * Checks the object at the store, after assembling a multipart upload, and makes the file active. A
 * repeat for an active file gives the same answer without a store call.
 *
 * @throws AppError `file_not_found`, `file_not_on_provider`, `file_size_mismatch`,
 * `file_incomplete`, `file_expired`, `file_deleted`, `provider_not_configured`, `provider_error`
 */
export async function completeUpload(
  deps: UploadCompletionDeps,
  account: Account,
  fileId: string,
): Promise<FileRecord> {
  const file = await findFile(deps, account, fileId);
  if (file.status !== 'pending') return requireActive(await countPending(deps, file));
  try {
    await (file.multipart ? requireAssembled : requireObject)(deps, account, file);
  } catch (error) {
    // Another call may have completed or deleted it meanwhile: that decides, not what the store
    // said during it.
    const latest = await findFile(deps, account, fileId);
    if (latest.status === 'pending') throw error;
    return requireActive(await countPending(deps, latest));
  }
  await noteSuccess(deps, account, file.location, ['settle']);
  return requireActive(await completeFile(deps, file));
}

async function requireObject(
  deps: UploadCompletionDeps,
  account: Account,
  file: FileRecord,
): Promise<void> {
  const foundBytes = await findSize(deps, account, file);
  if (foundBytes === undefined) throw new AppError('file_not_on_provider');
  if (foundBytes === file.sizeBytes) return;
  throw new AppError(
    'file_size_mismatch',
    `The object has ${foundBytes} bytes; ${file.sizeBytes} were announced.`,
  );
}

async function findSize(
  deps: UploadCompletionDeps,
  account: Account,
  { location, objectKey }: FileRecord,
): Promise<number | undefined> {
  const store = await deps.stores.at(account, location);
  const object = await withStoreErrors(deps, location, () =>
    store.head(objectKey, { timeoutMs: STORE_CALLS.api.callMs }),
  );
  return object?.sizeBytes;
}

/** How long a store may take to show an object that another call has assembled: 2 s in all. */
const LATE_OBJECT = { attempts: 6, delayMs: () => 400 };

/** Requires the object, and assembles it if all its parts are at the store. */
async function requireAssembled(
  deps: UploadCompletionDeps,
  account: Account,
  file: FileRecord,
): Promise<void> {
  const isThere = async () => (await findSize(deps, account, file)) === file.sizeBytes;
  // A call that was killed may have assembled it.
  if (await isThere()) return;
  try {
    await assemble(deps, account, file, requireParts(file, await listParts(deps, account, file)));
  } catch (error) {
    if (await isThere()) return;
    // Another call may be assembling it. A store may remove the upload before it shows the object.
    if (await hasUpload(deps, account, file)) throw error;
    await retryTransient({ ...LATE_OBJECT, isTransient: (last) => last === error }, async () => {
      if (!(await isThere())) throw error;
    });
  }
}

/** The ETags of all parts, in order. @throws AppError `file_incomplete` */
function requireParts(
  { sizeBytes, multipart }: FileRecord,
  parts: ReadonlyMap<number, { readonly sizeBytes: number; readonly etag: string }>,
): string[] {
  if (!multipart) throw new Error('the file has no parts');
  const details: ErrorDetail[] = [];
  const etags: string[] = [];
  for (let number = 1; number <= multipart.partCount; number += 1) {
    const part = parts.get(number);
    const expected = toPartSize(sizeBytes, multipart, number);
    if (part?.sizeBytes === expected) etags.push(part.etag);
    else if (details.length < MAX_NAMED_PARTS) {
      const message = part
        ? `has ${part.sizeBytes} bytes instead of ${expected}`
        : `is missing (${expected} bytes)`;
      details.push({ path: `/parts/${number}`, message });
    }
  }
  if (details.length > 0) throw new AppError('file_incomplete', undefined, { details });
  return etags;
}

/** @throws AppError `file_incomplete` if the upload is gone; `provider_error` */
async function assemble(
  deps: UploadCompletionDeps,
  account: Account,
  { location, objectKey, multipart }: FileRecord,
  etags: readonly string[],
): Promise<void> {
  const { uploadId = '' } = multipart ?? {};
  const store = await deps.stores.at(account, location);
  await withStoreErrors(deps, location, async () => {
    try {
      const options = { timeoutMs: STORE_CALLS.api.assembleMs };
      await store.completeUpload(objectKey, uploadId, etags, options);
    } catch (error) {
      if (isRefusal(error, 'NoSuchUpload')) throw new AppError('file_incomplete');
      throw error;
    }
  });
}

function requireActive(file: FileRecord): FileRecord {
  if (file.status === 'active') return file;
  if (file.status === 'pending') throw new Error('a completed file is pending');
  throw closedError(file.status);
}
