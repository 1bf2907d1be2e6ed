import Koa, { type Context, type Middleware } from 'koa';
import { Router } from '@koa/router';
import { AppError } from '../../domain/common/errors.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { RequestScope } from '../../adapters/telemetry/request-scope.ts';
import type { Tracing } from '../../adapters/telemetry/tracing.ts';
import type { ApiMetrics } from './metrics.ts';
import {
  setAnswerHeaders,
  logAccess,
  answerErrors,
  allowOrigins,
  limitTarget,
  nameRequest,
  redirectRoot,
  refuseMethod,
  traceRequests,
  type HomePath,
} from './answers.ts';
import type { Authenticate } from './authentication.ts';
import { createReadJson } from './body.ts';
import { readQuery, createValidate, type Validate } from './validation.ts';
import { createTimeBudget, LONG_CALL_MS, SHORT_CALL_MS } from './time-budget.ts';
import { createSendReply, negotiate, type SendReply } from './reply.ts';
import type { Route } from './route.ts';
import { Empty } from './schemas.ts';

export interface AppDeps {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly isOutage: (error: unknown) => boolean;
  /** Whether the unique indexes (keys, roles, events) exist. Until then no account is served. */
  readonly isSetUp: () => boolean;
  readonly dashboardOrigins: readonly string[];
  /** Undefined: the dashboard is not served. */
  readonly dashboard: Middleware | undefined;
  /** The target of the redirect from `/`. */
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

/** Builds the application from its table of routes, without a server. */
export function createApp(deps: AppDeps): Koa {
  // Only the entries of trusted proxies in X-Forwarded-For are used.
  const app = new Koa({ proxy: deps.trustedProxies > 0, maxIpsCount: deps.trustedProxies });
  const router = new Router({ sensitive: true, strict: true });
  const serving = { ...deps, validate: createValidate(), sendReply: createSendReply() };
  for (const path of listPaths(deps.routes)) {
    const routes = deps.routes.filter((route) => route.path === path);
    router.all(toRouterPath(path), servePath(routes, serving));
  }

  app.use(nameRequest(deps.requests));
  if (deps.tracing) app.use(traceRequests(deps.tracing));
  app.use(setAnswerHeaders);
  app.use(logAccess(deps.log, deps.metrics));
  app.use(answerErrors(deps.isOutage));
  if (deps.dashboardOrigins.length > 0) app.use(allowOrigins(deps.dashboardOrigins));
  app.use(limitTarget);
  app.use(redirectRoot(deps.home));
  if (deps.dashboard) app.use(deps.dashboard);
  app.use(router.routes());
  app.use(() => {
    throw new AppError('not_found');
  });
  // Koa reports here only what fails after the answer has begun.
  app.on('error', (error: unknown) => deps.log.error({ err: error }, 'answer failed'));
  return app;
}

interface ServeDeps extends Pick<AppDeps, 'authenticate' | 'isSetUp' | 'requests' | 'log'> {
  readonly validate: Validate;
  readonly sendReply: SendReply;
}

/**
 * Paths without a parameter come first: `/v1/providers/test` is not a `/v1/providers/{provider}`.
 */
function listPaths(routes: readonly Route[]): string[] {
  const hasParameter = (path: string) => Number(path.includes('{'));
  const paths = [...new Set(routes.map(({ path }) => path))];
  return paths.sort((a, b) => hasParameter(a) - hasParameter(b));
}

function toRouterPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Serves all methods of one path. `allowedMethods` of the router would answer OPTIONS itself. */
function servePath(routes: readonly Route[], deps: ServeDeps) {
  const handlers = new Map<string, (ctx: Context) => Promise<void>>();
  for (const route of routes) {
    const handle = serve(route, deps);
    handlers.set(route.method, handle);
    if (route.method === 'GET') handlers.set('HEAD', handle);
  }
  return (ctx: Context) => {
    const handle = handlers.get(ctx.method);
    return handle ? handle(ctx) : refuseMethod(ctx, handlers.keys());
  };
}

/** Checks a request in the fixed order of refusals, then calls the route's handler. */
function serve(
  route: Route,
  { authenticate, isSetUp, requests, log, validate, sendReply }: ServeDeps,
): (ctx: Context) => Promise<void> {
  const onLateError = (err: unknown) =>
    log.warn({ err, route: route.path }, 'a call failed after its answer');
  const readBody = createReadBody(route, validate);
  return async (ctx) => {
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
    if (auth === 'dashboard' && route.method !== 'GET' && !caller?.mayChange)
      throw new AppError('forbidden');

    const query = readQuery(route.query ?? Empty, ctx.querystring, validate);
    const params: unknown = { ...ctx['params'] };
    if (route.params) validate(route.params, params);
    const body = await readBody?.(ctx);

    const media = negotiate(ctx, route);
    const request = {
      media,
      account: caller?.account,
      actor: caller && {
        accountId: caller.account.accountId,
        person: caller.person,
        requestId: String(ctx.state['requestId']),
      },
      mayChange: caller?.mayChange ?? false,
      baseUrl: `${ctx.protocol}://${ctx.host}`,
      params,
      query,
      body,
    };
    const timeMs = route.mayTakeLong?.(request) ? LONG_CALL_MS : SHORT_CALL_MS;
    sendReply(ctx, media, await budget.spend(timeMs, () => route.handle(request)));
  };
}

function createReadBody(
  { body: schema, signed }: Route,
  validate: Validate,
): ((ctx: Context) => Promise<unknown>) | undefined {
  if (!schema) return undefined;
  const readJson = signed
    ? createReadJson(signed.maxBytes, (text, ctx) => signed.verify(text, ctx.get(signed.header)))
    : createReadJson(MAX_BODY_BYTES);
  return async (ctx) => {
    const sent = await readJson(ctx);
    if (!sent && schema !== Empty)
      throw new AppError('invalid_request', 'A JSON body is required.');
    const body = sent ? sent.value : {};
    validate(schema, body);
    return body;
  };
}
