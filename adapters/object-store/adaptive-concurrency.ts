import { backoff, isTransient, retryTransient } from '../retry.ts';
import { STORE_CALLS } from './call-bounds.ts';

export interface AdaptiveConcurrencyDeps {
  /** In milliseconds. */
  readonly now: () => number;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Resolves after `ms` milliseconds, or when the signal is aborted. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** The limit for a store without any response yet. */
export const FIRST_LIMIT = 4;
const MAX_LIMIT = 32;

/** An adaptive (AIMD) limit on the requests that are sent at once. */
export type AdaptiveConcurrency = ReturnType<typeof createAdaptiveConcurrency>;

/**
 * One more after each success, half after a refusal. The refusal of a request that was sent before
 * the last halving does not halve again: it has the same cause.
 */
export function createAdaptiveConcurrency(
  { now, random, wait, signal }: AdaptiveConcurrencyDeps,
  firstLimit: number,
  maxLimit = MAX_LIMIT,
) {
  const delayMs = backoff({ ...STORE_CALLS.refused, random });
  let limit = Math.min(Math.max(Math.floor(firstLimit), 1), maxLimit);
  let halvedAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;

  async function waitForPause(): Promise<void> {
    const pauseMs = pausedUntilMs - now();
    if (pauseMs > 0) await wait(pauseMs, signal);
  }

  function learnRefusal(sentAtMs: number, attempt: number): void {
    const nowMs = now();
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + delayMs(attempt));
    if (sentAtMs < halvedAtMs) return;
    halvedAtMs = nowMs;
    limit = Math.max(1, Math.floor(limit / 2));
  }

  async function sendNow<Response>(
    attempt: number,
    request: () => Promise<Response>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<Response> {
    const sentAtMs = now();
    try {
      const response = await request();
      limit = Math.min(limit + 1, maxLimit);
      return response;
    } catch (error) {
      if (isRefusal(error)) learnRefusal(sentAtMs, attempt);
      throw error;
    }
  }

  return {
    limit: () => limit,
    /**
     * Sends a request after the current pause, in its nth attempt, counted from 1, and learns from its
     * outcome. `isRefusal` says which errors the store's load may have caused.
     */
    async send<Response>(
      attempt: number,
      request: () => Promise<Response>,
      isRefusal: (error: unknown) => boolean = isTransient,
    ): Promise<Response> {
      await waitForPause();
      signal?.throwIfAborted();
      return await sendNow(attempt, request, isRefusal);
    },
    /**
     * Sends a request of a scan, with its attempts. Undefined if the signal is aborted before an attempt,
     * or `mayRepeat` is false before another one.
     */
    request: <Response>(request: () => Promise<Response>, mayRepeat: () => boolean) =>
      retryTransient({ attempts: STORE_CALLS.scan.attempts }, async (attempt) => {
        await waitForPause();
        if (signal?.aborted || (attempt > 1 && !mayRepeat())) return undefined;
        return await sendNow(attempt, request, isTransient);
      }),
  };
}

/**
 * Runs tasks, as many at once as the limit allows at the time, until `next` returns none and all
 * have ended. `next` is called again whenever a task ends. No task starts after the first error.
 *
 * @throws the first error of a task, after all have ended
 */
export async function runConcurrently(
  { limit }: Pick<AdaptiveConcurrency, 'limit'>,
  next: () => (() => Promise<void>) | undefined,
): Promise<void> {
  const errors: unknown[] = [];
  let running = 0;
  let wake = (): void => {};
  for (;;) {
    while (running < limit() && errors.length === 0) {
      const task = next();
      if (!task) break;
      running += 1;
      void task()
        .catch((error: unknown) => errors.push(error))
        .finally(() => {
          running -= 1;
          wake();
        });
    }
    if (running === 0) break;
    // Not `Promise.race`, which keeps a reaction per round for as long as its longest task lasts.
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  if (errors.length > 0) throw errors[0];
}
