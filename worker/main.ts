import { setTimeout as wait } from 'node:timers/promises';
import { Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { ConfigError } from '../config/environment.ts';
import { readWorkerConfig, type WorkerConfig } from '../config/worker.ts';
import { createCloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import { createAssumeRole } from '../adapters/cloud-account/roles.ts';
import { ANNOUNCE_EVERY_MS } from '../adapters/mongo/pricing/price-books.ts';
import { openRecords, type Records } from '../adapters/mongo/records.ts';
import { createAccountStores } from '../adapters/object-store/account-stores.ts';
import type { StoreHttp } from '../adapters/object-store/http-messages.ts';
import { createStoreHttp, traceStoreHttp } from '../adapters/object-store/http-client.ts';
import { createObjectStores } from '../adapters/object-store/s3-store.ts';
import { createStoreClocks, type StoreClocks } from '../adapters/object-store/store-clocks.ts';
import { createHealthCheck, retryUntilReady } from '../adapters/telemetry/health.ts';
import { createLogger, type Logger } from '../adapters/telemetry/logger.ts';
import { serveOperators } from '../adapters/telemetry/operator-server.ts';
import { createRequestScope, type RequestScope } from '../adapters/telemetry/request-scope.ts';
import type { OpenTracing } from '../adapters/telemetry/open-tracing.ts';
import { openTemporal, readConnectionOptions } from '../adapters/temporal/open.ts';
import { registerSearchAttributes } from '../adapters/temporal/search-attributes.ts';
import { createVault } from '../adapters/vault/vault.ts';
import { noteFailing } from '../operations/providers/failing.ts';
import { createWebhookSender } from '../adapters/webhooks/sender.ts';
import { createEndpoints } from '../adapters/object-store/address.ts';
import { createCopyLimits } from '../copy/copy-limits.ts';
import { guardActivities } from './activity-interceptor.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createClockMetric, createWorkMetrics } from './metrics.ts';
import { activitiesFor, type FleetDeps } from './fleet.ts';
import { createWorkerHealth } from './health.ts';
import { growHeapSlowly } from '../config/heap.ts';
import { waitForHandshakes } from '../config/network.ts';
import { createPollWatch } from './poll-watch.ts';
import { progress, reportProgress } from './progress.ts';
import { createTemporalRuntime } from './runtime.ts';
import { ensureSchedules } from './schedules.ts';
import { createStoreGuard } from './store-guard.ts';
import { maxUnanswered, queueTuning } from './tuning.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Memory of all buffered objects together. */
const BUFFERED_BYTES = 192 * 2 ** 20;

interface Shared {
  readonly config: WorkerConfig;
  readonly requests: RequestScope;
  readonly log: Logger;
  readonly tracing: OpenTracing | undefined;
}

async function run(shared: Shared): Promise<void> {
  const { config, requests, log, tracing } = shared;
  const hasBegun = endAtOnceUntilThen();
  const runtime = createTemporalRuntime(log);
  const traced = tracing && (await import('../adapters/temporal/tracing.ts'));
  const temporal = openTemporal(config.temporal, requests, traced ? [traced.traceClient()] : []);
  const records = openRecords(config.mongo);
  const checkHealth = createHealthCheck({ mongodb: records, temporal }, () => performance.now());
  let polling: readonly Worker[] = [];
  let connectFailure: unknown;
  const { live, ready } = createWorkerHealth({
    listWorkers: () => polling,
    checkHealth,
    polls: createPollWatch(runtime.readMetrics, () => performance.now()),
    connectFailure: () => connectFailure,
  });
  const clocks = createStoreClocks();
  let showClock = (): void => {};
  const readMetrics = () => {
    showClock();
    return runtime.readMetrics();
  };
  const probes = { '/metrics': readMetrics, '/health': live, '/ready': ready };
  const operators = await serveOperators(probes, config.host, config.metricsPort, log);
  const workflowBundle = await loadWorkflowBundle({
    encodesFailures: config.temporal.payloadKeys.encrypts,
    traced: config.traces,
  });
  const { address, namespace } = config.temporal;
  const connection = await retryUntilReady('connect to Temporal', log, () =>
    runtime.connect({ ...readConnectionOptions(), address }).catch((error: unknown) => {
      connectFailure = error;
      throw error;
    }),
  );
  connectFailure = undefined;
  showClock = createClockMetric(Runtime.instance().metricMeter, clocks);
  const storeClient = createStoreHttp({ onProgress: reportProgress });
  const { client, codec, dataConverter } = temporal;
  await registerSearchAttributes(client).catch((err: unknown) =>
    log.warn({ err }, 'search attributes could not be registered'),
  );
  const spans = tracing && traced?.traceWorker(tracing);
  const guard = guardActivities(log, requests, codec);
  const work = createWork(shared, { client, records }, storeClient, clocks);
  polling = await Promise.all(
    config.queues.map((taskQueue) =>
      Worker.create({
        connection,
        namespace,
        taskQueue,
        workflowBundle,
        dataConverter,
        activities: activitiesFor(taskQueue, {
          ...work,
          guard: createStoreGuard({ maxUnanswered: maxUnanswered(taskQueue) }),
        }),
        ...toVersioning(config),
        // The outer one sees only what the guard lets through.
        interceptors: { activity: spans ? [spans.activity, guard] : [guard] },
        ...(spans ? { sinks: spans.sinks } : {}),
        ...queueTuning(taskQueue),
      }),
    ),
  );
  await retryUntilReady('set up the schedules', log, () => ensureSchedules(client, config.queues));
  if (config.queues.includes('scans')) announcePriceBook(shared, records);
  for (const kind of ['rule', 'speed'] as const)
    void retryUntilReady(`set up the indexes (${kind})`, log, () => records.ensureIndexes(kind));
  log.info({ queues: config.queues, ...config.deployment }, 'polling');
  hasBegun();
  await Promise.all(polling.map((worker) => worker.run()));

  operators.close();
  storeClient.close();
  await Promise.allSettled([records.close(), temporal.close(), connection.close()]);
  await tracing?.close();
}

/** Stored figures follow the price book that came last, however many processes still have an older one. */
function announcePriceBook({ config, log }: Shared, { priceBooks }: Records): void {
  const announce = () =>
    void priceBooks.announce(config.priceBook.id, new Date()).catch((err: unknown) => {
      log.warn({ err }, 'the price book could not be announced');
    });
  announce();
  setInterval(announce, ANNOUNCE_EVERY_MS).unref();
}

/** The dependencies of the activities of all queues. */
function createWork(
  { config, tracing, log }: Shared,
  servers: Pick<FleetDeps, 'client' | 'records'>,
  storeClient: StoreHttp,
  clocks: StoreClocks,
): Omit<FleetDeps, 'guard'> {
  const now = () => new Date();
  const onBackgroundError = (err: unknown) => log.warn({ err }, 'a failing store was not noted');
  const http = tracing ? traceStoreHttp(storeClient, tracing) : storeClient;
  const vault = createVault(config.credentialKeys);
  const { catalogue } = config.priceBook;
  const findEndpoint = createEndpoints(catalogue, config.endpoints);
  const openStore = createObjectStores({ http, findEndpoint, clocks });
  return {
    ...config,
    ...servers,
    stores: createAccountStores(
      { ...servers.records, vault },
      openStore,
      catalogue,
      (account, location) =>
        noteFailing({ ...servers.records, catalogue, now, onBackgroundError }, account, location),
    ),
    vault,
    sender: createWebhookSender(config.webhookRules),
    dashboardUrl: config.dashboardOrigin && `${config.dashboardOrigin}/dashboard`,
    cloudAccounts: createCloudAccounts({
      assumeRole: createAssumeRole(config.sts),
      http,
      findEndpoint,
      usageEndpoints: config.usageEndpoints,
      clocks,
    }),
    limits: createCopyLimits({
      ...config.copying,
      bufferedBytes: BUFFERED_BYTES,
      now: () => performance.now(),
      wait: (ms, signal) => progress.reportWhile(wait(ms, undefined, { signal }), ms),
    }),
    metrics: createWorkMetrics(Runtime.instance().metricMeter),
    now,
  };
}

/** A workflow without a behaviour of its own moves to the current version with its next task. */
function toVersioning({
  deployment: version,
}: WorkerConfig): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!version) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** Temporal's runtime handles signals once workers run. Until then a signal ends the process. */
function endAtOnceUntilThen(): () => void {
  const end = () => process.exit(0);
  for (const signal of SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

try {
  growHeapSlowly();
  waitForHandshakes();
  const config = readWorkerConfig(process.env);
  const requests = createRequestScope();
  const tracing = config.traces
    ? (await import('../adapters/telemetry/open-tracing.ts')).openTracing('worker')
    : undefined;
  const log = createLogger('worker', config.logLevel, requests, tracing);
  tracing?.reportTo(log);
  await run({ config, requests, log, tracing });
  log.info('stopped');
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
}
