import { abortReason } from '../adapters/abort-signals.ts';
import { createSemaphore } from '../adapters/semaphore.ts';

/** The rate and memory limits that all copies of a process share. */
export interface CopyLimits {
  acquireRequest(signal: AbortSignal): Promise<void>;
  acquireBytes(count: number, signal: AbortSignal): Promise<void>;
  /** Resolves with a function that releases the memory. Call it once. */
  acquireMemory(count: number, signal: AbortSignal): Promise<() => void>;
  /** The same without a wait; undefined if there is not enough memory, or others wait for it. */
  tryMemory(count: number): (() => void) | undefined;
}

export interface CopyLimitsOptions {
  /** Infinity: unlimited. */
  readonly maxBytesPerSecond: number;
  readonly maxRequestsPerSecond: number;
  /** The memory of all buffers together. A larger request waits for all of it. */
  readonly bufferedBytes: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Resolves after `ms`; rejects with the signal's reason if that is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** First come, first served. Every wait rejects with the signal's reason if that is aborted. */
export function createCopyLimits(options: CopyLimitsOptions): CopyLimits {
  const requests = createRate(options.maxRequestsPerSecond, options);
  const bytes = createRate(options.maxBytesPerSecond, options);
  const memory = createSemaphore(options.bufferedBytes);
  return {
    acquireRequest: (signal) => requests(1, signal),
    acquireBytes: (count, signal) => bytes(count, signal),
    acquireMemory: memory.acquire,
    tryMemory: memory.tryAcquire,
  };
}

type Rate = (count: number, signal: AbortSignal) => Promise<void>;

const GRANTED = Promise.resolve();
const BURST_MS = 1_000;

/**
 * A token bucket that holds the tokens of one second. A larger request takes a full bucket and the
 * rest on credit; later requests wait for that. The time of a grant is known when it is requested.
 */
function createRate(perSecond: number, { now, wait }: CopyLimitsOptions): Rate {
  if (perSecond === Number.POSITIVE_INFINITY) return () => GRANTED;
  const msPerToken = 1_000 / perSecond;
  /** The time at which the bucket was, or will be, empty. */
  let emptyAtMs = Number.NEGATIVE_INFINITY;
  return (count, signal) => {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    const nowMs = now();
    const costMs = count * msPerToken;
    emptyAtMs = Math.max(emptyAtMs, nowMs - BURST_MS);
    const waitMs = emptyAtMs + Math.min(costMs, BURST_MS) - nowMs;
    emptyAtMs += costMs;
    return waitMs <= 0 ? GRANTED : wait(waitMs, signal);
  };
}
