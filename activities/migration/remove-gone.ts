import { readOrigin, toTargetKey } from '../../domain/migration/copying.ts';
import type { GoneObject, ManifestPage } from '../../domain/migration/manifest.ts';
import { decideRemoval } from '../../domain/migration/rounds.ts';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { onlyIf } from '../object-copy/target-check.ts';
import type { PageWriter } from './page-writer.ts';
import type { MigrationSlice } from './slice.ts';

/**
 * Removes at the target what is gone at the source, if no more is gone than a person allowed: object by
 * object, and only what an earlier round of this migration wrote and nobody has changed since. Another object
 * under such a key stays, and is no failure.
 *
 * @returns whether all of the page are done
 * @throws StoreError; MigrationStop if the migration has ended
 */
export async function removeGone(
  { run, copying, isOver }: MigrationSlice,
  { entries, removable = [] }: ManifestPage,
  writer: PageWriter,
): Promise<boolean> {
  const gone = run.record.manifest?.gone ?? 0;
  if (decideRemoval(gone, run.request?.removeAtMost ?? 0) !== 'remove') return true;
  const { target, keyPrefix, migrationId, limits, signal, wait, confirmOpen, now } = copying;
  const { capabilities } = copying;
  const placed = removable.map((object, at) => ({ object, place: entries.length + at }));
  const left = placed.filter(({ place }) => !writer.lines.has(place));
  const waiting = left.values();
  let done = 0;

  async function remove(object: GoneObject, place: number): Promise<void> {
    const { key, bytes, sourceEtag, targetEtag } = object;
    const targetKey = toTargetKey(keyPrefix, key);
    await limits.acquireRequest(signal);
    const found = await target.head(targetKey, { signal });
    const isOurs = found && readOrigin(found.headers)?.migrationId === migrationId;
    if (found && !(isOurs && found.etag === targetEtag)) return;
    if (found) {
      await confirmOpen?.();
      const condition = onlyIf(capabilities, found.etag);
      // Another writer was faster: its object stays.
      if (!(await deleted(target.delete(targetKey, { signal, ...condition })))) return;
    }
    writer.note({
      place,
      key,
      targetKey,
      bytes,
      sourceEtag,
      sha256: null,
      targetEtag,
      outcome: 'removed',
      attempts: 1,
      at: now().toISOString(),
      notCarried: [],
    });
  }

  try {
    await runConcurrently(copying.concurrency, () => {
      const next = signal.aborted || (done > 0 && isOver()) ? undefined : waiting.next().value;
      if (next === undefined) return undefined;
      return async () => {
        await retryCall({ wait, signal }, () => remove(next.object, next.place));
        done += 1;
      };
    });
  } finally {
    await writer.flush();
  }
  return done === left.length;
}

/** False if the object was replaced since. */
async function deleted(request: Promise<void>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'changed') return false;
    throw error;
  }
}
