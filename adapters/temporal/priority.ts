import { createHash } from 'node:crypto';
import type { Priority } from '@temporalio/common';

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
