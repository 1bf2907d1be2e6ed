import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { FileRecord } from '../../domain/file.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import type { UploadState } from '../../messages/upload.ts';
import { withStoreErrors } from './store-errors.ts';
import { findFile } from './files.ts';

export interface UploadCompletionDeps {
  readonly files: Files;
  readonly stores: AccountStores;
  readonly uploads: UploadCommands;
}

export interface CompletedUpload {
  readonly file: FileRecord;
  /** RFC 3339. */
  readonly completedAt: string;
}

/** The caller waits for this look at the store. */
const STORE_TIMEOUT_MS = 4_000;

/**
 * Looks for the object at the store and makes the file active. A repeat for an active file answers the
 * same without a look at the store.
 *
 * @throws AppError `file_not_found`, `file_not_on_provider`, `file_size_mismatch`, `file_expired`,
 * `file_deleted`, `provider_not_configured`, `provider_error`, `unavailable`
 */
export async function completeUpload(
  deps: UploadCompletionDeps,
  account: Account,
  fileId: string,
): Promise<CompletedUpload> {
  const file = await findFile(deps, account, fileId);
  if (file.status !== 'pending') {
    const { status, completedAt } = file;
    return { file, completedAt: requireActive(status, completedAt?.toISOString()) };
  }
  await requireObject(deps, account, file);
  const { status, completedAt } = await deps.uploads.complete(file);
  return { file, completedAt: requireActive(status, completedAt) };
}

/** A command is sent only for an object that is there, so polling costs Temporal nothing. */
async function requireObject(
  { stores }: UploadCompletionDeps,
  account: Account,
  { location, objectKey, sizeBytes }: FileRecord,
): Promise<void> {
  const found = await withStoreErrors(location, () =>
    stores.at(account, location).head(objectKey, { timeoutMs: STORE_TIMEOUT_MS }),
  );
  if (!found) throw new AppError('file_not_on_provider');
  if (found.sizeBytes === sizeBytes) return;
  throw new AppError(
    'file_size_mismatch',
    `The object has ${found.sizeBytes} bytes; ${sizeBytes} were announced.`,
  );
}

function requireActive(status: UploadState['status'], completedAt: string | undefined): string {
  switch (status) {
    case 'active':
      if (completedAt === undefined) throw new Error('an active file has no completedAt');
      return completedAt;
    case 'expired':
      throw new AppError('file_expired');
    case 'deleting':
    case 'deleted':
      throw new AppError('file_deleted');
    case 'missing':
      throw new AppError('file_not_found');
    case 'pending':
      throw new AppError('unavailable');
  }
}
