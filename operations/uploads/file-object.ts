import type { Account } from '../../domain/account/account.ts';
import type { FileRecord } from '../../domain/upload/file.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { isRefusal, StoreError } from '../../adapters/object-store/errors.ts';
import type { CallOptions } from '../../adapters/object-store/object-store.ts';
import type { TransferOptions } from '../../adapters/object-store/transfer-store.ts';

/** The object of a file at its store, and what is needed to reach it. */
export interface FileObject {
  readonly stores: AccountStores;
  readonly account: Account;
  readonly file: Pick<FileRecord, 'location' | 'objectKey' | 'multipart' | 'sizeBytes'>;
}

/**
 * Deletes the object of a file, and every multipart upload under its key. A missing one counts as
 * deleted, and so does everything in a bucket that is gone. The time-out bounds all of it.
 *
 * @throws StoreError
 * @throws AppError `provider_not_configured`
 */
export async function removeObject(object: FileObject, { timeoutMs }: CallOptions): Promise<void> {
  const { stores, account, file } = object;
  const until = performance.now() + timeoutMs;
  if (file.multipart) await abortUploads(object, { timeoutMs });
  const leftMs = Math.max(1, Math.floor(until - performance.now()));
  const store = stores.at(account, file.location);
  await unlessBucketIsGone(() => store.delete(file.objectKey, { timeoutMs: leftMs }));
}

/**
 * Aborts every multipart upload of the file's key. They are found by listing: a process may have ended
 * before it could store the id of one. A bucket that is gone has none.
 *
 * @throws StoreError
 * @throws AppError `provider_not_configured`
 */
export async function abortUploads(
  { stores, account, file: { location, objectKey } }: FileObject,
  { timeoutMs }: CallOptions,
): Promise<void> {
  const store = stores.transferAt(account, location);
  const abortAll = async (options: TransferOptions) => {
    for await (const upload of store.uploads(objectKey, options))
      if (upload.key === objectKey) await store.abortUpload(objectKey, upload.uploadId, options);
  };
  await unlessBucketIsGone(() => within(timeoutMs, abortAll));
}

async function unlessBucketIsGone(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isRefusal(error, 'NoSuchBucket')) throw error;
  }
}

/** Bounds several calls to a store together. @throws StoreError `timed_out` */
export async function within<T>(
  timeoutMs: number,
  call: (options: TransferOptions) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await call({ signal });
  } catch (error) {
    if (signal.aborted && error === signal.reason) throw new StoreError('timed_out', error);
    throw error;
  }
}
