import { randomBytes, randomUUID } from 'node:crypto';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { toTargetKey } from '../../domain/migration/copying.ts';

const FOLDER = '.storage-routing-check';
const BYTES = 64;
const HEADERS = { 'content-type': 'application/octet-stream' };

/** What a small object at the target has shown. `failure`: why the target cannot be used; null: it can. */
export interface TargetTrial {
  readonly failure: string | null;
  /** The source shows the object too: both are one bucket. */
  readonly isSource: boolean;
}

/** Writes a small object at the target, reads it back, looks for it at the source, and deletes it. */
export async function tryTarget(
  source: ObjectStore,
  target: ObjectStore,
  keyPrefix: string,
): Promise<TargetTrial> {
  const key = toTargetKey(keyPrefix, `${FOLDER}/${randomUUID()}`);
  const body = randomBytes(BYTES);
  const bounds = { timeoutMs: STORE_CALLS.api.trialMs };
  const remove = () => target.delete(key, { timeoutMs: STORE_CALLS.api.checkMs });
  try {
    await target.write(key, { headers: HEADERS, sizeBytes: BYTES, body }, bounds);
    const read = await target.get(key, bounds);
    // A source that does not answer has nothing to show.
    const found = await source.head(key, bounds).catch(() => undefined);
    await remove();
    const isSame = read?.equals(body) === true;
    const failure = isSame ? null : 'other bytes came back than were written';
    return { failure, isSource: found !== undefined };
  } catch (error) {
    // An answer that was lost may be that of a write.
    await remove().catch(() => undefined);
    if (!(error instanceof StoreError)) throw error;
    return { failure: error.message, isSource: false };
  }
}
