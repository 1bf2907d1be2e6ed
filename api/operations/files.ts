import { setTimeout as wait } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { FileRecord } from '../../domain/file.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';

export interface FileDeps {
  readonly files: Files;
  readonly stores: AccountStores;
  readonly uploads: UploadCommands;
  readonly now: () => Date;
}

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

const DOWNLOAD_URL_SECONDS = 3600;
/** The caller of a delete waits for the store this long. */
const DELETE_ANSWER_WITHIN_MS = 2_500;
const POLL_MS = 25;

/** @throws AppError `file_not_found`, also for a file of another account */
export async function findFile(
  { files }: Pick<FileDeps, 'files'>,
  { accountId }: Account,
  fileId: string,
): Promise<FileRecord> {
  const file = await files.find({ fileId, accountId });
  if (!file) throw new AppError('file_not_found');
  return file;
}

/**
 * A file with a URL that downloads it.
 *
 * @throws AppError `file_not_found`, `file_deleted`, `provider_not_configured`
 */
export async function getFile(
  deps: FileDeps,
  account: Account,
  fileId: string,
): Promise<ReadableFile> {
  const file = await findFile(deps, account, fileId);
  if (file.status === 'deleting' || file.status === 'deleted') throw new AppError('file_deleted');
  return { file, download: await presignDownload(deps, account, file) };
}

async function presignDownload(
  { stores, now }: FileDeps,
  account: Account,
  { location, status, objectKey: key, fileName }: FileRecord,
): Promise<DownloadUrl | undefined> {
  // Before the status: a file whose provider is not configured any more is refused in any state.
  const store = stores.at(account, location);
  if (status !== 'active') return undefined;
  const signedAt = now();
  const expiresInSeconds = DOWNLOAD_URL_SECONDS;
  const url = await store.presignDownload({ key, fileName, expiresInSeconds, signedAt });
  return { url, expiresAt: addSeconds(signedAt, expiresInSeconds) };
}

/**
 * Deletes the object, then the file. A repeat answers as the first call did.
 *
 * @throws AppError `file_not_found`, `provider_not_configured`, `unavailable`
 */
export async function deleteFile(
  deps: FileDeps,
  account: Account,
  fileId: string,
): Promise<FileDeletion> {
  const file = await findFile(deps, account, fileId);
  if (file.status !== 'deleted' && (file.status !== 'deleting' || file.deletePending)) {
    deps.stores.at(account, file.location);
    await deps.uploads.delete(file);
  }
  return await waitForDelete(deps, account, fileId);
}

/** Only what is stored is promised: from `deleting` on, the delete is retried without another call. */
async function waitForDelete(
  deps: FileDeps,
  account: Account,
  fileId: string,
): Promise<FileDeletion> {
  const until = performance.now() + DELETE_ANSWER_WITHIN_MS;
  for (;;) {
    const { status, deletedAt } = await findFile(deps, account, fileId);
    if (status === 'deleted') return { fileId, deletedAt };
    if (status !== 'deleting') throw new AppError('unavailable');
    if (performance.now() > until) return { fileId, deletedAt: undefined };
    await wait(POLL_MS);
  }
}
