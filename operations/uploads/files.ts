import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import { addSeconds, toWholeSecond } from '../../domain/common/time.ts';
import { finishDelete, startDelete, type FileTransitionDeps } from './file-transitions.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { noteSuccess } from '../providers/pause.ts';
import { removeObject } from './file-object.ts';
import type { Deps } from '../common/deps.ts';

export type FileDeps = FileTransitionDeps &
  Deps<'accounts' | 'stores' | 'uploads' | 'downloadUrlSeconds' | 'onBackgroundError'>;

export interface DownloadUrl {
  readonly url: string;
  readonly expiresAt: Date;
}

export interface ReadableFile {
  readonly file: FileRecord;
  /** Undefined unless the file is active. */
  readonly download: DownloadUrl | undefined;
}

/** The state of a delete; `deletedAt` is undefined until the store has confirmed it. */
export interface FileDeletion {
  readonly fileId: string;
  readonly deletedAt: Date | undefined;
}

/** @throws AppError `file_not_found`, also for a file of another account */
export async function findFile(
  { files }: Pick<FileDeps, 'files'>,
  { accountId }: Account,
  fileId: string,
): Promise<FileRecord> {
  const file = await files.findFile({ fileId, accountId });
  if (!file) throw new AppError('file_not_found');
  return file;
}

/**
 * A file with a URL that downloads it. A file whose delete has stopped is returned with the error,
 * even if its provider is no longer configured.
 *
 * @throws AppError `file_not_found`, `file_deleted`, `provider_not_configured`
 */
export async function getFile(
  deps: FileDeps,
  account: Account,
  fileId: string,
): Promise<ReadableFile> {
  const file = await findFile(deps, account, fileId);
  if (file.status === 'deleting' && file.error) return { file, download: undefined };
  if (file.status === 'deleting' || file.status === 'deleted') throw new AppError('file_deleted');
  return { file, download: await presignDownload(deps, account, file) };
}

async function presignDownload(
  { stores, now, downloadUrlSeconds }: FileDeps,
  account: Account,
  { location, status, objectKey: key, fileName }: FileRecord,
): Promise<DownloadUrl | undefined> {
  // Before the status: a file whose provider is no longer configured is refused in any state.
  const store = await stores.at(account, location);
  if (status !== 'active') return undefined;
  const signedAt = toWholeSecond(now());
  const expiresInSeconds = downloadUrlSeconds;
  const url = await store.presignDownload({ key, fileName, expiresInSeconds, signedAt });
  return { url, expiresAt: addSeconds(signedAt, expiresInSeconds) };
}

/**
 * Deletes the object, then the file. A repeat gives the same answer. If the store refuses or does
 * not answer, the file stays `deleting`, and its workflow retries for 7 days. A call resumes a
 * stopped delete.
 *
 * @throws AppError `file_not_found`, `provider_not_configured`
 */
export async function deleteFile(
  deps: FileDeps,
  account: Account,
  fileId: string,
): Promise<FileDeletion> {
  const { stores } = deps;
  const stored = await findFile(deps, account, fileId);
  if (stored.status === 'deleted') return { fileId, deletedAt: stored.deletedAt };
  await stores.at(account, stored.location);
  const file = await startDelete(deps, stored);
  if (file.status === 'deleted') return { fileId, deletedAt: file.deletedAt };
  try {
    await removeObject({ stores, account, file }, { timeoutMs: STORE_CALLS.api.callMs });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // If Temporal is unavailable, the sweep wakes the workflow later.
    await deps.uploads.wake(file).catch(deps.onBackgroundError);
    return { fileId, deletedAt: undefined };
  }
  await noteSuccess(deps, account, file.location, ['delete']);
  const { deletedAt } = await finishDelete(deps, file);
  return { fileId, deletedAt };
}

/** The error of an upload call for a file that is no longer pending. */
export function closedError(status: 'expired' | 'deleting' | 'deleted'): AppError {
  return new AppError(status === 'expired' ? 'file_expired' : 'file_deleted');
}

/**
 * Runs a call to a customer's store, and converts its failure.
 *
 * @throws AppError `provider_error`; its message names the provider and the reason.
 */
export async function withStoreErrors<T>(
  { stores }: Pick<FileDeps, 'stores'>,
  location: StoreLocation,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof StoreError ? stores.toProviderError(location, error) : error;
  }
}
