import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../domain/common/errors.ts';

/** Each holds a cursor and a piece of its answer until the client has read it. */
const MAX_STREAMS_PER_ACCOUNT = 8;

/**
 * Bounds the answers that an account reads as streams from this process at the same time.
 *
 * @throws AppError `rate_limited`
 */
export type LimitStreams = (accountId: string, stream: Readable, response: ServerResponse) => void;

export function createLimitStreams(): LimitStreams {
  const open = new Map<string, number>();
  return (accountId, stream, response) => {
    const streams = open.get(accountId) ?? 0;
    if (streams >= MAX_STREAMS_PER_ACCOUNT) {
      stream.destroy();
      throw new AppError('rate_limited', 'Too many long answers are being read at the same time.');
    }
    open.set(accountId, streams + 1);
    response.once('close', () => {
      const left = (open.get(accountId) ?? 1) - 1;
      if (left === 0) open.delete(accountId);
      else open.set(accountId, left);
    });
  };
}
