import { firstAbort } from '../../adapters/abort-signals.ts';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import type {
  ByteRange,
  ObjectBody,
  ObjectDescription,
} from '../../adapters/object-store/object-store.ts';
import { PART_BYTES, partSizeFor } from '../../domain/common/parts.ts';
import { BUFFERED_BYTES, multipartEtag } from '../../domain/migration/copying.ts';
import { needsDigests } from '../../domain/provider/capabilities.ts';
import type { ManifestEntry } from '../../domain/migration/object-ledger.ts';
import { withCopyErrors } from './copy-error.ts';
import {
  acquireMemory,
  checkSourceMd5,
  describeSource,
  exactBytes,
  fromSource,
  openExactly,
  readBuffered,
  targetHeaders,
  retryPart,
  type CopiedObject,
  type ObjectCopyDeps,
  type ReadFrom,
} from './copy-io.ts';
import { StreamHashes } from './stream-hashes.ts';
import { abortUpload, checkTarget, differs, isOpaque, isProven } from './target-check.ts';

/** Parts of one object that are copied at once. */
const PARTS_AT_ONCE = 4;

interface PartCopy {
  readonly deps: ObjectCopyDeps;
  readonly from: ReadFrom;
  readonly targetKey: string;
  readonly uploadId: string;
  readonly hashes: StreamHashes;
}

/** A part at the target. */
interface CopiedPart {
  readonly etag: string;
  /** Of the bytes that were sent. */
  readonly md5: Buffer;
  /** It has these bytes. */
  readonly isProven: boolean;
}

/**
 * Copies a large object in parts, several at once. An upload that is not completed is aborted.
 *
 * @throws CopyError
 */
export async function copyMultipart(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const from = fromSource(deps, entry);
  const described = await describeSource(deps, entry);
  const uploadId = await beginUpload(deps, entry, targetKey, described);
  // Both: the parts' show what became of the bytes on their way to the target, the whole's what the source sent.
  const hashes = new StreamHashes({ partMd5s: true, wholeMd5: described.md5 !== null });
  try {
    const copy = { deps, from, targetKey, uploadId, hashes };
    const parts = await copyParts(copy);
    const wholeMd5 = hashes.wholeMd5();
    if (wholeMd5 !== null) checkSourceMd5(described, wholeMd5);
    const targetEtag = await complete(copy, parts);
    await deps.uploads.remove(uploadId);
    const sha256 = hashes.sha256();
    const { notCarried } = described;
    return { bytes: entry.sizeBytes, sourceEtag: entry.etag, sha256, targetEtag, notCarried };
  } catch (error) {
    await abortUpload(deps, targetKey, uploadId);
    deps.onConfirmed?.(0);
    throw error;
  } finally {
    hashes.close();
  }
}

/** The byte ranges of an object's parts. */
export function* partRanges(
  sizeBytes: number,
  maxParts: number,
  smallestBytes = PART_BYTES,
): Generator<ByteRange, void, undefined> {
  const partBytes = partSizeFor(sizeBytes, smallestBytes, maxParts);
  for (let first = 0; first < sizeBytes; first += partBytes)
    yield { first, last: Math.min(first + partBytes, sizeBytes) - 1 };
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
  await deps.uploads.note({ targetKey, uploadId });
  return uploadId;
}

/**
 * Copies the parts. The part whose turn it is to be hashed streams; those after it are held
 * in memory until then, as far as there is some. The first part that fails stops the others. Parts that need a digest
 * follow each other: each of them is held to be sent.
 */
async function copyParts({ deps, from, hashes, ...upload }: PartCopy): Promise<CopiedPart[]> {
  const needsDigest = needsDigests(deps.capabilities);
  const smallestBytes = needsDigest ? BUFFERED_BYTES : PART_BYTES;
  const ranges = [...partRanges(from.sizeBytes, deps.maxParts, smallestBytes)];
  const parts: CopiedPart[] = [];
  const failed = new AbortController();
  const bounds = firstAbort([deps.signal, failed.signal]);
  const copy = { deps: { ...deps, signal: bounds.signal }, from, hashes, ...upload };
  let begun = 0;
  let confirmed = 0;

  async function copyOne(part: number, range: ByteRange): Promise<void> {
    try {
      parts[part] = await retryPart(copy.deps, () => copyPart(copy, part, range));
    } catch (error) {
      failed.abort(error);
      throw error;
    }
    hashes.end(part);
    confirmed += lengthOf(range);
    deps.onConfirmed?.(confirmed);
  }

  function nextPart(): (() => Promise<void>) | undefined {
    const range = ranges[begun];
    if (!range) return undefined;
    const part = begun;
    if (part !== hashes.turn()) {
      const release = deps.limits.tryMemory(lengthOf(range));
      if (!release) return undefined;
      hashes.hold(part, lengthOf(range), release);
    }
    begun += 1;
    return () => copyOne(part, range);
  }

  try {
    await runConcurrently({ limit: () => (needsDigest ? 1 : PARTS_AT_ONCE) }, nextPart);
    return parts;
  } finally {
    bounds.release();
  }
}

/** Copies one part in one attempt. */
async function copyPart(
  { deps, from, targetKey, uploadId, hashes }: PartCopy,
  part: number,
  range: ByteRange,
): Promise<CopiedPart> {
  const { limits, target, signal } = deps;
  const sizeBytes = lengthOf(range);
  const isBuffered = sizeBytes <= BUFFERED_BYTES || needsDigests(deps.capabilities);
  const release = isBuffered ? await acquireMemory(deps, sizeBytes) : null;
  try {
    const opened = await openExactly(deps, from, { range, isBuffered });
    try {
      hashes.begin(part);
      const send = async (body: ObjectBody): Promise<CopiedPart> => {
        await limits.acquireRequest(signal);
        const options = { signal, keepsSent: true };
        const writing = target.writePart(targetKey, uploadId, part + 1, body, options);
        const written = await withCopyErrors('target', writing);
        const md5 = body.md5 ?? hashes.partMd5(part);
        if (!md5) throw differs();
        const proof = { etag: md5.toString('hex'), hasDigest: body.md5 !== undefined };
        const { etag } = written;
        if (etag !== proof.etag && !isOpaque(deps, written)) throw differs();
        return { etag, md5, isProven: isProven(deps, written, proof) };
      };
      if (!isBuffered) {
        const body = exactBytes(deps, 'source', opened, (chunk) => hashes.update(part, chunk));
        return await send({ sizeBytes, body });
      }
      const body = await readBuffered('source', opened);
      hashes.update(part, body);
      return await send({ sizeBytes, body, md5: hashes.partMd5(part) });
    } finally {
      opened.close();
    }
  } finally {
    release?.();
  }
}

function lengthOf({ first, last }: ByteRange): number {
  return last - first + 1;
}

async function complete(
  { deps, targetKey, uploadId }: PartCopy,
  parts: readonly CopiedPart[],
): Promise<string> {
  const { limits, progress, target, signal } = deps;
  const expected = multipartEtag(parts.map(({ md5 }) => md5));
  const etags = parts.map(({ etag }) => etag);
  await deps.requireUnchanged?.();
  await limits.acquireRequest(signal);
  await deps.confirmOpen?.();
  try {
    const options = { signal, keepsSent: true };
    const completed = target.completeUpload(targetKey, uploadId, etags, options);
    const written = await progress.reportWhile(
      withCopyErrors('target', completed),
      STORE_CALLS.assembleIdleMs,
    );
    const hasDigest = parts.every(({ isProven: isPartProven }) => isPartProven);
    await checkTarget(deps, targetKey, written, { etag: expected, hasDigest });
    return written.etag;
  } catch (error) {
    if (await isThere(deps, targetKey, expected)) return expected;
    throw error;
  }
}

/** Whether the upload completed although its answer was lost: no other object has that ETag. */
async function isThere(
  { target, signal }: ObjectCopyDeps,
  targetKey: string,
  etag: string,
): Promise<boolean> {
  if (signal.aborted) return false;
  const found = await target.head(targetKey, { signal }).catch(() => undefined);
  return found?.etag === etag;
}
