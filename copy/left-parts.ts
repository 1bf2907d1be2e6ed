import type {
  UploadedPart,
  UploadWithParts,
} from '../adapters/mongo/migrations/migration-uploads.ts';
import { isUnsupported } from '../adapters/object-store/errors.ts';
import type { ByteRange } from '../adapters/object-store/object-store.ts';
import type { ManifestEntry } from '../domain/migrations/object-ledger.ts';
import { withCopyErrors } from './copy-error.ts';
import { lengthOf } from './transport.ts';
import { type ObjectCopyDeps } from './types.ts';
import { abortUpload } from './target-check.ts';

/** A multipart upload that an earlier attempt, or an earlier worker, has not completed. */
export interface LeftUpload {
  readonly uploadId: string;
  /** The parts that the target still holds, by their numbers. */
  readonly kept: ReadonlyMap<number, UploadedPart>;
}

/**
 * The upload of the same source object that an earlier attempt has left, and its parts that the
 * target still holds as they were confirmed. Others of the key are aborted.
 */
export async function findLeft(
  deps: ObjectCopyDeps,
  { etag }: ManifestEntry,
  targetKey: string,
  ranges: readonly ByteRange[],
): Promise<LeftUpload | undefined> {
  for (const upload of await deps.uploads.ofKey(targetKey)) {
    const kept = upload.sourceEtag === etag && (await keptParts(deps, upload, ranges));
    if (kept) return { uploadId: upload.uploadId, kept };
    await abortUpload(deps, upload);
  }
  return undefined;
}

/** Undefined: the upload is gone, or the store does not list parts. */
async function keptParts(
  { target, limits, signal }: ObjectCopyDeps,
  { targetKey, uploadId, parts }: UploadWithParts,
  ranges: readonly ByteRange[],
): Promise<Map<number, UploadedPart> | undefined> {
  const noted = new Map(parts.map((part) => [part.partNumber, part]));
  const kept = new Map<number, UploadedPart>();
  let after = 0;
  for (;;) {
    await limits.acquireRequest(signal);
    const listing = target.parts(targetKey, uploadId, after, { signal }).catch((error: unknown) => {
      if (isUnsupported(error)) return undefined;
      throw error;
    });
    const page = await withCopyErrors('target', listing);
    if (!page) return undefined;
    for (const { partNumber, etag, sizeBytes } of page.parts) {
      const part = noted.get(partNumber);
      const range = ranges[partNumber - 1];
      if (part?.etag === etag && range && lengthOf(range) === sizeBytes) kept.set(partNumber, part);
    }
    const last = page.parts.at(-1)?.partNumber ?? after;
    if (!page.isTruncated || last <= after) return kept;
    after = last;
  }
}
