import { setTimeout as wait } from 'node:timers/promises';
import { readApiConfig, type ApiConfig } from '../config/api.ts';
import { ConfigError } from '../config/environment.ts';
import type { Billing } from '../adapters/billing/billing.ts';
import { createCloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import { createAssumeRole } from '../adapters/cloud-account/roles.ts';
import { createReadServiceAccount } from '../adapters/cloud-account/service-account.ts';
import { createTokenVerifier } from '../adapters/identity/token-verifier.ts';
import { openRecords, type Records } from '../adapters/mongo/records.ts';
import type { IndexKind } from '../adapters/mongo/common/indexes.ts';
import { isMongoOutage } from '../adapters/mongo/common/open.ts';
import { createAccountStores } from '../adapters/object-store/account-stores.ts';
import type { StoreHttp } from '../adapters/object-store/http-messages.ts';
import { createStoreHttp, traceStoreHttp } from '../adapters/object-store/http-client.ts';
import { createObjectStores } from '../adapters/object-store/s3-store.ts';
import { createStoreClocks, type StoreClocks } from '../adapters/object-store/store-clocks.ts';
import { createLogger, type Logger } from '../adapters/telemetry/logger.ts';
import { createRequestScope, type RequestScope } from '../adapters/telemetry/request-scope.ts';
import { serveOperators } from '../adapters/telemetry/operator-server.ts';
import type { OpenTracing } from '../adapters/telemetry/open-tracing.ts';
import { retryUntilReady } from '../adapters/telemetry/health.ts';
import { createMigrationCommands } from '../adapters/temporal/migration-commands.ts';
import { createReleaseCommands } from '../adapters/temporal/release-commands.ts';
import { createBacklogReader } from '../adapters/temporal/backlogs.ts';
import { isTemporalOutage, openTemporal, type Temporal } from '../adapters/temporal/open.ts';
import {
  createSearchAttributeUse,
  type SearchAttributeUse,
} from '../adapters/temporal/search-attributes.ts';
import { createScanCommands } from '../adapters/temporal/scan-commands.ts';
import { createUploadCommands } from '../adapters/temporal/upload-commands.ts';
import { createUploadStarts, type UploadStarts } from '../adapters/temporal/upload-starts.ts';
import { createWebhookSender } from '../adapters/webhooks/sender.ts';
import { createVault } from '../adapters/vault/vault.ts';
import { noteFailing } from '../operations/providers/failing.ts';
import { noteUnstarted } from '../operations/uploads/file-transitions.ts';
import { createEndpoints } from '../adapters/object-store/address.ts';
import { growHeapSlowly } from '../config/heap.ts';
import { waitForHandshakes } from '../config/network.ts';
import { createApp } from './http/app.ts';
import { BUILD_FOLDER } from './page/build.ts';
import { createPage } from './page/page.ts';
import { createApiMetrics, type ApiMetrics } from './http/metrics.ts';
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
interface Shared {
  readonly config: ApiConfig;
  readonly requests: RequestScope;
  readonly log: Logger;
  readonly now: () => Date;
  readonly records: Records;
  readonly temporal: Temporal;
  readonly http: StoreHttp;
  readonly clocks: StoreClocks;
  readonly searchAttributes: SearchAttributeUse;
  readonly uploadStarts: UploadStarts;
  readonly isSetUp: () => boolean;
  readonly isDraining: () => boolean;
  readonly onBackgroundError: (error: unknown) => void;
}

async function start(
  config: ApiConfig,
  requests: RequestScope,
  log: Logger,
  tracing: OpenTracing | undefined,
): Promise<() => Promise<void>> {
  const now = () => new Date();
  const records = openRecords(config.mongo);
  const traced = tracing ? [(await import('../adapters/temporal/tracing.ts')).traceClient()] : [];
  const temporal = openTemporal(config.temporal, requests, traced);
  const client = createStoreHttp({
    maxSocketsPerBucket: MAX_SOCKETS_PER_STORE,
    deadline: requests,
  });
  const http = tracing ? traceStoreHttp(client, tracing) : client;
  const clocks = createStoreClocks(now);
  const onBackgroundError = (err: unknown) => log.warn({ err }, 'work outside a request failed');
  const searchAttributes = createSearchAttributeUse(() => performance.now());
  const uploadStarts = createUploadStarts({
    uploads: createUploadCommands({ client: temporal.client, searchAttributes, now }),
    temporal,
    noteDropped: (file) => noteUnstarted({ ...records, now }, file),
    deadline: requests,
    onBackgroundError,
  });
  const metrics = createApiMetrics({
    clocks,
    uploadStarts,
    readBacklogs: createBacklogReader(temporal.client),
    readOverdueWork: () => records.readOverdueWork(now()),
  });
  let setUp = false;
  const isSetUp = () => setUp;
  let draining = false;
  const isDraining = () => draining;
  const opened = {
    config,
    requests,
    log,
    now,
    records,
    temporal,
    http,
    clocks,
    searchAttributes,
    uploadStarts,
  };
  const shared: Shared = { ...opened, isSetUp, isDraining, onBackgroundError };
  const app = createApp({
    routes: await createServiceRoutes(shared),
    authenticate: createServiceAuthentication(shared),
    isSetUp,
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

  return async () => {
    draining = true;
    const drainsUntil = performance.now() + DRAIN_MS;
    await drain(DRAIN_MS);
    await uploadStarts.close(Math.max(0, drainsUntil - performance.now()));
    operators.close();
    client.close();
    await Promise.allSettled([records.close(), temporal.close(), tracing?.close()]);
  };
}

function logRoles({ identity: { roleClaim } }: ApiConfig, log: Logger): void {
  if (roleClaim === undefined)
    log.warn(
      'roles are not enforced: everyone with a valid token may change everything (JWT_ROLE_CLAIM)',
    );
  else
    log.info({ claim: roleClaim }, 'roles are enforced, by a claim of the token (JWT_ROLE_CLAIM)');
}

async function createServiceRoutes({ isSetUp, ...shared }: Shared): Promise<Route[]> {
  const { config, requests, log, now, records, temporal, http, clocks, searchAttributes } = shared;
  const vault = createVault(config.credentialKeys);
  const { catalogue } = config.priceBook;
  const findEndpoint = createEndpoints(catalogue, config.endpoints);
  const commands = { client: temporal.client, searchAttributes, deadline: requests, now };
  return createRoutes({
    ...config,
    ...records,
    ...shared,
    catalogue,
    findEndpoint,
    mongodb: {
      async ping() {
        await records.ping();
        if (!isSetUp()) throw new Error('the indexes are not set up yet');
      },
    },
    vault,
    sender: createWebhookSender(config.webhookRules),
    stores: createAccountStores(
      { vault, formerPlaces: records.formerPlaces },
      createObjectStores({ http, findEndpoint, clocks }),
      catalogue,
      (account, location) => noteFailing({ ...records, ...shared, catalogue }, account, location),
    ),
    uploads: createUploadCommands(commands),
    migrationCommands: createMigrationCommands(commands),
    releaseCommands: createReleaseCommands(commands),
    scanCommands: createScanCommands(commands),
    billing: await openBilling(config, log),
    cloudAccounts: createCloudAccounts({
      assumeRole: createAssumeRole(config.sts, requests),
      http,
      findEndpoint,
      usageEndpoints: config.usageEndpoints,
      clocks,
    }),
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
): Promise<Billing | undefined> {
  if (!stripe) return undefined;
  const { createStripeBilling } = await import('../adapters/billing/stripe.ts');
  const [dashboardOrigin] = dashboardOrigins;
  if (dashboardOrigin === undefined)
    log.warn(
      'DASHBOARD_ORIGINS is not set: the pages of the payment service return to no dashboard',
    );
  return createStripeBilling(stripe, { dashboardOrigin });
}

try {
  growHeapSlowly();
  waitForHandshakes();
  const config = readApiConfig(process.env);
  const requests = createRequestScope();
  const tracing = config.traces
    ? (await import('../adapters/telemetry/open-tracing.ts')).openTracing('api')
    : undefined;
  const log = createLogger('api', config.logLevel, requests, tracing);
  tracing?.reportTo(log);
  const stop = await start(config, requests, log, tracing);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void stop().then(() => process.exit(0));
    });
  }
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
