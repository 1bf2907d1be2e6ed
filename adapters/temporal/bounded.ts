import type { Client } from '@temporalio/client';
import { AppError } from '../../domain/common/errors.ts';
import { NO_DEADLINE, raceTimeout, type Deadline } from '../deadline.ts';

/**
 * Bounds a call to the server by a time-out and by the request's deadline. After the deadline no call
 * begins.
 *
 * @throws AppError `unavailable`
 */
export type Bounded = <T>(timeoutMs: number, call: () => Promise<T>) => Promise<T>;

/** The client's deadline bounds each attempt but not the pauses between them, so both are set. */
export function createBounded(client: Client, deadline: Deadline = NO_DEADLINE): Bounded {
  return async (timeoutMs, call) => {
    const ms = Math.min(timeoutMs, deadline.remainingMs());
    if (ms <= 0) throw new AppError('unavailable');
    const bounded = client.withDeadline(Date.now() + ms, call);
    return await raceTimeout(ms, bounded, () => new AppError('unavailable'));
  };
}
