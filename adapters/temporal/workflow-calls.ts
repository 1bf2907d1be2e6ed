import { createHash } from 'node:crypto';
import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import { AppError } from '../../domain/common/errors.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
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

/** For `catch`: undefined if there is no such run, or none is open. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}

/** Whether no run is open and no activity of a closed one still runs. */
export function isLost(latest: WorkflowExecutionDescription | undefined, now: Date): boolean {
  if (!latest) return true;
  const { closeTime } = latest;
  return closeTime !== undefined && now.getTime() - closeTime.getTime() > INTERVALS.activitiesEndMs;
}

/** The server's limit. */
const MAX_KEY_BYTES = 64;

/**
 * The share of a task queue is divided between accounts. A workflow's activities inherit its priority.
 * An account id comes from the identity provider and may be longer than a key; its hash is not.
 */
export function priorityFor(accountId: string): Priority {
  const isShort = Buffer.byteLength(accountId) <= MAX_KEY_BYTES;
  const hashed = () => createHash('sha256').update(accountId).digest('hex');
  return { fairnessKey: isShort ? accountId : hashed() };
}
