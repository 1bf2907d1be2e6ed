import type { ObjectDescription } from '../../adapters/object-store/object-store.ts';
import { PART_BYTES } from '../../domain/common/parts.ts';
import { multipartEtag } from '../../domain/migration/copying.ts';
import type { ManifestEntry } from '../../domain/migration/object-ledger.ts';
import { partRanges } from './copy-parts.ts';
import {
  exactBytes,
  openExactly,
  retryPart,
  type CopiedObject,
  type ObjectCopyDeps,
  type ReadFrom,
} from './copy-io.ts';
import { StreamHashes } from './stream-hashes.ts';
import { differs } from './target-check.ts';

/**
 * Reads back an object that an earlier attempt of this migration wrote, and whose ledger line was lost
 * with its worker. Its bytes must match the source's MD5 if the source still shows one; else, and where that is the
 * same MD5, the target's ETag.
 *
 * @throws CopyError; the signal's reason if that was aborted
 */
export async function verifyObject(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  targetKey: string,
  found: ObjectDescription,
): Promise<CopiedObject> {
  const { sizeBytes } = entry;
  if (found.sizeBytes !== sizeBytes) throw differs();
  const from: ReadFrom = {
    side: 'target',
    store: deps.target,
    key: targetKey,
    etag: found.etag,
    sizeBytes,
  };
  const source = await describeSource(deps, entry);
  const sourceMd5 = source?.md5 ?? null;
  const isInParts = sizeBytes > PART_BYTES;
  // Where the source shows the MD5 of the whole, those of the parts are not needed.
  const partMd5s = isInParts && sourceMd5 === null;
  const hashes = new StreamHashes({ partMd5s, wholeMd5: !partMd5s });
  const md5s = await readParts(deps, from, hashes);
  const md5 = hashes.wholeMd5();
  if (sourceMd5 !== null && md5 !== sourceMd5) throw differs();
  if (partMd5s && found.etag !== multipartEtag(md5s)) throw differs();
  if (!isInParts && found.etag !== md5) throw differs();
  return {
    bytes: sizeBytes,
    sourceEtag: entry.etag,
    sha256: hashes.sha256(),
    targetEtag: found.etag,
    notCarried: source?.notCarried ?? [],
  };
}

/** Reads the object, part after part, and returns their MD5s, if those are wanted. */
async function readParts(
  deps: ObjectCopyDeps,
  from: ReadFrom,
  hashes: StreamHashes,
): Promise<Buffer[]> {
  const md5s: Buffer[] = [];
  // An object of 0 bytes has no valid range.
  const ranges =
    from.sizeBytes > PART_BYTES ? [...partRanges(from.sizeBytes, deps.maxParts)] : [undefined];
  for (const [part, range] of ranges.entries()) {
    deps.signal.throwIfAborted();
    await retryPart(deps, async () => {
      const opened = await openExactly(deps, from, { range });
      try {
        hashes.begin(part);
        const onPiece = (piece: Buffer) => hashes.update(part, piece);
        for await (const _piece of exactBytes(deps, from.side, opened, onPiece));
      } finally {
        opened.close();
      }
    });
    const md5 = hashes.partMd5(part);
    if (md5) md5s.push(md5);
    hashes.end(part);
  }
  return md5s;
}

/** Undefined if the source has changed or does not answer. */
async function describeSource(
  { source, limits, signal }: ObjectCopyDeps,
  { key, etag }: ManifestEntry,
): Promise<ObjectDescription | undefined> {
  await limits.acquireRequest(signal);
  const described = await source.head(key, { signal }).catch(() => undefined);
  return described?.etag === etag ? described : undefined;
}
