import { StoreError } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { FileError, FileRecord } from '../../domain/uploads/file.ts';
import { settledFile, type ServiceEvent } from '../../domain/webhooks/event.ts';
import type { Deps } from '../common/deps.ts';
import { expireFile, finishLook, stopDelete, type FileTransitionDeps } from './file-transitions.ts';

export type GiveUpDeps = FileTransitionDeps & Deps<'webhooks' | 'stores'>;

/**
 * Ends the work at a store that has failed for too long.
 *
 * | file             | afterwards                                            |
 * | ---------------- | ----------------------------------------------------- |
 * | pending          | expired; the store is looked at again from now on     |
 * | deleting         | deleting with the error, until the delete is resumed  |
 * | with a late look | without it                                            |
 */
export async function giveUp(
  deps: GiveUpDeps,
  file: FileRecord,
  error: unknown,
): Promise<FileRecord> {
  if (file.status === 'pending') {
    const emits = await settledEvents(deps, file, 'expired');
    return await expireFile(deps, file, { lookAgainAt: deps.now(), emits });
  }
  if (file.status === 'deleting')
    return await stopDelete(deps, file, toFileError(deps, file, error));
  return await finishLook(deps, file);
}

/** The events for the account's webhooks about a file that no call has completed. */
export async function settledEvents(
  { webhooks, now }: Pick<GiveUpDeps, 'webhooks' | 'now'>,
  file: FileRecord,
  status: FileRecord['status'],
): Promise<readonly ServiceEvent[]> {
  const listed = await webhooks.listWebhooks(file.accountId);
  if (!listed.some(({ events }) => events.includes('file.settled'))) return [];
  return [settledFile(file, status, now())];
}

/** The text of another error may hold what callers must not see. */
function toFileError(
  { stores }: Pick<GiveUpDeps, 'stores'>,
  { location }: FileRecord,
  error: unknown,
): FileError {
  const shown = error instanceof StoreError ? stores.toProviderError(location, error) : error;
  const { code, message } = shown instanceof AppError ? shown : new AppError('internal_error');
  return { code, message };
}
