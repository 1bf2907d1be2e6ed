import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { onlyIf } from '../../copy/target-check.ts';
import { measuredAt, placeKey, type Account } from '../../domain/accounts/account.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { namedWriter } from '../../domain/migrations/object-headers.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import {
  OLD_DELETE_SECONDS,
  OLD_DELETE_SETTLES_SECONDS,
  type RelocationRecord,
} from '../../domain/relocations/relocation.ts';
import type { FileRecord, OldObject } from '../../domain/uploads/file.ts';
import type { MigrationContext } from '../contexts.ts';

/** Where a relocation's old objects are. */
export interface OldObjectDeps extends Pick<MigrationContext, 'files' | 'now'> {
  readonly account: Account;
  readonly relocation: RelocationRecord;
  readonly target: ObjectStore;
  readonly signal: AbortSignal;
}

/**
 * `busy`: a delete that another worker began may still arrive. `changed`: another object stays.
 * `refused`: the delete has failed for a week, and the object stays.
 */
export type OldDelete = 'deleted' | 'changed' | 'refused' | 'busy';

/** A request that was not sent within this time after its permission, or after a HEAD, is not sent. */
export const SEND_WITHIN_MS = 5_000;
const DELETE_TIMEOUT_MS = 10_000;
const MAX_READINGS = 5;

/** The file's old object at a place; undefined: none waits there. */
export function oldObjectAt(
  { oldObjects = [] }: Pick<FileRecord, 'oldObjects'>,
  place: StoreLocation,
): OldObject | undefined {
  return oldObjects.find((old) => old.placeKey === placeKey(place));
}

/** The old object that a relocation has left; it leaves at most one of a file. */
export function oldObjectOf(
  { oldObjects = [] }: Pick<FileRecord, 'oldObjects'>,
  { relocationId }: Pick<RelocationRecord, 'relocationId'>,
): OldObject | undefined {
  return oldObjects.find((old) => old.relocationId === relocationId);
}

/**
 * Deletes an old object of a file. Its entry is taken by a write that demands that the file is
 * elsewhere, and removed once the delete is done: until then nothing is written at that place. The
 * entry of a worker that died is taken over once that worker's delete cannot arrive.
 *
 * @param require throws a StoreError where the object is to stay
 * @throws StoreError
 */
export async function deleteOldObject(
  deps: Omit<OldObjectDeps, 'relocation' | 'target'>,
  { fileId, objectKey }: FileRecord,
  old: OldObject,
  store: ObjectStore,
  require: () => Promise<void> = async () => undefined,
): Promise<OldDelete> {
  const { files, now } = deps;
  const { location, deleteAt } = old;
  const begunAt = now();
  const settledBy = addSeconds(begunAt, -OLD_DELETE_SETTLES_SECONDS);
  if (!(await files.beginOldDelete(fileId, location, { now: begunAt, settledBy }))) return 'busy';
  const isLastTry = begunAt > addSeconds(deleteAt, OLD_DELETE_SECONDS);
  const remove = async () => {
    await require();
    return await deleteUnchanged(deps, objectKey, old, store);
  };
  const outcome = await remove().catch((error: unknown) => {
    if (isLastTry && error instanceof StoreError) return 'refused' as const;
    throw error;
  });
  if (outcome !== 'busy') await files.removeOldObject(fileId, location, begunAt);
  return outcome;
}

async function deleteUnchanged(
  { account, signal }: Pick<OldObjectDeps, 'account' | 'signal'>,
  objectKey: string,
  { location, etag, relocationId }: OldObject,
  store: ObjectStore,
): Promise<Exclude<OldDelete, 'refused'>> {
  const mayBeginAtMs = performance.now() + SEND_WITHIN_MS;
  const held = await store.head(objectKey, { signal, timeoutMs: SEND_WITHIN_MS });
  if (!held) return 'deleted';
  if (etag === null ? namedWriter(held.headers) !== relocationId : held.etag !== etag)
    return 'changed';
  if (performance.now() >= mayBeginAtMs) return 'busy';
  const options = {
    timeoutMs: DELETE_TIMEOUT_MS,
    ...onlyIf(measuredAt(account, location), held.etag),
  };
  return await store.delete(objectKey, options).then(() => 'deleted' as const, ifChanged);
}

/**
 * Removes a copy at the target to which its file was not moved, as an old object: another worker
 * may have moved the file to it meanwhile.
 *
 * @param isOurs this worker has written it; else only what names this relocation is removed
 * @returns false if a delete of another worker may still arrive: try again later
 * @throws StoreError
 */
export async function removeCopy(deps: OldObjectDeps, fileId: string, isOurs: boolean) {
  const { files, now, relocation, target, signal } = deps;
  const { relocationId, accountId, to } = relocation;
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    const file = await files.findFile({ fileId, accountId });
    if (!file) return true;
    const listed = oldObjectAt(file, to);
    // Another relocation's object waits there: nothing is removed.
    if (listed && listed.relocationId !== relocationId) return true;
    if (listed) return (await deleteOldObject(deps, file, listed, target)) !== 'busy';
    if (placeKey(file.location) === placeKey(to)) return true;
    const held = await target.head(file.objectKey, { signal });
    if (!held || !(isOurs || namedWriter(held.headers) === relocationId)) return true;
    await files.addOldObject(file, {
      location: to,
      relocationId,
      etag: held.etag,
      sha256: null,
      deleteAt: now(),
    });
  }
  return false;
}

function ifChanged(error: unknown): 'changed' {
  if (error instanceof StoreError && error.failure === 'changed') return 'changed';
  throw error;
}
