import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { retryTransient } from '../../adapters/retry.ts';
import type { WrittenObject } from '../../adapters/object-store/object-store.ts';
import type { StoreCapabilities } from '../../domain/provider/capabilities.ts';
import { CopyError } from './copy-error.ts';
import type { ObjectCopyDeps } from './copy-io.ts';

/** What proves a write. */
export interface Proof {
  /** The ETag that the sent bytes have. */
  readonly etag: string;
  /** They were sent with their MD5s, as `Content-MD5`. */
  readonly hasDigest: boolean;
}

/**
 * Checks what the target answered to the write of an object.
 *
 * | the answer                        | the bytes were sent                         | then                               |
 * | --------------------------------- | ------------------------------------------- | ---------------------------------- |
 * | the expected ETag                 | in any way                                  | proven                             |
 * | another ETag, which may be no MD5 | with a digest that the target checks        | proven                             |
 * | another ETag, which may be no MD5 | without, as the target was found otherwise  | it stays: the next attempt reads it |
 * | another ETag                      | in any way                                  | it is deleted, if the key still has that ETag |
 *
 * @throws CopyError `target_differs` unless it is proven
 */
export async function checkTarget(
  deps: ObjectCopyDeps,
  targetKey: string,
  written: WrittenObject,
  proof: Proof,
): Promise<void> {
  if (isProven(deps, written, proof)) return;
  if (isOpaque(deps, written)) throw differs();
  const { etag: targetEtag } = written;
  // Best effort: the failure of the object is reported in any case.
  await cleanUp((signal) => deleteWritten(deps, targetKey, targetEtag, signal)).catch(
    () => undefined,
  );
  throw differs();
}

/** Whether a written object or part has the bytes that were sent. */
export function isProven(
  deps: Pick<ObjectCopyDeps, 'capabilities'>,
  written: WrittenObject,
  { etag, hasDigest }: Proof,
): boolean {
  if (written.etag === etag) return true;
  return isOpaque(deps, written) && hasDigest && deps.capabilities.contentMd5 === true;
}

/** Whether the ETag says nothing of the bytes. */
export function isOpaque(
  { capabilities: { opaqueEtags = false } }: Pick<ObjectCopyDeps, 'capabilities'>,
  written: WrittenObject,
): boolean {
  return opaqueEtags || written.isOpaque;
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
