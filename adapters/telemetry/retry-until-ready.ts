import { retryTransient } from '../retry.ts';
import type { Logger } from './logger.ts';

const PAUSE_MS = 2_000;

/** Repeats a start-up step until its dependency is available. */
export function retryUntilReady<T>(what: string, log: Logger, work: () => Promise<T>): Promise<T> {
  const logFailure = (err: unknown): true => {
    log.warn({ err }, `cannot ${what} yet`);
    return true;
  };
  return retryTransient(
    { attempts: Number.POSITIVE_INFINITY, delayMs: () => PAUSE_MS, isTransient: logFailure },
    work,
  );
}
