import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from './logger.ts';

const BETWEEN_TRIES_MS = 2_000;

/** Repeats a start-up step until its dependency is available. */
export async function retryUntilReady<T>(
  what: string,
  log: Logger,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (err) {
      log.warn({ err }, `cannot ${what} yet`);
      await wait(BETWEEN_TRIES_MS);
    }
  }
}
