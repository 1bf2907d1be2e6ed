import type { ObjectDescription } from '../adapters/object-store/object-store.ts';
import { PART_BYTES } from '../domain/common/parts.ts';
import { isPlainMd5, isSameByEtags } from '../domain/migrations/copying.ts';
import type { ManifestEntry, NotCarried } from '../domain/migrations/object-ledger.ts';
import { CopyError } from './copy-error.ts';
import { describeSource } from './source-check.ts';
import {
  exactBytes,
  fromSource,
  openExactly,
  partRanges,
  retryPart,
  type ReadFrom,
} from './transport.ts';
import { type ObjectCopyDeps } from './types.ts';
import { StreamHashes } from './stream-hashes.ts';

export interface FoundAtTarget extends ObjectDescription {
  readonly key: string;
}

export interface SameObject {
  /** The hash of the bytes, if they were read; null: the ETags were enough. */
  readonly sha256: string | null;
  readonly notCarried: readonly NotCarried[];
}

/**
 * Whether the object at the target has the bytes of the manifest's; undefined: it has others. One
 * that may be what this migration wrote before an answer or a worker was lost is read back, so that
 * its line has the SHA-256 of bytes that were read.
 *
 * | ETags            | may be ours | read                                              |
 * | ---------------- | ----------- | ------------------------------------------------- |
 * | the same MD5     | no          | nothing                                           |
 * | the same MD5     | yes         | the target                                        |
 * | two other MD5s   | any         | nothing: they differ                              |
 * | of as many parts | no          | nothing: they decide                              |
 * | any others       | any         | the target, and the source unless it shows an MD5 |
 *
 * @throws CopyError; the signal's reason if that was aborted
 */
export async function readIfSame(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  atTarget: FoundAtTarget,
  { mayBeOurs }: { readonly mayBeOurs: boolean },
): Promise<SameObject | undefined> {
  // No other bytes have that MD5, so the source need not say whether the listed ETag is one.
  if (
    isPlainMd5(entry.etag) &&
    atTarget.md5 === entry.etag &&
    atTarget.sizeBytes === entry.sizeBytes
  ) {
    if (!mayBeOurs) return { sha256: null, notCarried: [] };
    const source = await describeSource(deps, entry).catch(ifCopyError);
    return await readEqual(deps, entry, { md5: entry.etag, ...source }, atTarget);
  }
  if (atTarget.sizeBytes !== entry.sizeBytes && !mayBeOurs) return undefined;
  const source = await describeSource(deps, entry);
  if (atTarget.sizeBytes !== entry.sizeBytes) return undefined;
  const isSame = isSameByEtags(source, atTarget);
  if (isSame === undefined || (mayBeOurs && atTarget.md5 === null))
    return await readEqual(deps, entry, source, atTarget);
  return isSame ? { sha256: null, notCarried: [] } : undefined;
}

/** Reads the target's object, and the source's unless its MD5 is known; undefined: they differ. */
async function readEqual(
  deps: ObjectCopyDeps,
  entry: ManifestEntry,
  { md5, notCarried = [] }: Pick<ObjectDescription, 'md5'> & Partial<ObjectDescription>,
  { key, etag, sizeBytes }: FoundAtTarget,
): Promise<SameObject | undefined> {
  const from: ReadFrom = { side: 'target', store: deps.target, key, etag, sizeBytes };
  const read = await readHashes(deps, from, { wholeMd5: md5 !== null });
  const isEqual =
    md5 === null
      ? read.sha256 === (await readHashes(deps, fromSource(deps, entry))).sha256
      : read.md5 === md5;
  return isEqual ? { sha256: read.sha256, notCarried } : undefined;
}

export async function readHashes(
  deps: ObjectCopyDeps,
  from: ReadFrom,
  { wholeMd5 = false } = {},
): Promise<{ readonly sha256: string; readonly md5: string | null }> {
  const hashes = new StreamHashes({ partMd5s: false, whole: true, wholeMd5 });
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
    hashes.end(part);
  }
  return { md5: hashes.wholeMd5(), sha256: hashes.sha256() };
}

/** What is at the target is proven without the source, which may have changed since. */
function ifCopyError(error: unknown): undefined {
  if (!(error instanceof CopyError)) throw error;
}
