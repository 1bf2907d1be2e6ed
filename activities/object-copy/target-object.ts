import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import type { ObjectDescription } from '../../adapters/object-store/object-store.ts';
import {
  isEqualBefore,
  isPlainMd5,
  readOrigin,
  toTargetKey,
} from '../../domain/migration/copying.ts';
import type { ManifestEntry } from '../../domain/migration/object-ledger.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import type { CopiedObject, ObjectCopyDeps } from './copy-io.ts';
import { verifyObject } from './verify-object.ts';

export interface TargetObjectDeps extends ObjectCopyDeps {
  /** Of the keys at the target. */
  readonly keyPrefix: string;
  /** No worker has started with these objects before. */
  readonly isFirstAttempt: boolean;
  /** An object that this migration wrote is written again, because its bytes have changed. */
  readonly rewrites: boolean;
  /** Whether another migration of the same account has copied this source key to this target. */
  readonly wasWrittenBy: (migrationId: string, key: string) => Promise<boolean>;
}

/** The target's listing of a key. Null: it has none. Undefined: unknown, or too old. */
export type Present = ListedEntry | null | undefined;

/** What a migration finds at the target's key. */
export type TargetObject =
  | { readonly kind: 'nothing' | 'own' | 'earlier' }
  | { readonly kind: 'equal'; readonly targetEtag: string }
  | { readonly kind: 'verified'; readonly copied: CopiedObject };

/**
 * Describes what is at the target's key before an object is written there.
 *
 * | at the key                                       | kind                | then     |
 * | ------------------------------------------------ | ------------------- | -------- |
 * | nothing                                          | `nothing`           | copy     |
 * | this migration's, of the same source object      | `verified`          | copied   |
 * | this migration's, of the object as it was before | `own`               | copy     |
 * | an equal object, of any writer                   | `equal`             | skip     |
 * | an earlier migration's, from the same source key | `earlier`           | replace  |
 * | any other                                        | `target_occupied`   | it stays |
 *
 * In a first attempt a listing that shows the same bytes is enough for `equal`. Later the object may be
 * this migration's own, whose ledger line was lost: it is read back.
 *
 * @throws CopyError
 */
export async function readTargetObject(
  deps: TargetObjectDeps,
  entry: ManifestEntry,
  present: Present,
): Promise<TargetObject> {
  if (present === null) return { kind: 'nothing' };
  if (deps.isFirstAttempt && isSameListed(entry, present))
    return { kind: 'equal', targetEtag: present.etag };
  const { found, writer } = await describe(deps, entry);
  if (!found || writer === 'nothing') return { kind: 'nothing' };
  if (writer === 'own') {
    const isSame = readOrigin(found.headers)?.sourceEtag === entry.etag;
    if (deps.rewrites || !isSame || found.sizeBytes !== entry.sizeBytes) return { kind: 'own' };
    const targetKey = toTargetKey(deps.keyPrefix, entry.key);
    return { kind: 'verified', copied: await verifyObject(deps, entry, targetKey, found) };
  }
  if (isEqualBefore(entry, found)) return { kind: 'equal', targetEtag: found.etag };
  if (writer === 'earlier') return { kind: 'earlier' };
  throw occupied();
}

/** @throws CopyError `target_occupied` if an object is there that no migration of the account wrote. */
export async function requireWritable(deps: TargetObjectDeps, entry: ManifestEntry): Promise<void> {
  if ((await describe(deps, entry)).writer === 'foreign') throw occupied();
}

/** Which migration has written the object at the target's key. */
async function describe(
  { target, keyPrefix, limits, signal, migrationId, wasWrittenBy }: TargetObjectDeps,
  { key }: ManifestEntry,
): Promise<{
  readonly found?: ObjectDescription;
  readonly writer: 'nothing' | 'own' | 'earlier' | 'foreign';
}> {
  await limits.acquireRequest(signal);
  const targetKey = toTargetKey(keyPrefix, key);
  const found = await withCopyErrors('target', target.head(targetKey, { signal }));
  if (!found) return { writer: 'nothing' };
  const origin = readOrigin(found.headers);
  if (!origin) return { found, writer: 'foreign' };
  if (origin.migrationId === migrationId) return { found, writer: 'own' };
  const isEarlier = await wasWrittenBy(origin.migrationId, key);
  return { found, writer: isEarlier ? 'earlier' : 'foreign' };
}

function isSameListed(
  { sizeBytes, etag }: ManifestEntry,
  present: Present,
): present is ListedEntry {
  return isPlainMd5(etag) && present?.etag === etag && present.sizeBytes === sizeBytes;
}

function occupied(): CopyError {
  return new CopyError('target_occupied', { isTransient: false, side: 'target' });
}
