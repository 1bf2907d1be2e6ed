import { StorageRoutingError } from './errors.ts';

/**
 * Calls a function of the caller.
 *
 * @throws StorageRoutingError `aborted` where it throws: the call stops, the work at the service continues.
 */
export function notify<Told>(
  name: 'onProgress' | 'onStarted' | 'onRetry',
  listener: ((told: Told) => void) | undefined,
  told: Told,
  requestId?: string,
): void {
  try {
    listener?.(told);
  } catch (cause) {
    const message = `${name} threw, so the call was stopped`;
    throw new StorageRoutingError({ code: 'aborted', message, requestId, cause });
  }
}
