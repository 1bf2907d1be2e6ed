import type { ObjectDescription } from '../adapters/object-store/object-store.ts';
import { carriedBy } from '../domain/migrations/object-headers.ts';
import type { ManifestEntry } from '../domain/migrations/object-ledger.ts';
import { CopyError, withCopyErrors, type CopySide } from './copy-error.ts';
import type { ObjectCopyDeps } from './types.ts';

/** The source's object, as far as the target takes it. @throws CopyError if it has changed */
export async function describeSource(
  { source, limits, signal, metadata }: ObjectCopyDeps,
  { key, etag, sizeBytes }: ManifestEntry,
): Promise<ObjectDescription> {
  await limits.acquireRequest(signal);
  const described = await withCopyErrors('source', source.head(key, { signal }));
  if (!described) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
  if (described.etag === etag && described.sizeBytes === sizeBytes)
    return { ...described, ...carriedBy(metadata, described) };
  throw new CopyError('source_changing', { isTransient: true, side: 'source' });
}

/** The bytes differ from the listed or announced length, or from the ETag. */
export function incomplete(side: CopySide): CopyError {
  const code = side === 'source' ? 'source_incomplete' : 'target_differs';
  return new CopyError(code, { isTransient: true, side });
}

/** @throws CopyError if the source knows the MD5 of its bytes, and it differs */
export function checkSourceMd5(source: Pick<ObjectDescription, 'md5'>, md5: string): void {
  if (source.md5 !== null && md5 !== source.md5) throw incomplete('source');
}

/**
 * The MD5 by which the target refuses other bytes, so that no other one is needed: the
 * source's, where it has one and the target was measured to do so.
 */
export function guardingMd5(
  { capabilities }: ObjectCopyDeps,
  { md5 }: Pick<ObjectDescription, 'md5'>,
): Buffer | undefined {
  return capabilities.contentMd5 === true && md5 !== null ? Buffer.from(md5, 'hex') : undefined;
}
