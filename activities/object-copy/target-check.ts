import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { retryTransient } from '../../adapters/retry.ts';
import type { StoreCapabilities } from '../../domain/provider/capabilities.ts';
import { readOrigin } from '../../domain/migration/copying.ts';
import { CopyError } from './copy-error.ts';
import type { ObjectCopyDeps } from './copy-io.ts';

/**
 * Compares the target's ETag with the sent bytes. An object that differs is deleted if this migration
 * wrote it: its metadata holds the source's ETag, and a later migration would take it for an equal copy.
 *
 * @throws CopyError `target_differs`
 */
export async function checkTarget(
  deps: ObjectCopyDeps,
  targetKey: string,
  targetEtag: string,
  expectedEtag: string,
): Promise<void> {
  if (targetEtag === expectedEtag) return;
  // Best effort: the failure of the object is reported in any case.
  await cleanUp((signal) => deleteOwn(deps, targetKey, signal)).catch(() => undefined);
  throw differs();
}

export function differs(): CopyError {
  return new CopyError('target_differs', { isTransient: true, side: 'target' });
}

/** Aborts an upload that will not be completed. If that fails, a later step aborts it. */
export async function abortUpload(
  { target, noteUnaborted }: ObjectCopyDeps,
  targetKey: string,
  uploadId: string,
): Promise<void> {
  try {
    await cleanUp((signal) => target.abortUpload(targetKey, uploadId, { signal }));
  } catch {
    await noteUnaborted?.({ targetKey, uploadId });
  }
}

/** Another writer may have replaced the object meanwhile. */
async function deleteOwn(
  { target, migrationId, capabilities }: ObjectCopyDeps,
  targetKey: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await target.head(targetKey, { signal });
  if (!found || readOrigin(found.headers)?.migrationId !== migrationId) return;
  await target.delete(targetKey, { signal, ...onlyIf(capabilities, found.etag) });
}

/** A delete of this object only, where the store has such a condition. */
export function onlyIf(
  { conditionalDelete = false }: Partial<StoreCapabilities>,
  ifMatch: string,
): { readonly ifMatch?: string } {
  return conditionalDelete ? { ifMatch } : {};
}

/** Also if the copy was aborted meanwhile. */
async function cleanUp(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { cleanUpMs, cleanUpAttempts: attempts } = STORE_CALLS.migration;
  const signal = AbortSignal.timeout(cleanUpMs);
  await retryTransient({ attempts, signal, isTransient: () => true }, () => work(signal));
}
