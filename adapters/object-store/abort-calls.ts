/** What is to be called when a signal is aborted. */
export interface AbortCalls {
  add(call: () => void): void;
  delete(call: () => void): void;
}

const callsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * One listener for all requests that a signal can call off: adding one to a signal for each of many
 * requests costs more, and has node warn of a leak.
 */
export function abortCalls(signal: AbortSignal): AbortCalls {
  const known = callsOf.get(signal);
  if (known) return known;
  const calls = new Set<() => void>();
  callsOf.set(signal, calls);
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
}

/** Resolves after so long, or rejects with the signal's reason. Any number of them may wait at once. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const calls = abortCalls(signal);
    const giveUp = (): void => {
      clearTimeout(timer);
      calls.delete(giveUp);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      calls.delete(giveUp);
      resolve();
    }, ms);
    if (signal.aborted) giveUp();
    else calls.add(giveUp);
  });
}

/** Why a signal was aborted, as an error in any case. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
