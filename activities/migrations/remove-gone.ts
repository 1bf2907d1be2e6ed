import { toTargetKey } from '../../domain/migrations/copying.ts';
import type { KeyHistory } from '../../domain/migrations/key-history.ts';
import type { GoneObject, ManifestPage } from '../../domain/migrations/manifest.ts';
import { decideRemoval } from '../../domain/migrations/rounds.ts';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { onlyIf } from '../../copy/target-check.ts';
import { toGone } from './manifest.ts';
import type { PageWriter } from './page-writer.ts';
import type { MigrationSlice } from './slice.ts';

/**
 * Removes at the target what is gone at the source, if no more is gone than a person allowed:
 * object by object, and only what an earlier round of this migration wrote by its ledger. The
 * ledgers are asked once more: another migration may rely on the object by now, or a release may
 * have given it up at the source. Another object under such a key stays, and is no failure.
 *
 * @returns whether all of the page are done
 * @throws StoreError; MigrationStop if the migration has ended
 */
export async function removeGone(
  { run, copying, isOver, findHistories }: MigrationSlice,
  { entries, after, removable = [] }: ManifestPage,
  writer: PageWriter,
): Promise<boolean> {
  const missing = run.record.manifest?.gone ?? 0;
  const last = removable.at(-1)?.key;
  if (last === undefined) return true;
  if (decideRemoval(missing, run.request?.removeAtMost ?? 0) !== 'remove') return true;
  const { target, keyPrefix, limits, signal, wait, confirmOpen, now, capabilities } = copying;
  const histories = await findHistories(after, last, { isAnew: true });
  const placed = removable.map((object, at) => ({ object, place: entries.length + at }));
  const toRemove = placed.filter(
    ({ object: { key }, place }) => !writer.lines.has(place) && isStillGone(histories.get(key)),
  );
  const waiting = toRemove.values();
  let done = 0;

  async function remove(object: GoneObject, place: number): Promise<void> {
    const { key, bytes, sourceEtag, targetEtag } = object;
    const targetKey = toTargetKey(keyPrefix, key);
    await limits.acquireRequest(signal);
    const held = await target.head(targetKey, { signal });
    if (held && held.etag !== targetEtag) return;
    if (held) {
      await confirmOpen?.();
      const condition = onlyIf(capabilities, held.etag);
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
  return done === toRemove.length;
}

function isStillGone(history: KeyHistory | undefined): boolean {
  return history !== undefined && toGone(history).length > 0;
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
