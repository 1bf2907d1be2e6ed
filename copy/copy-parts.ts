import { firstAbort } from '../adapters/abort-signals.ts';
import { runConcurrently } from '../adapters/object-store/adaptive-concurrency.ts';
import { STORE_CALLS } from '../adapters/object-store/call-bounds.ts';
import type {
  ByteRange,
  ObjectBody,
  ObjectDescription,
} from '../adapters/object-store/object-store.ts';
import { PART_BYTES } from '../domain/common/parts.ts';
import { BUFFERED_BYTES, multipartEtag } from '../domain/migrations/copying.ts';
import { isRefusal } from '../adapters/object-store/errors.ts';
import type { UploadedPart } from '../adapters/mongo/migrations/migration-uploads.ts';
import { needsDigests } from '../domain/providers/capabilities.ts';
import type { ManifestEntry } from '../domain/migrations/object-ledger.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import {
  acquireMemory,
  exactBytes,
  fromSource,
  lengthOf,
  openExactly,
  partRanges,
  readBuffered,
  targetHeaders,
  retryPart,
  type ReadFrom,
} from './transport.ts';
import { describeSource, incomplete } from './source-check.ts';
import { type CopiedObject, type ObjectCopyDeps, type ObjectWriteDeps } from './types.ts';
import { findLeft, type LeftUpload } from './left-parts.ts';
import { StreamHashes } from './stream-hashes.ts';
import {
  abortUpload,
  checkTarget,
  completionCondition,
  differs,
  isOpaque,
  isProven,
  removeWritten,
  requireUnchanged,
  throwOccupied,
} from './target-check.ts';
import { readHashes } from './verify-object.ts';

const PARTS_AT_ONCE = 4;

interface PartCopy extends LeftUpload {
  readonly deps: ObjectWriteDeps;
  readonly from: ReadFrom;
  readonly targetKey: string;
  readonly ranges: readonly ByteRange[];
  readonly hashes: StreamHashes;
}

/**
 * Copies a large object in parts, several at once. It goes on with what an earlier attempt has left
 * of the same source object; then what is at the target is read once, for its SHA-256. An upload
 * that another attempt may complete stays.
 *
 * @throws CopyError
 */
export async function copyMultipart(
  deps: ObjectWriteDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const from = fromSource(deps, entry);
  const described = await describeSource(deps, entry);
  const smallestBytes = needsDigests(deps.capabilities) ? BUFFERED_BYTES : PART_BYTES;
  const ranges = [...partRanges(entry.sizeBytes, deps.maxParts, smallestBytes)];
  const left = await findLeft(deps, entry, targetKey, ranges);
  const { uploadId, kept } = left ?? {
    uploadId: await beginUpload(deps, entry, targetKey, described),
    kept: new Map<number, UploadedPart>(),
  };
  const isWhole = kept.size === 0;
  // The parts' MD5s show what the target received, the whole's what the source sent.
  const hashes = new StreamHashes({
    partMd5s: true,
    whole: isWhole,
    wholeMd5: described.md5 !== null,
  });
  try {
    const copy = { deps, from, targetKey, uploadId, ranges, kept, hashes };
    const parts = await copyParts(copy);
    if (isWhole && hashes.wholeMd5() !== described.md5) {
      await abortUpload(deps, { targetKey, uploadId });
      throw incomplete('source');
    }
    const targetEtag = await complete(copy, parts);
    await deps.uploads.remove(uploadId);
    const sha256 = isWhole ? hashes.sha256() : await readBack(copy, described, targetEtag);
    const { notCarried } = described;
    return { bytes: entry.sizeBytes, sourceEtag: entry.etag, sha256, targetEtag, notCarried };
  } finally {
    hashes.close();
  }
}

/** The SHA-256 of an object whose parts were not all sent by this attempt. */
async function readBack(
  { deps, targetKey, from: { sizeBytes } }: PartCopy,
  described: ObjectDescription,
  etag: string,
): Promise<string> {
  const at: ReadFrom = { side: 'target', store: deps.target, key: targetKey, etag, sizeBytes };
  const read = await readHashes(deps, at, { wholeMd5: described.md5 !== null });
  if (described.md5 !== null && read.md5 !== described.md5) {
    await removeWritten(deps, targetKey, etag);
    throw incomplete('source');
  }
  return read.sha256;
}

/** Not abortable: an upload whose id is not noted would never be aborted at the store. */
async function beginUpload(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
  described: ObjectDescription,
): Promise<string> {
  await deps.limits.acquireRequest(deps.signal);
  const headers = targetHeaders(deps, entry, described);
  await deps.confirmOpen?.();
  const uploadId = await withCopyErrors('target', deps.target.beginUpload(targetKey, headers));
  await deps.uploads.note({ targetKey, uploadId, sourceEtag: entry.etag });
  return uploadId;
}

/**
 * Copies the parts that the target does not hold yet, and returns all of them. The part whose turn
 * it is to be hashed streams; those after it are held in memory until then, as far as there is
 * some. The first part that fails stops the others. Parts that need a digest follow each other:
 * each of them is held to be sent.
 */
async function copyParts({ deps, ...upload }: PartCopy): Promise<readonly UploadedPart[]> {
  const { ranges, kept, hashes, uploadId } = upload;
  const needsDigest = needsDigests(deps.capabilities);
  const parts: UploadedPart[] = [];
  const failed = new AbortController();
  const bounds = firstAbort([deps.signal, failed.signal]);
  const copy = { deps: { ...deps, signal: bounds.signal }, ...upload };
  let begun = 0;
  let confirmed = 0;

  function confirm(at: number, part: UploadedPart, range: ByteRange): void {
    parts[at] = part;
    confirmed += lengthOf(range);
    deps.onConfirmed?.(confirmed);
  }

  async function copyOne(at: number, range: ByteRange): Promise<void> {
    try {
      const part = await retryPart(copy.deps, () => copyPart(copy, at, range));
      await deps.uploads.notePart(uploadId, part);
      hashes.end(at);
      confirm(at, part, range);
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  }

  function nextPart(): (() => Promise<void>) | undefined {
    for (let range = ranges[begun]; range; range = ranges[begun]) {
      const at = begun;
      const here = kept.get(at + 1);
      if (!here) {
        if (!hashes.isTurn(at)) {
          const release = deps.limits.tryMemory(lengthOf(range));
          if (!release) return undefined;
          hashes.hold(at, lengthOf(range), release);
        }
        begun += 1;
        const missing = range;
        return () => copyOne(at, missing);
      }
      begun += 1;
      confirm(at, here, range);
    }
    return undefined;
  }

  try {
    await runConcurrently({ limit: () => (needsDigest ? 1 : PARTS_AT_ONCE) }, nextPart);
    return parts;
  } finally {
    bounds.release();
  }
}

/** Copies one part, counted from 0, in one attempt. */
async function copyPart(
  { deps, from, targetKey, uploadId, hashes }: PartCopy,
  part: number,
  range: ByteRange,
): Promise<UploadedPart> {
  const { limits, target, signal } = deps;
  const sizeBytes = lengthOf(range);
  const isBuffered = sizeBytes <= BUFFERED_BYTES || needsDigests(deps.capabilities);
  const release = isBuffered ? await acquireMemory(deps, sizeBytes) : null;
  try {
    const opened = await openExactly(deps, from, { range, isBuffered });
    try {
      hashes.begin(part);
      const send = async (body: ObjectBody): Promise<UploadedPart> => {
        await limits.acquireRequest(signal);
        const options = { signal, keepsSent: true };
        const writing = target.writePart(targetKey, uploadId, part + 1, body, options);
        const written = await withCopyErrors('target', writing);
        const md5 = (body.md5 ?? hashes.partMd5(part))?.toString('hex');
        if (md5 === undefined) throw differs();
        const proof = { etag: md5, hasDigest: body.md5 !== undefined };
        const { etag } = written;
        if (etag !== md5 && !isOpaque(deps, written)) throw differs();
        return { partNumber: part + 1, etag, md5, isProven: isProven(deps, written, proof) };
      };
      if (!isBuffered) {
        const body = exactBytes(deps, 'source', opened, (chunk) => hashes.update(part, chunk));
        return await send({ sizeBytes, body });
      }
      const body = await readBuffered(opened);
      hashes.update(part, body);
      return await send({ sizeBytes, body, md5: hashes.partMd5(part) });
    } finally {
      opened.close();
    }
  } finally {
    release?.();
  }
}

/** Completes the upload, again while the target fails; a HEAD shows whether it did nevertheless. */
async function complete(
  { deps, targetKey, uploadId }: PartCopy,
  parts: readonly UploadedPart[],
): Promise<string> {
  const { limits, progress, target, signal } = deps;
  const expected = multipartEtag(parts.map(({ md5 }) => Buffer.from(md5, 'hex')));
  const etags = parts.map(({ etag }) => etag);
  const condition = completionCondition(deps);
  const written = await retryPart(deps, async () => {
    try {
      if (!condition) await requireUnchanged(deps, targetKey);
      await limits.acquireRequest(signal);
      await deps.confirmOpen?.();
      const options = { signal, keepsSent: true, condition };
      const completed = target.completeUpload(targetKey, uploadId, etags, options);
      return await progress.reportWhile(
        withCopyErrors('target', completed.catch(throwOccupied)),
        STORE_CALLS.assembleIdleMs,
      );
    } catch (error) {
      if (await isThere(deps, targetKey, expected)) return { etag: expected, isOpaque: false };
      // By S3's documentation the upload has to begin anew.
      if (error instanceof CopyError && isRefusal(error.cause, 'ConditionalRequestConflict'))
        await abortUpload(deps, { targetKey, uploadId });
      throw error;
    }
  });
  const hasDigest = parts.every(({ isProven: isPartProven }) => isPartProven);
  await checkTarget(deps, targetKey, written, { etag: expected, hasDigest });
  return written.etag;
}

/** Whether the upload completed although its answer was lost: no other object has that ETag. */
async function isThere(
  { target, signal }: ObjectCopyDeps,
  targetKey: string,
  etag: string,
): Promise<boolean> {
  if (signal.aborted) return false;
  const held = await target.head(targetKey, { signal }).catch(() => undefined);
  return held?.etag === etag;
}
