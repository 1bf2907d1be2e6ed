import { retryTransient } from '../adapters/retry.ts';
import { CopyError } from './copy-error.ts';
import type { ObjectCopyDeps } from './copy-io.ts';

const CLEAN_UP_TIMEOUT_MS = 10_000;

/**
 * Compares the target's ETag with the sent bytes. An object that differs is deleted: its metadata holds
 * the source's ETag, and a later migration would take it for an equal copy.
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
  // Best effort, also where the copy was aborted meanwhile.
  await target
    .delete(targetKey, { signal: AbortSignal.timeout(CLEAN_UP_TIMEOUT_MS) })
    .catch(() => {});
  throw differs();
}

export function differs(): CopyError {
  return new CopyError('target_differs', { isTransient: true, side: 'target' });
}

/** Aborts an upload that will not be completed; best effort. */
export async function abortUpload(
  { target }: ObjectCopyDeps,
  targetKey: string,
  uploadId: string,
): Promise<void> {
  const signal = AbortSignal.timeout(CLEAN_UP_TIMEOUT_MS);
  const abort = () => target.abortUpload(targetKey, uploadId, { signal });
  // Where it fails, the end of the migration lists the target's uploads and aborts it.
  await retryTransient({ attempts: 3, signal, isTransient: () => true }, abort).catch(() => {});
}
