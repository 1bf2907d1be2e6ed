import type { Middleware } from 'koa';
import type { Tracing } from '../../adapters/telemetry/tracing.ts';

/** One span per call, named by its route. It has no path, no query and no header of the caller's. */
export function traceRequests(tracing: Pick<Tracing, 'run'>): Middleware {
  return (ctx, next) => {
    const attributes = {
      'http.request.method': ctx.method,
      'request.id': String(ctx.state['requestId']),
    };
    const linkedTo = ctx.get('traceparent') || undefined;
    return tracing.run({ name: ctx.method, kind: 'server', attributes, linkedTo }, async (span) => {
      await next();
      const route = ctx.state['route'] as string | undefined;
      if (route !== undefined) {
        span.rename(`${ctx.method} ${route}`);
        span.set({ 'http.route': route });
      }
      span.set({ 'http.response.status_code': ctx.status });
      if (ctx.status >= 500) span.fail();
    });
  };
}
