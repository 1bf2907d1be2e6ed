import assert from 'node:assert/strict';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createRequestScope } from '../../adapters/telemetry/request-scope.ts';
import { createApp } from '../../api/http/app.ts';
import { ApiMetrics } from '../../api/http/metrics.ts';
import { createAuthenticate } from '../../api/http/authentication.ts';
import type { Route } from '../../api/http/route.ts';
import { HttpServer } from '../../api/http/server.ts';
import { AppError } from '../../domain/common/errors.ts';
import { listening } from '../harness/listening.ts';
import { CONFIG, createAccounts, describeApi, now } from './described-api.ts';

export type ApiHarness = Awaited<ReturnType<typeof startApi>>;

const isMarkedOutage = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('outage');

/**
 * The application with real authentication on ports that a test can see through.
 *
 * @param extra routes beside the service's own
 */
export async function startApi(extra: readonly Route[] = [], isSetUp = true) {
  const touched: string[] = [];
  const routes = [...describeApi(touched), ...extra];
  const app = createApp({
    tracing: undefined,
    routes,
    authenticate: createAuthenticate({
      ...CONFIG,
      accounts: createAccounts(touched),
      now,
      takeSlot: () => Promise.resolve(true),
      takeFailure: () => Promise.resolve(true),
      onBackgroundError: () => {},
      verifyToken: () => Promise.reject(new AppError('unauthorized')),
    }),
    isSetUp: () => isSetUp,
    isOutage: isMarkedOutage,
    dashboardOrigins: [],
    dashboard: undefined,
    home: '/docs',
    trustedProxies: 0,
    metrics: new ApiMetrics({
      readBacklogs: async () => [],
      readOverdueWork: async () => ({
        sweeps: [],
        refusedDeletes: 0,
        pausedStores: 0,
        disabledWebhooks: 0,
        failedDeliveries: 0,
      }),
      clocks: { skew: () => undefined },
      uploadStarts: { queued: 0, dropped: 0 },
    }),
    requests: createRequestScope(),
    log: createLogger('test', 'silent'),
  });
  const handle = app.callback();
  const { server } = new HttpServer((request, response) => void handle(request, response));
  const port = await listening(server);
  return {
    routes,
    server,
    /** The names of the ports that were asked since the last look, authentication apart. */
    touched,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly details?: { path: string; message: string }[];
}

export async function errorOf(answer: Response, status: number, code: string): Promise<ErrorBody> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(answer.headers.get('x-request-id'));
  const body = JSON.parse(text) as ErrorBody;
  assert.equal(body.code, code);
  assert.deepEqual(
    Object.keys(body).filter((name) => !['error', 'code', 'details'].includes(name)),
    [],
  );
  assert.ok(body.error.length > 0);
  return body;
}
