import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { CopyLimits } from '../object-copy/copy-limits.ts';
import type { Present } from '../object-copy/target-object.ts';
import { retryCall, type RetryCallOptions } from '../../adapters/object-store/call-bounds.ts';

export interface TargetListingDeps extends Pick<RetryCallOptions, 'signal' | 'wait'> {
  readonly target: ObjectStore;
  readonly limits: CopyLimits;
  /** Of the keys at the target. */
  readonly keyPrefix: string;
}

/** Other writers may use a key later, so an older listing of it is unknown: the object is read by HEAD. */
const FRESH_MS = 10_000;

/** Some keys of the source in order, and the key before the first of them; null: there is none. */
export interface KeyRange {
  readonly before: string | null;
  readonly keys: readonly string[];
}

/**
 * Lists the target over a range of keys: one listing instead of one HEAD per object. Other keys in the
 * range are skipped.
 */
export async function listAtTarget(
  { target, limits, keyPrefix: prefix, signal, wait }: TargetListingDeps,
  { before, keys }: KeyRange,
): Promise<(key: string) => Present> {
  const last = keys.at(-1);
  const found = new Map<string, ListedEntry>();
  const staleAtMs = performance.now() + FRESH_MS;
  if (last === undefined) return () => undefined;
  const wanted = new Set(keys);
  let after = before === null ? null : prefix + before;
  for (;;) {
    const request = { prefix, after };
    const { entries, isTruncated } = await retryCall({ wait, signal }, async () => {
      await limits.acquireRequest(signal);
      return target.list(request, { signal });
    });
    for (const entry of entries) {
      const key = entry.key.slice(prefix.length);
      if (wanted.has(key)) found.set(key, entry);
    }
    const end = entries.at(-1);
    if (!isTruncated || !end || compareKeys(end.key, prefix + last) >= 0) break;
    after = end.key;
  }
  return (key) => found.get(key) ?? (performance.now() < staleAtMs ? null : undefined);
}
