import { randomBytes } from 'node:crypto';
import { StoreError, type StoreFailure } from './errors.ts';
import type { CallOptions, ObjectStore } from './object-store.ts';

export interface StoreCheck {
  readonly name: 'write' | 'head' | 'read' | 'delete';
  readonly ok: boolean;
  readonly latencyMs: number;
  /** Why it failed: a code, and a message for the customer. */
  readonly error?: { readonly code: StoreFailure | 'wrong_answer'; readonly message: string };
}

const CANARY_BYTES = 64;

/** Writes a small object, gets its size, reads it back and deletes it. Always runs all four. */
export async function checkStore(
  store: ObjectStore,
  key: string,
  options: CallOptions,
): Promise<StoreCheck[]> {
  const canary = randomBytes(CANARY_BYTES);
  return [
    await check('write', () => store.put(key, canary, options)),
    await check('head', async () => {
      const found = await store.head(key, options);
      if (found?.sizeBytes !== canary.length)
        throw new WrongAnswer('the object that was written is not there');
    }),
    await check('read', async () => {
      const read = await store.get(key, options);
      if (!read?.equals(canary)) throw new WrongAnswer('other bytes came back than were written');
    }),
    await check('delete', () => store.delete(key, options)),
  ];
}

class WrongAnswer extends Error {}

async function check(name: StoreCheck['name'], work: () => Promise<void>): Promise<StoreCheck> {
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  try {
    await work();
    return { name, ok: true, latencyMs: latencyMs() };
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof WrongAnswer)) throw error;
    const code = error instanceof StoreError ? error.failure : 'wrong_answer';
    return { name, ok: false, latencyMs: latencyMs(), error: { code, message: error.message } };
  }
}
