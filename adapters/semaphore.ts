import { abortCalls, abortReason } from './abort-signals.ts';

/** Lets holders have so much together. First come, first served. */
export interface Semaphore {
  /**
   * Resolves with a function that gives it back, once there is so much; of more than there is at
   * all, with all. Rejects with the signal's reason if that is aborted.
   */
  acquire(count: number, signal: AbortSignal): Promise<() => void>;
  /** The same without a wait; undefined if there is not so much, or others wait for it. */
  tryAcquire(count: number): (() => void) | undefined;
}

interface Waiter {
  readonly count: number;
  readonly admit: () => void;
}

export function createSemaphore(capacity: number): Semaphore {
  let free = capacity;
  const queue: Waiter[] = [];

  function admitNext(): void {
    for (let first = queue[0]; first && first.count <= free; first = queue[0]) {
      queue.shift();
      free -= first.count;
      first.admit();
    }
  }

  const createRelease = (count: number) => {
    let isHeld = true;
    return () => {
      if (isHeld) free += count;
      isHeld = false;
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
      const waiting: Waiter = {
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
