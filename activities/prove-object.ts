import type { ObjectDescription } from '../adapters/object-store/transfer-store.ts';
import { isPlainMd5, multipartEtag, PART_BYTES } from '../domain/migration/copying.ts';
import type { ManifestEntry, NotCarried } from '../domain/migration/ledger.ts';
import { partsOf } from './copy-parts.ts';
import {
  exactBytes,
  openExactly,
  tryPart,
  type CopiedObject,
  type ObjectCopyDeps,
  type ReadFrom,
} from './object-copy.ts';
import { PassingHashes } from './passing-hashes.ts';
import { differs } from './target-check.ts';

/**
 * Reads back an object that an earlier try of this migration wrote, and whose proof was lost with
 * it. Its bytes must have the ETag that the target says, and the source's where that is an MD5.
 *
 * @throws CopyError; the signal's reason where that was aborted
 */
export async function proveObject(
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
  if (isPlainMd5(entry.etag) && wholeMd5 !== entry.etag) throw differs();
  return {
    bytes: sizeBytes,
    sourceEtag: entry.etag,
    sha256: hashes.sha256(),
    targetEtag: found.etag,
    notCarried: await notCarriedOf(deps, entry),
  };
}

async function readParts(deps: ObjectCopyDeps, from: ReadFrom) {
  const md5s: Buffer[] = [];
  let hashes = new PassingHashes({ wantsWholeMd5: true });
  // An object without bytes has no range that could be asked for.
  const ranges = from.sizeBytes > PART_BYTES ? partsOf(from.sizeBytes) : [undefined];
  for (const range of ranges) {
    deps.signal.throwIfAborted();
    const before = hashes;
    hashes = await tryPart(deps, async () => {
      const trial = before.copy();
      const opened = await openExactly(deps, from, { range });
      try {
        for await (const chunk of exactBytes(deps, from.side, opened)) trial.update(chunk);
        return trial;
      } finally {
        opened.close();
      }
    });
    md5s.push(hashes.endPart());
  }
  return { hashes, md5s };
}

/** Only the source knows it; where it no longer says, nothing is counted. */
async function notCarriedOf(
  { source, gate, signal }: ObjectCopyDeps,
  { key, etag }: ManifestEntry,
): Promise<readonly NotCarried[]> {
  await gate.request(signal);
  const described = await source.head(key, { signal }).catch(() => undefined);
  return described?.etag === etag ? described.notCarried : [];
}
