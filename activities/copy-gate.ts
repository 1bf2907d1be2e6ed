import { abortCalls, reasonOf } from '../adapters/abort-signals.ts';

/** What all copies of one process wait at, so that together they stay within its bounds. */
export interface CopyGate {
  /** Before each request. */
  request(signal: AbortSignal): Promise<void>;
  /** Before so many bytes are read. */
  bytes(count: number, signal: AbortSignal): Promise<void>;
  /** Memory for so many held bytes; to be released once. */
  hold(count: number, signal: AbortSignal): Promise<() => void>;
}

export interface CopyGateOptions {
  /** Infinity: as many as come. */
  readonly maxBytesPerSecond: number;
  readonly maxRequestsPerSecond: number;
  /** What may be held at a time. One that asks for more than that waits for all of it. */
  readonly heldBytes: number;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** Resolves after so long; rejects with the signal's reason where that is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Who asks first is served first. Every wait ends with the signal's reason where it is aborted. */
export function createCopyGate(options: CopyGateOptions): CopyGate {
  const requests = createRate(options.maxRequestsPerSecond, options);
  const bytes = createRate(options.maxBytesPerSecond, options);
  const memory = createMemory(options.heldBytes);
  return {
    request: (signal) => requests(1, signal),
    bytes: (count, signal) => bytes(count, signal),
    hold: (count, signal) => memory(count, signal),
  };
}

type Rate = (count: number, signal: AbortSignal) => Promise<void>;

const PASSED = Promise.resolve();
const BURST_MS = 1_000;

/**
 * A bucket of tokens that holds those of one second. What is larger than that takes a full bucket
 * and the rest on credit, for which those behind it wait: the moment of each is known when it asks.
 */
function createRate(perSecond: number, { now, wait }: CopyGateOptions): Rate {
  if (perSecond === Number.POSITIVE_INFINITY) return () => PASSED;
  const msPerToken = 1_000 / perSecond;
  /** When the bucket was, or will be, empty. */
  let emptyAtMs = Number.NEGATIVE_INFINITY;
  return (count, signal) => {
    if (signal.aborted) return Promise.reject(reasonOf(signal));
    const nowMs = now();
    const costMs = count * msPerToken;
    emptyAtMs = Math.max(emptyAtMs, nowMs - BURST_MS);
    const waitMs = emptyAtMs + Math.min(costMs, BURST_MS) - nowMs;
    emptyAtMs += costMs;
    return waitMs <= 0 ? PASSED : wait(waitMs, signal);
  };
}

interface Waiting {
  readonly count: number;
  readonly admit: () => void;
}

function createMemory(capacity: number): (n: number, signal: AbortSignal) => Promise<() => void> {
  let free = capacity;
  const queue: Waiting[] = [];

  function admitNext(): void {
    for (let first = queue[0]; first && first.count <= free; first = queue[0]) {
      queue.shift();
      free -= first.count;
      first.admit();
    }
  }

  const releaseOf = (count: number) => {
    let isHeld = true;
    return () => {
      if (isHeld) free += count;
      isHeld = false;
      admitNext();
    };
  };

  return (asked, signal) => {
    if (signal.aborted) return Promise.reject(reasonOf(signal));
    const count = Math.min(asked, capacity);
    if (queue.length === 0 && count <= free) {
      free -= count;
      return Promise.resolve(releaseOf(count));
    }
    return new Promise((resolve, reject) => {
      const calls = abortCalls(signal);
      const giveUp = (): void => {
        calls.delete(giveUp);
        queue.splice(queue.indexOf(waiting), 1);
        reject(reasonOf(signal));
        admitNext();
      };
      const waiting: Waiting = {
        count,
        admit: () => {
          calls.delete(giveUp);
          resolve(releaseOf(count));
        },
      };
      queue.push(waiting);
      calls.add(giveUp);
    });
  };
}
