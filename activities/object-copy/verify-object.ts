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
 * with its worker. Its bytes must match the target's ETag, and the source's MD5 if the source still shows it.
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
  const { hashes, md5s } = await readParts(deps, from);
  const wholeMd5 = hashes.wholeMd5();
  const ownEtag = sizeBytes > PART_BYTES ? multipartEtag(md5s) : wholeMd5;
  if (found.etag !== ownEtag) throw differs();
  const source = await describeSource(deps, entry);
  if (source && source.md5 !== null && wholeMd5 !== source.md5) throw differs();
  return {
    bytes: sizeBytes,
    sourceEtag: entry.etag,
    sha256: hashes.sha256(),
    targetEtag: found.etag,
    notCarried: source?.notCarried ?? [],
  };
}

async function readParts(deps: ObjectCopyDeps, from: ReadFrom) {
  const md5s: Buffer[] = [];
  let hashes = new StreamHashes({ wantsWholeMd5: true });
  // An object of 0 bytes has no valid range.
  const ranges =
    from.sizeBytes > PART_BYTES ? partRanges(from.sizeBytes, deps.maxParts) : [undefined];
  for (const range of ranges) {
    deps.signal.throwIfAborted();
    const before = hashes;
    hashes = await retryPart(deps, async () => {
      const attempt = before.copy();
      const opened = await openExactly(deps, from, { range });
      try {
        for await (const chunk of exactBytes(deps, from.side, opened)) attempt.update(chunk);
        return attempt;
      } finally {
        opened.close();
      }
    });
    md5s.push(hashes.endPart());
  }
  return { hashes, md5s };
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
