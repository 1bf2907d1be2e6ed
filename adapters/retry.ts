import { pause } from './abort-signals.ts';

export interface RetryOptions {
  /** Including the first one. */
  readonly attempts: number;
  /** The pause after the nth failure, counted from 1; none by default. */
  readonly delayMs?: (failures: number) => number;
  /** Which errors are worth another attempt; by default those with a true `isTransient`. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
  /** No attempt begins after it is aborted: its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** By default a timer. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * Repeats work that failed for a transient reason. `work` receives the number of the attempt, from
 * 1.
 *
 * @throws the last error, or the signal's reason
 */
export async function retryTransient<Result>(
  options: RetryOptions,
  work: (attempt: number) => Promise<Result>,
): Promise<Result> {
  const { attempts, delayMs, signal = NEVER_ABORTED, wait = pause } = options;
  const mayRepeat = options.isTransient ?? isTransient;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt >= attempts || !mayRepeat(error)) throw error;
    }
    const ms = delayMs?.(attempt) ?? 0;
    if (ms > 0) await wait(ms, signal);
  }
}

/** Whether an error has a true `isTransient`, as a `StoreError` has if a repeat may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof Error && 'isTransient' in error && error.isTransient === true;
}

export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs?: number;
  /** From 0 to 1, 1 excluded. */
  readonly random?: () => number;
}

/**
 * Exponential backoff: twice as long after each failure, at most `maxMs`. Jitter takes up to half
 * of it away, so that many callers do not return at the same moment.
 */
export function backoff({
  firstMs,
  maxMs = Number.POSITIVE_INFINITY,
  random = Math.random,
}: BackoffOptions): (failures: number) => number {
  return (failures) => Math.min(firstMs * 2 ** (failures - 1), maxMs) * (0.5 + random() / 2);
}
