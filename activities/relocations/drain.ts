import type { PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
import { fileIdOf } from '../../domain/common/file-keys.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { RelocationRecord } from '../../domain/relocations/relocation.ts';
import { completedRelocation } from '../../domain/webhooks/event.ts';
import { countRelocated } from '../../operations/relocations/relocations.ts';
import type { MigrationContext } from '../contexts.ts';
import { deleteOldObject, oldObjectAt } from './old-objects.ts';
import {
  classify,
  endOf,
  oldObjectDeps,
  openPage,
  openRun,
  saveDrain,
  type RelocationRun,
} from './run.ts';

/** The wait for a file whose own delete, or the delete of another worker, has not ended. */
const LOOK_AGAIN_SECONDS = 10;
/** Deletes the old objects that are due. @returns how long none is due; undefined: none is left */
export async function drain(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<number | undefined> {
  const { manifests, relocations, slices, now, progress } = context;
  const { relocationId, status } = relocation;
  const endsAtMs = performance.now() + slices.maxMs;
  let run: RelocationRun | undefined;
  for (;;) {
    const next = await manifests.nextDrain(relocationId);
    if (!next) break;
    const waitMs = next.drainAt.getTime() - now().getTime();
    if (waitMs > 0) return waitMs;
    if (run && (performance.now() >= endsAtMs || slices.signal().aborted)) return 0;
    run ??= await openRun(context, relocation);
    await drainPage(context, run, next.page).catch((error: unknown) => {
      throw classify(context, relocation, error);
    });
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

async function drainPage(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
): Promise<void> {
  const { now } = context;
  const { relocationId } = run.relocation;
  const { writer } = await openPage(context, relocationId, number);
  const nowText = now().toISOString();
  try {
    for (const line of writer.lines.values()) {
      if (line.deleteAt === undefined || line.deleteAt > nowText) continue;
      writer.note(await drainLine(context, run, line));
      context.progress.report();
    }
  } finally {
    await writer.flush();
    await saveDrain(context, relocationId, number, writer);
  }
}

/** The line of a moved file after a try to delete its old object. */
async function drainLine(
  context: MigrationContext,
  run: RelocationRun,
  line: PlacedLine,
): Promise<PlacedLine> {
  const { files, now } = context;
  const { accountId, from } = run.relocation;
  const { deleteAt: _, ...settled } = line;
  const later = {
    ...line,
    deleteAt: addSeconds(now(), LOOK_AGAIN_SECONDS).toISOString(),
  };
  const file = await files.findFile({ fileId: fileIdOf(line.key), accountId });
  const old = file && oldObjectAt(file, from);
  // Its own delete has reached every place, or an earlier worker died before the line.
  if (!old || file.status === 'deleted')
    return { ...settled, sourceDeletedAt: (file?.deletedAt ?? now()).toISOString() };
  // A delete that has stopped keeps its objects until it is resumed.
  if (file.error) return settled;
  if (file.status !== 'active') return later;
  switch (await deleteOldObject(oldObjectDeps(context, run), file, old, run.source)) {
    case 'deleted':
      return { ...settled, sourceDeletedAt: now().toISOString() };
    case 'changed':
      return { ...settled, code: 'old_object_changed' };
    case 'busy':
      return later;
  }
}
