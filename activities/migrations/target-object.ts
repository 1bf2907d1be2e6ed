import { isPlainMd5, toTargetKey } from '../../domain/migrations/copying.ts';
import type { CopiedLine } from '../../domain/migrations/key-history.ts';
import type { LedgerLine, ManifestEntry } from '../../domain/migrations/object-ledger.ts';
import { namedWriter } from '../../domain/migrations/object-headers.ts';
import { CopyError, withCopyErrors } from '../../copy/copy-error.ts';
import type { CopiedObject, ObjectCopyDeps } from '../../copy/types.ts';
import { readIfSame } from '../../copy/verify-object.ts';

export interface TargetObjectDeps extends ObjectCopyDeps {
  /** What the keys begin with at the target. */
  readonly keyPrefix: string;
}

/** An object as a listing or a HEAD shows it. */
export interface FoundObject {
  readonly etag: string;
  readonly sizeBytes: number;
}

/** The target's listing of a key. Null: it has none. Undefined: unknown, or too old. */
export type Present = FoundObject | null | undefined;

export interface NotedObject {
  /** The line that this round has written about it, if it left the object at the target. */
  readonly line: LedgerLine | null;
  /** The account's own copy of the source object, of this round or an earlier one. */
  readonly written: () => Promise<CopiedLine | null>;
  /** The place was named before a write: what is there may be what that wrote. */
  readonly isNamed: () => boolean;
}

export type TargetObject =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'ours'; readonly etag: string }
  | { readonly kind: 'equal'; readonly targetEtag: string; readonly sha256: string | null }
  | { readonly kind: 'as_noted'; readonly line: LedgerLine }
  | { readonly kind: 'verified'; readonly copied: CopiedObject };

/**
 * Describes what is at the target's key before an object is written there. The ledger says whose it
 * is; the first row that fits decides.
 *
 * | at the key                                                       | kind       | then             |
 * | ---------------------------------------------------------------- | ---------- | ---------------- |
 * | nothing                                                          | `nothing`  | copy             |
 * | what this round's line says                                      | `as_noted` | the line stays   |
 * | the ETag of our latest copy, which is of the same source object  | `equal`    | skip             |
 * | the ETag of our latest copy, of the object as it was before      | `ours`     | replace          |
 * | the same bytes and our id, at a place that was named for a write | `verified` | copied           |
 * | the same bytes                                                   | `equal`    | skip             |
 * | any other                                                        | –          | `target_occupied` |
 *
 * Where the ETags do not show whether the bytes are the same, the objects are read. A listing that
 * shows the same MD5 at a place that was not named is enough for `equal`. So is one that was
 * written without our id, which did not fit into its metadata.
 *
 * @throws CopyError
 */
export async function readTargetObject(
  deps: TargetObjectDeps,
  entry: ManifestEntry,
  noted: NotedObject,
  present: Present,
): Promise<TargetObject> {
  if (present === null) return { kind: 'nothing' };
  const isNamed = noted.isNamed();
  if (present) {
    const listed = (await byLedger(entry, noted, present)) ?? byListing(entry, isNamed, present);
    if (listed) return listed;
  }
  const key = toTargetKey(deps.keyPrefix, entry.key);
  await deps.limits.acquireRequest(deps.signal);
  const object = await withCopyErrors('target', deps.target.head(key, { signal: deps.signal }));
  if (!object) return { kind: 'nothing' };
  const byLines = await byLedger(entry, noted, object);
  if (byLines) return byLines;
  const mayBeOurs = isNamed && namedWriter(object.headers) === deps.migrationId;
  const same = await readIfSame(deps, entry, { key, ...object }, { mayBeOurs });
  if (!same) throw new CopyError('target_occupied', { isTransient: false, side: 'target' });
  const { sha256, notCarried } = same;
  const targetEtag = object.etag;
  if (!mayBeOurs || sha256 === null) return { kind: 'equal', targetEtag, sha256 };
  const { sizeBytes: bytes, etag: sourceEtag } = entry;
  return { kind: 'verified', copied: { bytes, sourceEtag, sha256, targetEtag, notCarried } };
}

async function byLedger(
  entry: ManifestEntry,
  noted: NotedObject,
  { etag, sizeBytes }: FoundObject,
): Promise<TargetObject | undefined> {
  const { line } = noted;
  if (line && line.targetEtag === etag && line.bytes === sizeBytes)
    return { kind: 'as_noted', line };
  const written = await noted.written();
  if (written?.targetEtag !== etag || written.bytes !== sizeBytes) return undefined;
  const isSame = written.sourceEtag === entry.etag && sizeBytes === entry.sizeBytes;
  return isSame ? { kind: 'equal', targetEtag: etag, sha256: null } : { kind: 'ours', etag };
}

/** What a named place shows may be this migration's: only a HEAD shows it. */
function byListing(
  { sizeBytes, etag }: ManifestEntry,
  isNamed: boolean,
  present: FoundObject,
): TargetObject | undefined {
  const isSame = isPlainMd5(etag) && present.etag === etag && present.sizeBytes === sizeBytes;
  return isSame && !isNamed ? { kind: 'equal', targetEtag: etag, sha256: null } : undefined;
}
