import type { Client } from '@temporalio/client';
import { AppError } from '../../domain/errors.ts';

/** Bounds a call to the server. @throws AppError `unavailable` after `timeoutMs` */
export type Bounded = <T>(timeoutMs: number, call: () => Promise<T>) => Promise<T>;

/** The client's deadline bounds each attempt but not the pauses between them, so both are set. */
export function createBounded(client: Client): Bounded {
  return (timeoutMs, call) => {
    const bounded = client.withDeadline(Date.now() + timeoutMs, call);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new AppError('unavailable')), timeoutMs);
    });
    return Promise.race([bounded, late]).finally(() => clearTimeout(timer));
  };
}
