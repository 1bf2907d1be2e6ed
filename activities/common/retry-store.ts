import { backoff, retryTransient } from '../../adapters/retry.ts';

export interface RetryStoreDeps {
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 200;

/** Repeats a call to a store after a transient failure, up to five attempts. @throws StoreError */
export function retryStore<Answer>(
  { wait, signal }: RetryStoreDeps,
  call: () => Promise<Answer>,
): Promise<Answer> {
  return retryTransient(
    { attempts: ATTEMPTS, delayMs: backoff({ firstMs: FIRST_PAUSE_MS }), signal, wait },
    call,
  );
}
