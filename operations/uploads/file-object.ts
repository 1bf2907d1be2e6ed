import type { Account } from '../../domain/accounts/account.ts';
import { placesOfFile, type FileRecord } from '../../domain/uploads/file.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { isRefusal, isUnsupported } from '../../adapters/object-store/errors.ts';
import { withinBounds, type CallOptions } from '../../adapters/object-store/call-bounds.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';

/** The object of a file at its store, and what is needed to reach it. */
export interface FileObject {
  readonly stores: AccountStores;
  readonly account: Account;
  readonly file: Pick<
    FileRecord,
    'location' | 'objectKey' | 'multipart' | 'sizeBytes' | 'oldObjects'
  >;
}

/**
 * Deletes the object of a file, at every place where relocations have left one too, and every
 * multipart upload under its key. A missing one counts as deleted, and so does everything in a
 * bucket that is gone. The time-out bounds all of it.
 *
 * @throws StoreError
 * @throws AppError `provider_not_configured`
 */
export async function removeObject(object: FileObject, options: CallOptions): Promise<void> {
  const { stores, account, file } = object;
  await withinBounds(options, async (bounds) => {
    const opened = await Promise.all(placesOfFile(file).map((place) => stores.at(account, place)));
    const [aborted] = await Promise.allSettled(
      file.multipart ? [abortUploads(object, bounds)] : [],
    );
    // Uploads that cannot be found do not keep the object, and one place does not keep another.
    const deleted = await Promise.allSettled(
      opened.map((store) => unlessBucketIsGone(() => store.delete(file.objectKey, bounds))),
    );
    for (const each of [...deleted, aborted]) if (each?.status === 'rejected') throw each.reason;
  });
}

/**
 * Aborts every multipart upload of the file's key. A bucket that is gone has none.
 *
 * @throws StoreError
 * @throws AppError `provider_not_configured`
 */
export async function abortUploads(
  { stores, account, file }: FileObject,
  options: CallOptions,
): Promise<void> {
  const store = await stores.at(account, file.location);
  await unlessBucketIsGone(() =>
    withinBounds(options, async (bounds) => {
      for await (const uploadId of findUploads(store, file, bounds))
        await store.abortUpload(file.objectKey, uploadId, bounds);
    }),
  );
}

/**
 * The ids of the key's multipart uploads. They are listed, because a process may have ended before
 * it could store the id of one. Where the store has no such listing, the one that the file
 * remembers is taken.
 *
 * @throws StoreError
 */
async function* findUploads(
  store: ObjectStore,
  { objectKey, multipart }: FileObject['file'],
  options: CallOptions,
): AsyncGenerator<string> {
  const { uploadId } = multipart ?? {};
  try {
    for await (const upload of store.uploads(objectKey, options))
      if (upload.key === objectKey) yield upload.uploadId;
  } catch (error) {
    if (!isUnsupported(error)) throw error;
    if (uploadId !== undefined) yield uploadId;
  }
}

async function unlessBucketIsGone(call: () => Promise<void>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isRefusal(error, 'NoSuchBucket')) throw error;
  }
}
