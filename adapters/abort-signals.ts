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
  const listening = callsOf.get(signal);
  if (listening) return listening;
  const calls = new Set<() => void>();
  callsOf.set(signal, calls);
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
}

/**
 * A signal that aborts with the first of these, until `release`. Not `AbortSignal.any`: Node 20
 * keeps what it made for each call for as long as one of the signals lives, and for a timer's
 * signal it never frees it.
 */
export function firstAbort(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  release(): void;
} {
  const first = new AbortController();
  const given = signals.filter((signal) => signal !== undefined);
  const stops = given.map((signal) => {
    const calls = abortCalls(signal);
    const stop = () => first.abort(signal.reason);
    if (signal.aborted) stop();
    calls.add(stop);
    return () => calls.delete(stop);
  });
  return { signal: first.signal, release: () => stops.forEach((stop) => stop()) };
}

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const calls = abortCalls(signal);
    const stop = (): void => {
      clearTimeout(timer);
      calls.delete(stop);
      reject(abortReason(signal));
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
export function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
