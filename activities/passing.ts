import { StoreError } from '../adapters/object-store/errors.ts';

export interface PassingDeps {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;

/** Asks a store again, a few times, where what it says may pass. */
export async function untilPassed<Answer>(
  { wait, signal }: PassingDeps,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const isTransient = error instanceof StoreError && error.isTransient;
      if (!isTransient || attempt === MAX_ATTEMPTS) throw error;
      await wait(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  }
}
