import { abortCalls, abortReason } from '../../adapters/abort-signals.ts';

/** The rate and memory limits that all copies of a process share. */
export interface CopyLimits {
  /** Resolves when one more request may be sent. */
  acquireRequest(signal: AbortSignal): Promise<void>;
  /** Resolves when `count` more bytes may be read. */
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
  const memory = createMemorySemaphore(options.bufferedBytes);
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

interface Waiting {
  readonly count: number;
  readonly admit: () => void;
}

function createMemorySemaphore(capacity: number): {
  acquire: CopyLimits['acquireMemory'];
  tryAcquire: CopyLimits['tryMemory'];
} {
  let free = capacity;
  const queue: Waiting[] = [];

  function admitNext(): void {
    for (let first = queue[0]; first && first.count <= free; first = queue[0]) {
      queue.shift();
      free -= first.count;
      first.admit();
    }
  }

  const createRelease = (count: number) => {
    let isBuffered = true;
    return () => {
      if (isBuffered) free += count;
      isBuffered = false;
      admitNext();
    };
  };

  function tryAcquire(count: number): (() => void) | undefined {
    if (queue.length > 0 || count > free) return undefined;
    free -= count;
    return createRelease(count);
  }

  function acquire(requested: number, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) return Promise.reject(abortReason(signal));
    const count = Math.min(requested, capacity);
    const release = tryAcquire(count);
    if (release) return Promise.resolve(release);
    return new Promise((resolve, reject) => {
      const calls = abortCalls(signal);
      const giveUp = (): void => {
        calls.delete(giveUp);
        queue.splice(queue.indexOf(waiting), 1);
        reject(abortReason(signal));
        admitNext();
      };
      const waiting: Waiting = {
        count,
        admit: () => {
          calls.delete(giveUp);
          resolve(createRelease(count));
        },
      };
      queue.push(waiting);
      calls.add(giveUp);
    });
  }

  return { acquire, tryAcquire };
}
