import type { PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import { sameLocation } from '../../domain/accounts/account.ts';
import { fileIdOf } from '../../domain/common/file-keys.ts';
import { addSeconds } from '../../domain/common/time.ts';
import {
  OLD_DELETE_SETTLES_SECONDS,
  type RelocationRecord,
} from '../../domain/relocations/relocation.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { completedRelocation } from '../../domain/webhooks/event.ts';
import { countRelocated } from '../../operations/relocations/relocations.ts';
import type { MigrationContext } from '../contexts.ts';
import { deleteOldObject, oldObjectOf, SEND_WITHIN_MS } from './old-objects.ts';
import { endOf, oldObjectDeps, openPage, openRun, saveDrain, type RelocationRun } from './run.ts';

/** The wait for a file whose own delete, or the delete of another worker, has not ended. */
const LOOK_AGAIN_SECONDS = 10;
const DELETES_AT_ONCE = 16;

/** Deletes the old objects that are due. @returns how long none is due; undefined: none is left */
export async function drain(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<number | undefined> {
  const { manifests, relocations, slices, now, progress } = context;
  const { relocationId, status } = relocation;
  const endsAtMs = performance.now() + slices.maxMs;
  const isOver = () => performance.now() >= endsAtMs || slices.signal().aborted;
  let run: RelocationRun | undefined;
  for (;;) {
    const next = await manifests.nextDrain(relocationId);
    if (!next) break;
    const waitMs = next.drainAt.getTime() - now().getTime();
    if (waitMs > 0) return waitMs;
    if (run && isOver()) return 0;
    run ??= await openRun(context, relocation);
    await drainPage(context, run, next.page, isOver);
    progress.report();
  }
  if (status === 'draining') {
    const { counts } = await countRelocated(manifests, relocationId);
    const end = endOf(counts);
    const completedAt = now();
    const event = completedRelocation(relocation, end, counts, completedAt);
    await relocations.complete(relocationId, end, completedAt, [event]);
  }
  await relocations.settle(relocationId);
  return undefined;
}

/** Tries to delete the old objects of a page that are due, some at once. */
async function drainPage(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
  isOver: () => boolean,
): Promise<void> {
  const { now, progress } = context;
  const { relocationId } = run.relocation;
  const { writer } = await openPage(context, relocationId, number);
  const nowText = now().toISOString();
  const due = [...writer.lines.values()]
    .filter(({ deleteAt }) => deleteAt !== undefined && deleteAt <= nowText)
    .values();
  const next = () => (isOver() ? undefined : due.next().value);
  try {
    await runConcurrently({ limit: () => DELETES_AT_ONCE }, () => {
      const line = next();
      if (!line) return undefined;
      return async () => {
        writer.note(await drainLine(context, run, line));
        progress.report();
      };
    });
  } finally {
    await writer.flush();
    await saveDrain(context, relocationId, number, writer);
  }
}

/** The line of a file after a try to delete its old object. */
async function drainLine(
  context: MigrationContext,
  run: RelocationRun,
  line: PlacedLine,
): Promise<PlacedLine> {
  const { files, now } = context;
  const { relocation, source, target } = run;
  const { deleteAt: _, ...settled } = line;
  const later = (seconds: number) => ({
    ...line,
    deleteAt: addSeconds(now(), seconds).toISOString(),
  });
  const deletedAt = (at: Date) =>
    line.outcome === 'copied' ? { ...settled, sourceDeletedAt: at.toISOString() } : settled;
  const { accountId } = relocation;
  const file = await files.findFile({ fileId: fileIdOf(line.key), accountId });
  const old = file && oldObjectOf(file, relocation);
  // Its own delete has reached every place, or an earlier worker died before the line.
  if (!old || file.status === 'deleted') return deletedAt(file?.deletedAt ?? now());
  // A delete that has stopped keeps its objects until it is resumed.
  if (file.error) return settled;
  if (file.status !== 'active') return later(LOOK_AGAIN_SECONDS);
  const store = sameLocation(old.location, relocation.to) ? target : source;
  const require = () => requireCurrent(context, run, file);
  const deps = oldObjectDeps(context, run);
  switch (await deleteOldObject(deps, file, old, store, require).catch(ifRefused)) {
    case 'deleted':
      return deletedAt(now());
    case 'changed':
      return { ...settled, code: 'old_object_changed' };
    case 'refused':
      return { ...settled, code: 'old_object_refused' };
    case 'busy':
      return later(LOOK_AGAIN_SECONDS);
    case undefined:
      return later(OLD_DELETE_SETTLES_SECONDS);
  }
}

/** @throws StoreError unless the file's object is where the file is: the old one may be the last */
async function requireCurrent(
  { stores, slices }: MigrationContext,
  { account }: RelocationRun,
  { location, objectKey, sizeBytes }: FileRecord,
): Promise<void> {
  const store = await stores.at(account, location).catch((error: unknown) => {
    throw isPlaceGone(error) ? new StoreError('bucket_missing', error) : error;
  });
  const held = await store.head(objectKey, { signal: slices.signal(), timeoutMs: SEND_WITHIN_MS });
  if (held?.sizeBytes !== sizeBytes) throw new StoreError(held ? 'changed' : 'missing');
}

/** Undefined where the store fails: other objects do not wait for this one. */
function ifRefused(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}
