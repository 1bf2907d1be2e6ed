import { pino, type Logger } from 'pino';
import type { RequestScope } from './request-scope.ts';

export type { Logger };

/**
 * JSON lines, or readable lines on a terminal. Every line of a request has its `requestId`, in every
 * process.
 */
export function createLogger(
  name: string,
  level: string,
  scope: Pick<RequestScope, 'current'> = { current: () => undefined },
): Logger {
  const pretty = process.stdout.isTTY;
  return pino({
    name,
    level,
    mixin: () => {
      const requestId = scope.current();
      return requestId === undefined ? {} : { requestId };
    },
    ...(pretty
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : {}),
  });
}
