import { CopyError } from './copy-error.ts';
import type { ObjectCopyDeps } from './object-copy.ts';

const CLEANING_MS = 10_000;

/**
 * Holds what the target says it has against what was sent. An object that differs is taken away: it
 * bears the source's ETag, and a later migration would take it for the source's equal.
 *
 * @throws CopyError `target_differs`
 */
export async function checkTarget(
  { target }: ObjectCopyDeps,
  targetKey: string,
  targetEtag: string,
  expectedEtag: string,
): Promise<void> {
  if (targetEtag === expectedEtag) return;
  // Also where the copy was called off meanwhile, and whether or not it works.
  await target.delete(targetKey, { signal: AbortSignal.timeout(CLEANING_MS) }).catch(() => {});
  throw differs();
}

export function differs(): CopyError {
  return new CopyError('target_differs', { isTransient: true, side: 'target' });
}

/** Takes back an upload that will not be completed, as well as that goes. */
export async function abortUpload(
  { target }: ObjectCopyDeps,
  targetKey: string,
  uploadId: string,
): Promise<void> {
  const signal = AbortSignal.timeout(CLEANING_MS);
  for (let attempt = 1; attempt <= 3 && !signal.aborted; attempt += 1) {
    try {
      return await target.abortUpload(targetKey, uploadId, { signal });
    } catch {
      // It is found among the target's uploads when the migration ends.
    }
  }
}
