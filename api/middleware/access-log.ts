import type { Middleware } from 'koa';
import type { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { ApiMetrics } from './metrics.ts';

/** One log line and one metric per answer. The metric has the route; the log has the path, no query. */
export function logAccess(log: Logger, metrics: Pick<ApiMetrics, 'observe'>): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const ms = performance.now() - startedAt;
    const route = (ctx.state['route'] as string | undefined) ?? 'none';
    metrics.observe({ method: ctx.method, route, status: ctx.status, seconds: ms / 1000 });

    const { accountId } = ctx.state;
    const error = ctx.state['error'] as AppError | undefined;
    const line = {
      accountId,
      method: ctx.method,
      path: ctx.path,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
      ...(error ? { code: error.code } : {}),
    };
    if (ctx.status >= 500) log.error({ ...line, err: error?.cause }, 'request failed');
    else log.info(line, 'request');
  };
}
