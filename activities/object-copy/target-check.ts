import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { retryTransient } from '../../adapters/retry.ts';
import type { StoreCapabilities } from '../../domain/provider/capabilities.ts';
import { CopyError } from './copy-error.ts';
import type { ObjectCopyDeps } from './copy-io.ts';

/**
 * Compares the ETag that the target answered with the sent bytes. The object that differs is deleted, if the key still
 * has that ETag.
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
  await cleanUp((signal) => deleteWritten(deps, targetKey, targetEtag, signal)).catch(
    () => undefined,
  );
  throw differs();
}

export function differs(): CopyError {
  return new CopyError('target_differs', { isTransient: true, side: 'target' });
}

/** Aborts an upload that will not be completed. If that fails, a later step aborts it. */
export async function abortUpload(
  { target, uploads }: ObjectCopyDeps,
  targetKey: string,
  uploadId: string,
): Promise<void> {
  const abort = (signal: AbortSignal) => target.abortUpload(targetKey, uploadId, { signal });
  const isAborted = await cleanUp(abort).then(
    () => true,
    () => false,
  );
  if (isAborted) await uploads.remove(uploadId);
}

/** Another writer may have replaced the object meanwhile. */
async function deleteWritten(
  { target, capabilities }: ObjectCopyDeps,
  targetKey: string,
  etag: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await target.head(targetKey, { signal });
  if (!found || found.etag === '' || found.etag !== etag) return;
  await target.delete(targetKey, { signal, ...onlyIf(capabilities, etag) });
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
