import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import { CopyError, withCopyErrors } from '../../copy/copy-error.ts';
import { placeKey, sameLocation } from '../../domain/accounts/account.ts';
import { fileIdOf } from '../../domain/common/file-keys.ts';
import type {
  LedgerLine,
  ManifestEntry,
  ObjectFailure,
} from '../../domain/migrations/object-ledger.ts';
import { MigrationDelayError } from '../../domain/migrations/stop.ts';
import { drainEnd, type DrainTimes } from '../../domain/relocations/relocation.ts';
import type { FileRecord, OldObject } from '../../domain/uploads/file.ts';
import {
  createMigrateObject,
  ledgerLine,
  type MigrateObject,
  type PlaceOfObject,
} from '../migrations/migrate-object.ts';
import type { PageCopyDeps } from '../migrations/page-copy.ts';
import { oldObjectAt, removeCopy, type OldObjectDeps } from './old-objects.ts';

export interface RelocateFileDeps extends OldObjectDeps {
  readonly copying: PageCopyDeps;
  readonly times: DrainTimes;
}

const MAX_READINGS = 5;

/**
 * Moves one file: the copy engine copies its object, then one write moves the file to it. What is
 * not moved is removed. The first row that fits decides, each time the file is read.
 *
 * | the file                                  | then                                        |
 * | ----------------------------------------- | ------------------------------------------- |
 * | at the target by this relocation          | moved: its worker died before the line      |
 * | our copy waits at the target for its delete | it is deleted; read again                 |
 * | another old object waits there            | skipped, `old_object_waits`                 |
 * | not active, or elsewhere                  | our copy is removed; skipped                |
 * | another object than it was                | our copy is removed; failed, `object_changed` |
 * | active and at the source                  | copied, looked at once more, moved          |
 */
export function createRelocateFile(deps: RelocateFileDeps): MigrateObject {
  const { files, relocation, copying, now } = deps;
  const { accountId, from, to, relocationId } = relocation;
  const migrateObject = createMigrateObject(copying);

  async function remove(fileId: string, isOurs = false): Promise<void> {
    if (await removeCopy(deps, fileId, isOurs)) return;
    throw new MigrationDelayError('A delete at the target has not ended yet.', undefined);
  }

  async function relocate(
    planned: ManifestEntry,
    at: PlaceOfObject,
    reading: number,
  ): Promise<LedgerLine> {
    const fileId = fileIdOf(planned.key);
    const file = await files.findFile({ fileId, accountId });
    const line = (part: Pick<LedgerLine, 'outcome'> & Partial<LedgerLine>) =>
      ledgerLine(copying, planned, { attempts: 1, ...part });
    if (!file) return line({ outcome: 'skipped', code: 'file_deleted' });
    const old = oldObjectAt(file, from);
    if (sameLocation(file.location, to) && old?.relocationId === relocationId)
      return line({ outcome: 'copied', ...asMoved(deps, old) });
    const waiting = oldObjectAt(file, to);
    if (waiting && waiting.relocationId !== relocationId)
      return line({ outcome: 'skipped', code: 'old_object_waits' });
    if (waiting) {
      await remove(fileId);
      return await again(planned, at, reading);
    }
    const gone = goneCode(file, placeKey(from));
    if (gone) {
      if (at.noted.isNamed()) await remove(fileId);
      return line({ outcome: 'skipped', code: gone });
    }
    // What was listed before the file was read may have been an old object, which is gone since.
    const present = at.present === null ? null : undefined;
    const describe = describeFile(deps, file);
    const copied = await migrateObject(planned, { ...at, present, describe });
    if (copied.outcome === 'failed') return await afterFailure(copied, fileId);
    if (!(await isUnchanged(deps, file, copied.sourceEtag))) {
      const changed = {
        ...copied,
        sha256: null,
        outcome: 'failed',
        code: 'object_changed',
      } as const;
      return await afterFailure(changed, fileId, copied.outcome === 'copied');
    }
    const left = {
      relocationId,
      etag: copied.sourceEtag,
      sha256: copied.sha256,
      deleteAt: drainEnd(file, deps.times, now()),
    };
    await copying.confirmOpen?.();
    if (await files.movePlace(file, to, left))
      return { ...copied, outcome: 'copied', ...asMoved(deps, left) };
    if (copied.outcome === 'copied') await remove(fileId, true);
    return await again(planned, at, reading);
  }

  async function again(planned: ManifestEntry, at: PlaceOfObject, reading: number) {
    if (reading < MAX_READINGS) return await relocate(planned, at, reading + 1);
    throw new MigrationDelayError('A file keeps changing.', undefined);
  }

  /** What was deleted meanwhile did not fail; a copy whose answer was lost is removed. */
  async function afterFailure(
    failed: LedgerLine,
    fileId: string,
    isOurs = false,
  ): Promise<LedgerLine> {
    await remove(fileId, isOurs);
    const file = await files.findFile({ fileId, accountId });
    const gone = file ? goneCode(file, placeKey(from)) : 'file_deleted';
    if (gone) return { ...failed, outcome: 'skipped', code: gone };
    return failed.code === 'source_changing' ? { ...failed, code: 'object_changed' } : failed;
  }

  return (planned, at) => relocate(planned, at, 1);
}

/** What a line says of a moved file. */
export function asMoved(
  { now }: Pick<RelocateFileDeps, 'now'>,
  { etag, sha256, deleteAt }: Pick<OldObject, 'etag' | 'sha256' | 'deleteAt'>,
) {
  if (etag === null) throw new Error('a moved file has left an object without an ETag');
  const movedAt = now().toISOString();
  return { sourceEtag: etag, sha256, movedAt, deleteAt: deleteAt.toISOString() };
}

/** Why a file is not moved from a place: it is not active, or not there. */
function goneCode({ status, location }: FileRecord, from: string): ObjectFailure | undefined {
  if (status !== 'active') return 'file_deleted';
  return placeKey(location) === from ? undefined : 'file_moved';
}

/** The object of a file at its place; the same one each time. @throws CopyError `object_changed` */
function describeFile({ copying }: RelocateFileDeps, { sizeBytes, contentMd5 }: FileRecord) {
  const { source, limits, signal } = copying;
  let first: string | undefined;
  return async (planned: ManifestEntry): Promise<ManifestEntry> => {
    await limits.acquireRequest(signal);
    const object = await withCopyErrors('source', source.head(planned.key, { signal }));
    if (!object) throw new CopyError('source_missing', { isTransient: false, side: 'source' });
    first ??= object.etag;
    const md5 = contentMd5 === undefined ? null : Buffer.from(contentMd5, 'base64').toString('hex');
    const isOther = md5 !== null && object.md5 !== null && object.md5 !== md5;
    if (object.sizeBytes !== sizeBytes || object.etag !== first || isOther)
      throw new CopyError('object_changed', { isTransient: false, side: null });
    const { etag, lastModified, storageClass } = object;
    return { ...planned, etag, lastModified, storageClass };
  };
}

async function isUnchanged(
  { copying: { source, limits, wait, signal } }: RelocateFileDeps,
  { objectKey }: FileRecord,
  etag: string,
): Promise<boolean> {
  const object = await retryCall({ wait, signal }, async () => {
    await limits.acquireRequest(signal);
    return await source.head(objectKey, { signal });
  });
  return object?.etag === etag;
}
