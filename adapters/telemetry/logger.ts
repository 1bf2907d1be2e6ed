import { pino, type Logger } from 'pino';
import type { RequestScope } from './request-scope.ts';
import type { Tracing } from './tracing.ts';

export type { Logger };

/**
 * JSON lines, or readable lines on a terminal. Every line of a request has its `requestId`, and
 * with tracing its `traceId`, in every process.
 */
export function createLogger(
  name: string,
  level: string,
  scope: Pick<RequestScope, 'current'> = { current: () => undefined },
  tracing?: Pick<Tracing, 'traceId'>,
): Logger {
  const pretty = process.stdout.isTTY;
  return pino({
    name,
    level,
    mixin: () => {
      const requestId = scope.current();
      const traceId = tracing?.traceId();
      return {
        ...(requestId === undefined ? {} : { requestId }),
        ...(traceId === undefined ? {} : { traceId }),
      };
    },
    ...(pretty
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : {}),
  });
}
