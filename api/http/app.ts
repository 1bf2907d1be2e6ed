import { Readable } from 'node:stream';
import Koa, { type Context, type Middleware } from 'koa';
import { Router, type RouterMiddleware } from '@koa/router';
import { AppError } from '../../domain/common/errors.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import type { Tracing } from '../../adapters/telemetry/tracing.ts';
import type { ApiMetrics } from './metrics.ts';
import {
  allowPage,
  setAnswerHeaders,
  logAccess,
  answerErrors,
  allowOrigins,
  nameRequest,
  traceRequests,
} from './answers.ts';
import type { Authenticate } from './authentication.ts';
import { createReadJson } from './body.ts';
import { readQuery, createValidate, type Validate } from './validation.ts';
import { createTimeBudget, LONG_CALL_MS, SHORT_CALL_MS } from './time-budget.ts';
import { createLimitStreams, type LimitStreams } from './stream-limit.ts';
import { leadHome, type HomePath } from '../page/page.ts';
import type { Media, Reply, Route } from './route.ts';
import { Empty } from './schemas.ts';

export interface AppDeps {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly isOutage: (error: unknown) => boolean;
  /** Whether the indexes exist that keep keys, roles and events unique. Until then no account is served. */
  readonly isSetUp: () => boolean;
  readonly dashboardOrigins: readonly string[];
  /** Serves the page. Undefined: none is served. */
  readonly dashboard: Middleware | undefined;
  /** Where the root leads. */
  readonly home: HomePath;
  /** The number of trusted proxies in front of the service. */
  readonly trustedProxies: number;
  readonly metrics: ApiMetrics;
  readonly requests: RequestScope;
  readonly log: Logger;
  /** Undefined: no spans. */
  readonly tracing: Tracing | undefined;
}

const MAX_BODY_BYTES = 64 * 1024;
/** Documents that stay the same change with a release. */
const CACHED = 'public, max-age=300';

/** Builds the application from its table of routes, without a server. */
export function createApp(deps: AppDeps): Koa {
  // Of X-Forwarded-For, only the entries of trusted proxies are believed.
  const app = new Koa({ proxy: deps.trustedProxies > 0, maxIpsCount: deps.trustedProxies });
  const validate = createValidate();
  const limitStreams = createLimitStreams();
  const router = new Router({ sensitive: true, strict: true });
  const literal = new Set(deps.routes.map(({ path }) => path).filter((path) => !isPattern(path)));
  const serving = { ...deps, validate, limitStreams, literal };
  for (const route of deps.routes)
    router.register(toRouterPath(route.path), [route.method], [serve(route, serving)]);

  app.use(nameRequest(deps.requests));
  if (deps.tracing) app.use(traceRequests(deps.tracing));
  app.use(setAnswerHeaders);
  app.use(logAccess(deps.log, deps.metrics));
  app.use(answerErrors({ isOutage: deps.isOutage }));
  if (deps.dashboardOrigins.length > 0) app.use(allowOrigins(deps.dashboardOrigins));
  app.use(leadHome(deps.home));
  if (deps.dashboard) app.use(deps.dashboard);
  app.use(router.routes());
  app.use(refuse(deps.routes, literal));
  // Koa reports here only what fails after the answer has begun.
  app.on('error', (error: unknown) => deps.log.error({ err: error }, 'answer failed'));
  return app;
}

interface ServeDeps extends Pick<AppDeps, 'authenticate' | 'isSetUp' | 'requests' | 'log'> {
  readonly validate: Validate;
  readonly limitStreams: LimitStreams;
  /** The paths without a parameter. */
  readonly literal: ReadonlySet<string>;
}

/** Checks a request in the fixed order of refusals, then calls the route's handler. */
function serve(
  route: Route,
  { authenticate, isSetUp, requests, log, validate, limitStreams, literal }: ServeDeps,
): RouterMiddleware {
  const onLateError = (err: unknown) =>
    log.warn({ err, route: route.path }, 'a call failed after its answer');
  const readBody = createReadBody(route, validate);
  return async (ctx, next) => {
    // `/v1/providers/test` is no provider: whatever it answers is said by its own routes.
    if (isPattern(route.path) && literal.has(ctx.path)) return next();
    ctx.state['route'] = route.path;
    const { auth } = route;
    if ((auth !== 'none' || route.signed) && !isSetUp()) throw new AppError('unavailable');
    const claim = { authorization: ctx.get('authorization'), address: ctx.ip };
    const budget = createTimeBudget(requests, onLateError);
    const caller =
      auth === 'none'
        ? undefined
        : await budget.spend(SHORT_CALL_MS, () => authenticate(auth, claim));
    ctx.state['accountId'] = caller?.account.accountId;

    const query = readQuery(route.query ?? Empty, ctx.querystring, validate);
    const params: unknown = { ...ctx['params'] };
    if (route.params) validate(route.params, params);
    const body = await readBody?.(ctx);

    const media = negotiate(ctx, route);
    const request = {
      media,
      requestId: String(ctx.state['requestId']),
      account: caller?.account,
      subject: caller?.subject,
      params,
      query,
      body,
    };
    const timeMs = route.mayTakeLong?.(request) ? LONG_CALL_MS : SHORT_CALL_MS;
    const reply = await budget.spend(timeMs, () => route.handle(request));
    answer(ctx, media, reply, limitStreams);
  };
}

/** Of the route's types the one that `Accept` prefers; its first one where none fits. */
function negotiate(ctx: Context, { media, otherMedia }: Route): Media | undefined {
  if (media === undefined || otherMedia === undefined) return media;
  ctx.vary('Accept');
  const all = [media, ...otherMedia];
  const accepted = ctx.accepts(...all);
  return all.find((one) => one === accepted) ?? media;
}

/** Serialises here, where a failure becomes an error's answer. */
function answer(
  ctx: Context,
  media: Media | undefined,
  { status, body, etag }: Reply,
  limitStreams: LimitStreams,
): void {
  ctx.status = status;
  if (body === undefined) {
    ctx.body = null;
  } else if (typeof body === 'string' || Buffer.isBuffer(body) || body instanceof Readable) {
    if (body instanceof Readable) {
      limitStreams(String(ctx.state['accountId']), body, ctx.res);
      // A truncated answer must not look complete.
      body.once('error', () => ctx.res.destroy());
    }
    if (media === 'text/html') allowPage(ctx);
    ctx.type = `${media ?? 'text/plain'}; charset=utf-8`;
    ctx.body = body;
  } else {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = JSON.stringify(body);
  }
  if (etag === undefined) return;
  ctx.set({ ETag: etag, 'Cache-Control': CACHED });
  if (ctx.fresh) ctx.status = 304;
}

type ReadBody = (ctx: Context) => Promise<unknown>;

function createReadBody({ body: schema, signed }: Route, validate: Validate): ReadBody | undefined {
  if (!schema) return undefined;
  const readJson = signed
    ? createReadJson(signed.maxBytes, (text, ctx) => signed.verify(text, ctx.get(signed.header)))
    : createReadJson(MAX_BODY_BYTES);
  return async (ctx) => {
    const sent = await readJson(ctx);
    const body = sent === undefined ? (schema === Empty ? {} : refuseMissing()) : sent.value;
    validate(schema, body);
    return body;
  };
}

function refuseMissing(): never {
  throw new AppError('invalid_request', 'A JSON body is required.');
}

/** Refuses what no route matched: an unknown path, or a known path with another method. */
function refuse(routes: readonly Route[], literal: ReadonlySet<string>): Koa.Middleware {
  return (ctx) => {
    const layers = (ctx as unknown as { matched?: { path: string }[] }).matched ?? [];
    const paths = new Set(literal.has(ctx.path) ? [ctx.path] : layers.map(({ path }) => path));
    const methods = routes
      .filter((route) => paths.has(toRouterPath(route.path)))
      .map((route) => route.method);
    if (methods.length === 0) throw new AppError('not_found');
    ctx.set(
      'Allow',
      methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', '),
    );
    throw new AppError('method_not_allowed');
  };
}

function isPattern(path: string): boolean {
  return path.includes('{');
}

function toRouterPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
