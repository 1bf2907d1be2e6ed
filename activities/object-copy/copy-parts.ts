import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import type { ObjectDescription, ByteRange } from '../../adapters/object-store/object-store.ts';
import { PART_BYTES, partSizeFor } from '../../domain/common/parts.ts';
import { BUFFERED_BYTES, multipartEtag } from '../../domain/migration/copying.ts';
import type { ManifestEntry } from '../../domain/migration/object-ledger.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import {
  acquireMemory,
  checkSourceMd5,
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
import { abortUpload, checkTarget, differs } from './target-check.ts';

interface PartCopy {
  readonly deps: ObjectCopyDeps;
  readonly from: ReadFrom;
  readonly targetKey: string;
  readonly uploadId: string;
}

/** The parts copied so far. */
interface CopiedParts {
  readonly hashes: StreamHashes;
  readonly md5s: readonly Buffer[];
}

/** Copies a large object in parts. An upload that is not completed is aborted. @throws CopyError */
export async function copyMultipart(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const from = fromSource(deps, entry);
  const described = await describeSource(deps, entry);
  const uploadId = await beginUpload(deps, entry, targetKey, described);
  try {
    deps.onUpload?.(uploadId);
    const copy = { deps, from, targetKey, uploadId };
    const { hashes, md5s } = await copyParts(copy, { wantsWholeMd5: described.md5 !== null });
    const wholeMd5 = hashes.wholeMd5();
    if (wholeMd5 !== null) checkSourceMd5(described, wholeMd5);
    const targetEtag = await complete(copy, md5s);
    const sha256 = hashes.sha256();
    const { notCarried } = described;
    return { bytes: entry.sizeBytes, sourceEtag: entry.etag, sha256, targetEtag, notCarried };
  } catch (error) {
    await abortUpload(deps, targetKey, uploadId);
    deps.onConfirmed?.(0);
    throw error;
  }
}

/** The byte ranges of an object's parts. */
export function* partRanges(
  sizeBytes: number,
  maxParts: number,
): Generator<ByteRange, void, undefined> {
  const partBytes = partSizeFor(sizeBytes, PART_BYTES, maxParts);
  for (let first = 0; first < sizeBytes; first += partBytes)
    yield { first, last: Math.min(first + partBytes, sizeBytes) - 1 };
}

async function describeSource(
  { source, limits, signal }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): Promise<ObjectDescription> {
  await limits.acquireRequest(signal);
  const described = await withCopyErrors('source', source.head(key, { signal }));
  if (!described) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
  if (described.etag === etag && described.sizeBytes === sizeBytes) return described;
  throw new CopyError('source_changing', { isTransient: true, side: 'source' });
}

/** Not abortable: an upload whose id is unknown could not be aborted at the store. */
async function beginUpload(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
  described: ObjectDescription,
): Promise<string> {
  await deps.limits.acquireRequest(deps.signal);
  const headers = targetHeaders(deps, entry, described);
  await deps.confirmOpen?.();
  return withCopyErrors('target', deps.target.beginUpload(targetKey, headers));
}

async function copyParts(
  copy: PartCopy,
  wanted: { readonly wantsWholeMd5: boolean },
): Promise<CopiedParts> {
  const { deps, from } = copy;
  const md5s: Buffer[] = [];
  let hashes = new StreamHashes(wanted);
  for (const range of partRanges(from.sizeBytes, deps.maxParts)) {
    deps.signal.throwIfAborted();
    const before = hashes;
    const { md5, after } = await retryPart(deps, async () => {
      const attempt = before.copy();
      return { md5: await copyPart(copy, range, md5s.length + 1, attempt), after: attempt };
    });
    md5s.push(md5);
    hashes = after;
    deps.onConfirmed?.(range.last + 1);
  }
  return { hashes, md5s };
}

/** Copies one part and returns its MD5. */
async function copyPart(
  { deps, from, targetKey, uploadId }: PartCopy,
  range: ByteRange,
  partNumber: number,
  hashes: StreamHashes,
): Promise<Buffer> {
  const { limits, target, signal } = deps;
  const sizeBytes = range.last - range.first + 1;
  const isBuffered = sizeBytes <= BUFFERED_BYTES;
  const release = isBuffered ? await acquireMemory(deps, sizeBytes) : null;
  try {
    const opened = await openExactly(deps, from, { range, isBuffered });
    try {
      const send = async (body: Buffer | AsyncIterable<Buffer>, md5?: Buffer): Promise<Buffer> => {
        await limits.acquireRequest(signal);
        const request = { sizeBytes, md5, body };
        const options = { signal, keepsSent: true };
        const written = target.writePart(targetKey, uploadId, partNumber, request, options);
        const etag = await withCopyErrors('target', written);
        const partMd5 = md5 ?? hashes.endPart();
        if (etag !== partMd5.toString('hex')) throw differs();
        return partMd5;
      };
      const bytes = exactBytes(deps, 'source', opened);
      if (!isBuffered) return await send(hashed(bytes, hashes));
      const buffer = await readBuffered('source', opened);
      hashes.update(buffer);
      return await send(buffer, hashes.endPart());
    } finally {
      opened.close();
    }
  } finally {
    release?.();
  }
}

/** Hashes the bytes of a stream. */
async function* hashed(
  bytes: AsyncIterable<Buffer>,
  hashes: StreamHashes,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of bytes) {
    hashes.update(chunk);
    yield chunk;
  }
}

async function complete(
  { deps, targetKey, uploadId }: PartCopy,
  md5s: readonly Buffer[],
): Promise<string> {
  const { limits, progress, target, signal } = deps;
  const expected = multipartEtag(md5s);
  const etags = md5s.map((md5) => md5.toString('hex'));
  await deps.requireWritable?.();
  await limits.acquireRequest(signal);
  await deps.confirmOpen?.();
  try {
    const options = { signal, keepsSent: true };
    const completed = target.completeUpload(targetKey, uploadId, etags, options);
    const targetEtag = await progress.reportWhile(
      withCopyErrors('target', completed),
      STORE_CALLS.assembleIdleMs,
    );
    await checkTarget(deps, targetKey, targetEtag, expected);
    return targetEtag;
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
