import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** A caller's id is kept where it is well-formed; every answer carries one. */
export function chooseRequestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED.test(given) ? given : randomUUID();
}

/** Names the request, and does everything that follows in its name. */
export function nameRequest(requests: RequestScope): Middleware {
  return (ctx, next) => {
    const id = chooseRequestId(ctx.get('x-request-id'));
    ctx.state['requestId'] = id;
    ctx.set('X-Request-ID', id);
    return requests.run(id, next);
  };
}
