import { STORE_CALLS } from '../adapters/object-store/call-bounds.ts';
import { StoreError } from '../adapters/object-store/errors.ts';
import type { WriteCondition, WrittenObject } from '../adapters/object-store/object-store.ts';
import type { MigrationUpload } from '../adapters/mongo/migrations/migration-uploads.ts';
import { retryTransient } from '../adapters/retry.ts';
import type { StoreCapabilities } from '../domain/providers/capabilities.ts';
import { CopyError, withCopyErrors } from './copy-error.ts';
import type { ObjectCopyDeps, ObjectWriteDeps } from './types.ts';

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
  if (!isOpaque(deps, written)) await removeWritten(deps, targetKey, written.etag);
  throw differs();
}

/** Best effort: the failure of the object is reported in any case. */
export async function removeWritten(
  deps: ObjectCopyDeps,
  targetKey: string,
  etag: string,
): Promise<void> {
  await cleanUp((signal) => deleteWritten(deps, targetKey, etag, signal)).catch(() => undefined);
}

/** The headers, if the target has them, by which it replaces only what it had before the copy. */
export function putCondition({ before, capabilities }: ObjectWriteDeps): Record<string, string> {
  if (before === null) return capabilities.conditionalPut === true ? { 'if-none-match': '*' } : {};
  return capabilities.conditionalOverwrite === true ? { 'if-match': `"${before}"` } : {};
}

export function completionCondition({
  before,
  capabilities: { conditionalComplete = false, conditionalOverwrite = false },
}: ObjectWriteDeps): WriteCondition | undefined {
  if (!conditionalComplete) return undefined;
  if (before === null) return { ifNoneMatch: '*' };
  return conditionalOverwrite ? { ifMatch: before } : undefined;
}

/**
 * Checks, where the target has no such condition, that the key has what it had when the copy began.
 *
 * @throws CopyError `target_occupied`
 */
export async function requireUnchanged(
  { before, target, limits, signal }: ObjectWriteDeps,
  targetKey: string,
): Promise<void> {
  await limits.acquireRequest(signal);
  const held = await withCopyErrors('target', target.head(targetKey, { signal }));
  if (held && held.etag !== before) throw occupied();
}

export function throwOccupied(error: unknown): never {
  if (!(error instanceof StoreError) || error.failure !== 'changed') throw error;
  throw occupied(error);
}

/** Another writer's object, or this copy's own after a lost answer; the next attempt finds out. */
function occupied(cause?: StoreError): CopyError {
  return new CopyError('target_occupied', { isTransient: true, side: 'target', cause });
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
  { target, uploads }: Pick<ObjectCopyDeps, 'target' | 'uploads'>,
  { targetKey, uploadId }: Pick<MigrationUpload, 'targetKey' | 'uploadId'>,
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
  const held = await target.head(targetKey, { signal });
  if (!held || held.etag === '' || held.etag !== etag) return;
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
