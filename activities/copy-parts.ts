import type { ObjectDescription, TransferRange } from '../adapters/object-store/transfer-store.ts';
import { HELD_BYTES, isPlainMd5, multipartEtag, partSizeFor } from '../domain/migration/copying.ts';
import type { ManifestEntry } from '../domain/migration/ledger.ts';
import { at, CopyError } from './copy-error.ts';
import {
  checkSourceMd5,
  exactBytes,
  openExactly,
  readHeld,
  targetHeaders,
  tryPart,
  type CopiedObject,
  type ObjectCopyDeps,
  type ReadFrom,
} from './object-copy.ts';
import { PassingHashes } from './passing-hashes.ts';
import { abortUpload, checkTarget, differs } from './target-check.ts';

interface PartCopy {
  readonly deps: ObjectCopyDeps;
  readonly from: ReadFrom;
  readonly targetKey: string;
  readonly uploadId: string;
}

/** What was copied of an object so far. */
interface Progress {
  readonly hashes: PassingHashes;
  readonly md5s: readonly Buffer[];
}

/** Copies a large object. No upload of its own is left behind, however it ends. @throws CopyError */
export async function copyInParts(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
): Promise<CopiedObject> {
  const { key, etag, sizeBytes } = entry;
  const from: ReadFrom = { side: 'source', store: deps.source, key, etag, sizeBytes };
  const described = await describeSource(deps, entry);
  const uploadId = await begin(deps, entry, targetKey, described);
  try {
    deps.onUpload?.(uploadId);
    const copy = { deps, from, targetKey, uploadId };
    const { hashes, md5s } = await copyParts(copy);
    const wholeMd5 = hashes.wholeMd5();
    if (wholeMd5 !== null) checkSourceMd5(entry, wholeMd5);
    const targetEtag = await complete(copy, md5s);
    const sha256 = hashes.sha256();
    const { notCarried } = described;
    return { bytes: sizeBytes, sourceEtag: etag, sha256, targetEtag, notCarried };
  } catch (error) {
    await abortUpload(deps, targetKey, uploadId);
    throw error;
  }
}

/** The stretches of an object in parts. */
export function* partsOf(sizeBytes: number): Generator<TransferRange, void, undefined> {
  const partBytes = partSizeFor(sizeBytes);
  for (let first = 0; first < sizeBytes; first += partBytes)
    yield { first, last: Math.min(first + partBytes, sizeBytes) - 1 };
}

async function describeSource(
  { source, gate, signal }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): Promise<ObjectDescription> {
  await gate.request(signal);
  const described = await at('source', source.head(key, { signal }));
  if (!described) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
  if (described.etag === etag && described.sizeBytes === sizeBytes) return described;
  throw new CopyError('source_changing', { isTransient: true, side: 'source' });
}

/** Not to be called off: an upload that began without our knowing its id could not be aborted. */
async function begin(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
  described: ObjectDescription,
): Promise<string> {
  await deps.gate.request(deps.signal);
  const headers = targetHeaders(deps, entry, described);
  return at('target', deps.target.beginUpload(targetKey, headers));
}

async function copyParts(copy: PartCopy): Promise<Progress> {
  const { deps, from } = copy;
  const md5s: Buffer[] = [];
  let hashes = new PassingHashes({ wantsWholeMd5: isPlainMd5(from.etag) });
  for (const range of partsOf(from.sizeBytes)) {
    deps.signal.throwIfAborted();
    const before = hashes;
    const { md5, after } = await tryPart(deps, async () => {
      const trial = before.copy();
      return { md5: await copyPart(copy, range, md5s.length + 1, trial), after: trial };
    });
    md5s.push(md5);
    hashes = after;
  }
  return { hashes, md5s };
}

/** Copies one part and gives its MD5. */
async function copyPart(
  { deps, from, targetKey, uploadId }: PartCopy,
  range: TransferRange,
  partNumber: number,
  hashes: PassingHashes,
): Promise<Buffer> {
  const { gate, target, signal } = deps;
  const sizeBytes = range.last - range.first + 1;
  const isHeld = sizeBytes <= HELD_BYTES;
  const release = isHeld ? await gate.hold(sizeBytes, signal) : null;
  try {
    const opened = await openExactly(deps, from, { range, isHeld });
    try {
      const send = async (body: Buffer | AsyncIterable<Buffer>, md5?: Buffer): Promise<Buffer> => {
        await gate.request(signal);
        const request = { sizeBytes, md5, body };
        const written = target.writePart(targetKey, uploadId, partNumber, request, { signal });
        const etag = await at('target', written);
        const taken = md5 ?? hashes.endPart();
        if (etag !== taken.toString('hex')) throw differs();
        return taken;
      };
      const bytes = exactBytes(deps, 'source', opened);
      if (!isHeld) return await send(hashed(bytes, hashes));
      const held = await readHeld('source', opened);
      hashes.update(held);
      return await send(held, hashes.endPart());
    } finally {
      opened.close();
    }
  } finally {
    release?.();
  }
}

/** Bytes that are hashed as they pass. */
async function* hashed(
  bytes: AsyncIterable<Buffer>,
  hashes: PassingHashes,
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
  const { gate, target, signal } = deps;
  const expected = multipartEtag(md5s);
  const etags = md5s.map((md5) => md5.toString('hex'));
  await gate.request(signal);
  try {
    const completed = target.completeUpload(targetKey, uploadId, etags, { signal });
    const targetEtag = await at('target', completed);
    await checkTarget(deps, targetKey, targetEtag, expected);
    return targetEtag;
  } catch (error) {
    if (await isThere(deps, targetKey, expected)) return expected;
    throw error;
  }
}

/** The answer may have been lost and the object be there: nothing else has that ETag. */
async function isThere(
  { target, signal }: ObjectCopyDeps,
  targetKey: string,
  etag: string,
): Promise<boolean> {
  if (signal.aborted) return false;
  const found = await target.head(targetKey, { signal }).catch(() => undefined);
  return found?.etag === etag;
}
