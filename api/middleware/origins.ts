import cors from '@koa/cors';
import type Koa from 'koa';

/** Lets browsers read the answers on pages of these origins. */
export function allowOrigins(origins: readonly string[]): Koa.Middleware {
  return cors({
    origin: (ctx) => (origins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: ['X-Request-ID', 'Retry-After'],
    maxAge: 600,
  });
}
