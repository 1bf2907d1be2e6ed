/** The functions that run when a signal is aborted. */
export interface AbortCalls {
  add(call: () => void): void;
  delete(call: () => void): void;
}

const callsOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * One listener per signal for all its users. A listener per request costs more, and Node warns of a
 * leak from the eleventh on.
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

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const calls = abortCalls(signal);
    const stop = (): void => {
      clearTimeout(timer);
      calls.delete(stop);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      calls.delete(stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else calls.add(stop);
  });
}

/** The reason of an aborted signal, always as an error. */
export function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
