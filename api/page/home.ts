import type { Middleware } from 'koa';
import { requireReading } from './reading.ts';

/** The pages for people, by which the root leads. */
export type HomePath = '/dashboard' | '/docs';

/** Leads from the root to a page for people. */
export function leadHome(home: HomePath): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/') return next();
    ctx.state['route'] = '/';
    requireReading(ctx);
    ctx.redirect(home);
    return undefined;
  };
}
