import { hash } from 'node:crypto';
import type { CallOptions } from '../../adapters/object-store/call-bounds.ts';
import type {
  ObjectHeaders,
  ObjectStore,
  WriteCondition,
  WrittenObject,
} from '../../adapters/object-store/object-store.ts';

/** Where small objects are written and deleted to see what a store does. */
export interface Trial {
  readonly store: ObjectStore;
  readonly options: CallOptions;
  /** Notes the multipart uploads, so that those of a process that ends are aborted later. */
  readonly uploads?: {
    note(upload: { readonly targetKey: string; readonly uploadId: string }): Promise<void>;
    remove(uploadId: string): Promise<void>;
  };
}

/**
 * Writes a small object by a multipart upload of one part. An upload that is not completed is
 * aborted.
 *
 * @throws StoreError
 */
export async function writeInParts(
  { store, options, uploads }: Trial,
  key: string,
  { headers, body }: { readonly headers: ObjectHeaders; readonly body: Buffer },
  condition?: WriteCondition,
): Promise<WrittenObject> {
  const uploadId = await store.beginUpload(key, headers, options);
  await uploads?.note({ targetKey: key, uploadId });
  let written: WrittenObject;
  try {
    const part = { sizeBytes: body.length, md5: hash('md5', body, 'buffer'), body };
    const { etag } = await store.writePart(key, uploadId, 1, part, options);
    written = await store.completeUpload(key, uploadId, [etag], { ...options, condition });
  } catch (error) {
    const isAborted = await store.abortUpload(key, uploadId, options).then(
      () => true,
      () => false,
    );
    if (isAborted) await uploads?.remove(uploadId);
    throw error;
  }
  await uploads?.remove(uploadId);
  return written;
}
