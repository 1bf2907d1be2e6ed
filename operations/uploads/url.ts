import type { Account } from '../../domain/accounts/account.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { addSeconds, toWholeSecond } from '../../domain/common/time.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Deps } from '../common/deps.ts';
import { closedError, findFile } from './files.ts';

export type UploadUrlDeps = Deps<'files' | 'stores' | 'uploadUrlSeconds' | 'now'>;

/** A file with a URL that uploads it. */
export interface UploadUrl {
  readonly file: FileRecord;
  readonly presignedUrl: string;
  readonly expiresAt: Date;
}

/**
 * A fresh URL for the PUT of a pending file: the same key, type and size.
 *
 * @throws AppError `file_not_found`, `file_is_multipart`, `file_already_active`, `file_expired`,
 * `file_deleted`, `provider_not_configured`
 */
export async function refreshUploadUrl(
  deps: UploadUrlDeps,
  account: Account,
  fileId: string,
): Promise<UploadUrl> {
  const file = await findFile(deps, account, fileId);
  if (file.multipart) throw new AppError('file_is_multipart');
  requireOpen(deps, file);
  const { signedAt, expiresInSeconds, expiresAt } = computeExpiry(deps, file);
  const store = await deps.stores.at(account, file.location);
  const presignedUrl = await presignUpload(store, file, { signedAt, expiresInSeconds });
  if (!(await deps.files.extendUrl(fileId, expiresAt)))
    requireOpen(deps, await findFile(deps, account, fileId));
  return { file, presignedUrl, expiresAt };
}

/** The URL for the PUT of a file at its place. */
export function presignUpload(
  store: Pick<ObjectStore, 'presignUpload'>,
  { objectKey: key, contentType, sizeBytes, contentMd5 }: FileRecord,
  validity: { readonly signedAt: Date; readonly expiresInSeconds: number },
): Promise<string> {
  return store.presignUpload({ key, contentType, sizeBytes, contentMd5, ...validity });
}

/** How long a URL that is signed now is valid: at most until the window closes. */
export function computeExpiry(
  { uploadUrlSeconds, now }: Pick<UploadUrlDeps, 'uploadUrlSeconds' | 'now'>,
  { deadline }: FileRecord,
) {
  const signedAt = toWholeSecond(now());
  const leftSeconds = Math.floor((deadline.getTime() - signedAt.getTime()) / 1_000);
  const expiresInSeconds = Math.max(1, Math.min(uploadUrlSeconds, leftSeconds));
  return { signedAt, expiresInSeconds, expiresAt: addSeconds(signedAt, expiresInSeconds) };
}

/** @throws AppError `file_already_active`, `file_expired`, `file_deleted` */
export function requireOpen(
  { now }: Pick<UploadUrlDeps, 'now'>,
  { status, deadline }: FileRecord,
): void {
  if (status === 'active') throw new AppError('file_already_active');
  if (status !== 'pending') throw closedError(status);
  if (now() >= deadline) throw closedError('expired');
}
