import { StorageRoutingError } from './errors.ts';

/** An option object with the caller's signal. */
export interface Cancellable {
  signal?: AbortSignal | undefined;
}

export interface Limits extends Cancellable {
  timeoutMs: number;
  /** The operation, for messages. */
  what: string;
  requestId: string | undefined;
}

/** The deadline as the work sees it. */
export interface Deadline {
  /** Aborted by the caller's signal, by the time limit and by `stop`. */
  signal: AbortSignal;
  /** Restarts the time limit after progress. */
  restart: () => void;
  /** Aborts every remaining listener of the signal. */
  stop: () => void;
}

/**
 * Runs work that must end within `timeoutMs`, and at once when the caller's signal is aborted.
 *
 * The signals are combined here because `AbortSignal.any` requires Node 20.3, and because this
 * leaves no listener on a signal that lives as long as the caller's process.
 *
 * @throws StorageRoutingError `timeout` or `aborted`; otherwise the error of the work.
 */
export async function withDeadline<T>(
  limits: Limits,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs, what, requestId } = limits;
  throwIfAborted(signal, requestId);
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let giveUp: (error: StorageRoutingError) => void = () => undefined;
  const cutShort = new Promise<never>((_resolve, reject) => {
    giveUp = (error) => {
      reject(error);
      controller.abort();
    };
  });
  const expire = (): void => giveUp(timeoutError(what, timeoutMs, requestId));
  const onAbort = (): void => giveUp(abortedError(requestId, signal?.reason));
  const deadline: Deadline = {
    signal: controller.signal,
    restart: () => {
      clearTimeout(timer);
      if (!controller.signal.aborted) timer = setTimeout(expire, timeoutMs);
    },
    stop: () => controller.abort(),
  };
  deadline.restart();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([cutShort, work(deadline)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function timeoutError(
  what: string,
  timeoutMs: number,
  requestId: string | undefined,
): StorageRoutingError {
  const message = `${what}: no answer and no progress for ${timeoutMs} ms`;
  return new StorageRoutingError({ code: 'timeout', message, requestId });
}

/** @throws StorageRoutingError `aborted` if the caller's signal is already aborted. */
export function throwIfAborted(signal: AbortSignal | undefined, requestId?: string): void {
  if (signal?.aborted === true) throw abortedError(requestId, signal.reason);
}

function abortedError(requestId: string | undefined, cause: unknown): StorageRoutingError {
  return new StorageRoutingError({
    code: 'aborted',
    message: 'the call was aborted',
    requestId,
    cause,
  });
}

/** Waits; ends early when the signal is aborted. Never rejects. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
