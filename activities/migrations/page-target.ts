import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { FoundObject, Present, TargetObjectDeps } from './target-object.ts';

export type TargetListingDeps = Pick<
  TargetObjectDeps,
  'target' | 'limits' | 'keyPrefix' | 'signal' | 'wait'
>;

/** Other writers may use a key later: after this time it is read by HEAD. */
const FRESH_MS = 10_000;

/** After a page of the listing with fewer of the keys, the next keys are asked for by HEAD. */
const FEW_KEYS = 16;

/**
 * Lists the target over some keys: one listing instead of one HEAD per object. The calls are
 * bounded by the number of keys, however many others the target holds. A listing that is not in
 * order shows nothing.
 *
 * @param keys of the source, in order
 * @param previous the key before the first of them; null: there is none
 */
export async function listAtTarget(
  deps: TargetListingDeps,
  previous: string | null,
  keys: readonly string[],
): Promise<(key: string) => Present> {
  const { keyPrefix: prefix } = deps;
  const held = new Map<string, FoundObject>();
  const staleAtMs = performance.now() + FRESH_MS;
  let at = 0;
  let after = previous === null ? null : prefix + previous;

  async function headNext(count: number): Promise<void> {
    const next = keys.slice(at, at + count);
    for (const [key, object] of await headAtTarget(deps, next)) held.set(key, object);
    at += next.length;
    after = prefix + (next.at(-1) ?? '');
  }

  async function listNext(): Promise<boolean> {
    const { entries, isTruncated } = await list(deps, after);
    const shown = new Map(entries.map((entry) => [entry.key, entry]));
    const end = isTruncated ? entries.at(-1)?.key : undefined;
    const first = at;
    for (let key = keys[at]; key !== undefined; key = keys[at]) {
      if (end !== undefined && compareKeys(prefix + key, end) > 0) break;
      const entry = shown.get(prefix + key);
      if (entry) held.set(key, entry);
      at += 1;
    }
    after = end ?? null;
    return at - first >= FEW_KEYS;
  }

  try {
    let isDense = after !== null;
    while (at < keys.length) {
      if (!isDense) await headNext(at === 0 ? 1 : FEW_KEYS);
      if (at < keys.length) isDense = await listNext();
    }
  } catch (error) {
    if (!(error instanceof StoreError && error.failure === 'unsorted')) throw error;
    return () => undefined;
  }
  return (key) => held.get(key) ?? (performance.now() < staleAtMs ? null : undefined);
}

/** Asks for some keys of the source by HEAD at the target; those that it has. @throws StoreError */
export async function headAtTarget(
  { target, limits, keyPrefix, signal, wait }: TargetListingDeps,
  keys: readonly string[],
): Promise<ReadonlyMap<string, FoundObject>> {
  const held = new Map<string, FoundObject>();
  const waiting = keys.values();
  await runConcurrently({ limit: () => FEW_KEYS }, () => {
    const key = waiting.next().value;
    if (key === undefined) return undefined;
    return async () => {
      const object = await retryCall({ wait, signal }, async () => {
        await limits.acquireRequest(signal);
        return await target.head(keyPrefix + key, { signal });
      });
      if (object) held.set(key, object);
    };
  });
  return held;
}

/** @throws StoreError */
function list(
  { target, limits, keyPrefix: prefix, signal, wait }: TargetListingDeps,
  after: string | null,
) {
  return retryCall({ wait, signal }, async () => {
    await limits.acquireRequest(signal);
    return await target.list({ prefix, after }, { signal });
  });
}
