import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** Keeps a well-formed id of the caller, otherwise makes one. */
export function chooseRequestId(given: string | undefined): string {
  return given !== undefined && WELL_FORMED.test(given) ? given : randomUUID();
}

/** Sets the request id of the answer and of all work for the request. */
export function nameRequest(requests: RequestScope): Middleware {
  return (ctx, next) => {
    const id = chooseRequestId(ctx.get('x-request-id'));
    ctx.state['requestId'] = id;
    ctx.set('X-Request-ID', id);
    return requests.run(id, next);
  };
}
