import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import type Koa from 'koa';
import type { Middleware, Context } from 'koa';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import type { Tracing } from '../../adapters/telemetry/tracing.ts';
import { AppError, type ErrorCode } from '../../domain/common/errors.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { ApiMetrics } from './metrics.ts';

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's id if it is well-formed, otherwise a new one. */
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

/** One span per call, named by its route. It has no path, query or header of the caller. */
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

const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** A page sets its policy in a `meta` element, which ignores `frame-ancestors`. */
const PAGE_POLICY = "frame-ancestors 'none'";

/** Set on every answer, including those of the HTTP parser. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': DATA_POLICY,
  'Referrer-Policy': 'no-referrer',
};

/**
 * Sets the headers for browsers and caches
 * (https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers).
 * `Strict-Transport-Security` is sent over TLS only (RFC 6797 section 7.2), as a trusted proxy
 * reports it.
 */
export const setAnswerHeaders: Middleware = (ctx, next) => {
  ctx.set(COMMON_HEADERS);
  if (ctx.secure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
  return next();
};

/** For an answer that a browser renders. */
export function allowPage(ctx: Context): void {
  ctx.set('Content-Security-Policy', PAGE_POLICY);
}

/**
 * One log line and one metric per answer. The metric has the route; the log has the path without
 * its query.
 */
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

/** No route has a target of this length, nor as many parameters. */
export const MAX_TARGET_BYTES = 4_096;
const MAX_QUERY_PARAMETERS = 20;

/**
 * Refuses a target that fits no route, before its query is parsed.
 *
 * @throws AppError `invalid_request`
 */
export const limitTarget: Middleware = (ctx, next) => {
  if (ctx.originalUrl.length > MAX_TARGET_BYTES)
    throw new AppError('invalid_request', `The target is over ${MAX_TARGET_BYTES} bytes long.`);
  const parameters = ctx.querystring.split('&').filter((parameter) => parameter !== '');
  if (parameters.length > MAX_QUERY_PARAMETERS)
    throw new AppError('invalid_request', `Over ${MAX_QUERY_PARAMETERS} query parameters.`);
  return next();
};

/** `Retry-After` by error code. */
export const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = {
  unavailable: '5',
  rate_limited: '60',
};

/**
 * Converts every error to an answer.
 *
 * @param isOutage whether an error means that MongoDB or Temporal is unavailable
 */
export function answerErrors(isOutage: (error: unknown) => boolean): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const appError = toAppError(error, isOutage);
      ctx.state['error'] = appError;
      ctx.status = appError.status;
      if (appError.code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer');
      const retryAfter = RETRY_AFTER_SECONDS[appError.code];
      if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter);
      ctx.body = presentError(appError);
    }
  };
}

/** @throws AppError `method_not_allowed`; the answer lists the allowed methods */
export function refuseMethod(ctx: Context, allowed: Iterable<string>): never {
  ctx.set('Allow', [...allowed].join(', '));
  throw new AppError('method_not_allowed');
}

const READ_METHODS = ['GET', 'HEAD'];

/** Allows GET and HEAD. @throws AppError `method_not_allowed` */
export function requireReading(ctx: Context): void {
  if (!READ_METHODS.includes(ctx.method)) refuseMethod(ctx, READ_METHODS);
}

/** The pages that the root may redirect to. */
export type HomePath = '/dashboard' | '/docs';

export function redirectRoot(home: HomePath): Middleware {
  return (ctx, next) => {
    if (ctx.path !== '/') return next();
    ctx.state['route'] = '/';
    requireReading(ctx);
    ctx.redirect(home);
    return undefined;
  };
}

function toAppError(error: unknown, isOutage: (error: unknown) => boolean): AppError {
  if (error instanceof AppError) return error;
  const code = isOutage(error) ? 'unavailable' : 'internal_error';
  return new AppError(code, undefined, { cause: error });
}

export function presentError({
  message,
  code,
  details,
}: Pick<AppError, 'message' | 'code' | 'details'>) {
  return { error: message, code, ...(details ? { details } : {}) };
}

/** Lets pages of these origins read the answers. */
export function allowOrigins(origins: readonly string[]): Koa.Middleware {
  return cors({
    origin: (ctx) => (origins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: ['X-Request-ID', 'Retry-After'],
    maxAge: 600,
  });
}
