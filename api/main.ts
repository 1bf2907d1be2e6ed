import { setTimeout as wait } from 'node:timers/promises';
import { readApiConfig, type ApiConfig } from '../config/api.ts';
import type { StripeBilling } from '../adapters/billing/stripe.ts';
import { createReadServiceAccount } from '../adapters/cloud-account/service-account.ts';
import { createTokenVerifier } from '../adapters/identity/token-verifier.ts';
import type { IndexKind } from '../adapters/mongo/common/indexes.ts';
import { isMongoOutage } from '../adapters/mongo/common/open.ts';
import type { Logger } from '../adapters/telemetry/logger.ts';
import { serveOperators } from '../adapters/telemetry/operator-server.ts';
import { retryUntilReady } from '../adapters/telemetry/health.ts';
import { createBacklogReader } from '../adapters/temporal/backlogs.ts';
import { isTemporalOutage } from '../adapters/temporal/open.ts';
import { UploadStarts } from '../adapters/temporal/upload-starts.ts';
import { noteUnstarted } from '../operations/uploads/file-transitions.ts';
import { runProcess, stopOnSignal, type RunningProcess } from '../process/run.ts';
import { openServices, type Services } from '../process/services.ts';
import { createApp } from './http/app.ts';
import { BUILD_FOLDER } from './page/build.ts';
import { createPage } from './page/page.ts';
import { ApiMetrics } from './http/metrics.ts';
import { createAuthenticate } from './http/authentication.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { createRoutes } from './routes.ts';
import { listen } from './http/server.ts';

const DRAIN_MS = 10_000;
/** Without its database the API listens after this time, and reports that it is not ready. */
const SETUP_MS = 3_000;
/** Bounds the connections to a store that does not respond. */
const MAX_SOCKETS_PER_STORE = 64;

/** What the parts of the API share. */
interface Shared extends RunningProcess<ApiConfig>, Services {
  readonly uploadStarts: UploadStarts;
  readonly isSetUp: () => boolean;
  readonly isDraining: () => boolean;
}

await runProcess('api', readApiConfig, async (running) => {
  const { config, requests, log, tracing } = running;
  const services = await openServices(running, {
    maxSocketsPerBucket: MAX_SOCKETS_PER_STORE,
    deadline: requests,
  });
  const { records, temporal, now } = services;
  const uploadStarts = new UploadStarts({
    ...services,
    noteDropped: (file) => noteUnstarted({ ...records, now }, file),
    deadline: requests,
  });
  let setUp = false;
  let draining = false;
  const shared: Shared = {
    ...running,
    ...services,
    uploadStarts,
    isSetUp: () => setUp,
    isDraining: () => draining,
  };
  const metrics = new ApiMetrics({
    ...shared,
    readBacklogs: createBacklogReader(temporal.client),
    readOverdueWork: () => records.readOverdueWork(now()),
  });
  const app = createApp({
    routes: await createServiceRoutes(shared),
    authenticate: createServiceAuthentication(shared),
    isSetUp: shared.isSetUp,
    isOutage: (error) => isMongoOutage(error) || isTemporalOutage(error),
    dashboardOrigins: config.dashboardOrigins,
    dashboard: createDashboard(config),
    // Without a client at the identity provider the page can only say that it has none.
    home: config.dashboard?.clientId === undefined ? '/docs' : '/dashboard',
    trustedProxies: config.trustedProxies,
    metrics,
    requests,
    log,
    tracing,
  });

  const setUpIndexes = (kind: IndexKind) =>
    retryUntilReady(`set up the indexes (${kind})`, log, () => records.ensureIndexes(kind));
  const settingUp = setUpIndexes('rule').then(() => {
    setUp = true;
    void setUpIndexes('speed');
  });
  await Promise.race([settingUp, wait(SETUP_MS)]);
  logRoles(config, log);
  const drain = await listen(app, config, log);
  const operators = await serveMetrics(config, metrics, log);

  stopOnSignal(log, async () => {
    draining = true;
    const drainsUntil = performance.now() + DRAIN_MS;
    await drain(DRAIN_MS);
    await uploadStarts.close(Math.max(0, drainsUntil - performance.now()));
    operators.close();
    await services.close();
  });
});

function logRoles({ identity: { roleClaim } }: ApiConfig, log: Logger): void {
  if (roleClaim === undefined)
    log.warn(
      'roles are not enforced: everyone with a valid token may change everything (JWT_ROLE_CLAIM)',
    );
  else
    log.info({ claim: roleClaim }, 'roles are enforced, by a claim of the token (JWT_ROLE_CLAIM)');
}

async function createServiceRoutes(shared: Shared): Promise<Route[]> {
  const { config, requests, log, records } = shared;
  return createRoutes({
    ...config,
    ...records,
    ...shared,
    mongodb: {
      async ping() {
        await records.ping();
        if (!shared.isSetUp()) throw new Error('the indexes are not set up yet');
      },
    },
    billing: await openBilling(config, log),
    readServiceAccount: createReadServiceAccount(config.sts, requests),
  });
}

function createServiceAuthentication({ config, records, now, onBackgroundError }: Shared) {
  const limiting = { windows: records.rateWindows, now, onBackgroundError };
  return createAuthenticate({
    ...config,
    ...records,
    verifyToken: createTokenVerifier(config.identity),
    takeSlot: createRateLimiter(limiting),
    takeFailure: createRateLimiter(limiting, { writesLate: true }),
    now,
    onBackgroundError,
  });
}

function createDashboard({ dashboard: settings, ...config }: ApiConfig) {
  const hasBilling = config.stripe !== undefined;
  return settings && createPage({ ...config, settings, hasBilling, folder: BUILD_FOLDER });
}

function serveMetrics({ host, metricsPort }: ApiConfig, { registry }: ApiMetrics, log: Logger) {
  const readMetrics = async () => ({
    status: 200,
    contentType: registry.contentType,
    body: await registry.metrics(),
  });
  return serveOperators({ '/metrics': readMetrics }, host, metricsPort, log);
}

/** Stripe's library is loaded only if billing is configured. */
async function openBilling(
  { stripe, dashboardOrigins }: ApiConfig,
  log: Logger,
): Promise<StripeBilling | undefined> {
  if (!stripe) return undefined;
  const { StripeBilling: Billing } = await import('../adapters/billing/stripe.ts');
  const [dashboardOrigin] = dashboardOrigins;
  if (dashboardOrigin === undefined)
    log.warn(
      'DASHBOARD_ORIGINS is not set: the pages of the payment service return to no dashboard',
    );
  return new Billing(stripe, { dashboardOrigin });
}
