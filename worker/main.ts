import { setTimeout as wait } from 'node:timers/promises';
import { Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { readWorkerConfig, type WorkerConfig } from '../config/worker.ts';
import { ANNOUNCE_EVERY_MS } from '../adapters/mongo/pricing/price-books.ts';
import type { Records } from '../adapters/mongo/records.ts';
import { createHealthCheck, retryUntilReady } from '../adapters/telemetry/health.ts';
import type { Logger } from '../adapters/telemetry/logger.ts';
import { serveOperators } from '../adapters/telemetry/operator-server.ts';
import { readConnectionOptions } from '../adapters/temporal/open.ts';
import { registerSearchAttributes } from '../adapters/temporal/search-attributes.ts';
import { createCopyLimits } from '../copy/copy-limits.ts';
import type { TaskQueue } from '../messages/names.ts';
import { runProcess, type RunningProcess } from '../process/run.ts';
import { openServices, type Services } from '../process/services.ts';
import { guardActivities } from './activity-interceptor.ts';
import { loadWorkflowBundle } from './bundle.ts';
import { createClockMetric, createWorkMetrics } from './metrics.ts';
import { activitiesFor } from './fleet.ts';
import { createWorkerHealth } from './health.ts';
import { createPollWatch } from './poll-watch.ts';
import { progress, reportProgress } from './progress.ts';
import { createTemporalRuntime, type TemporalRuntime } from './runtime.ts';
import { ensureSchedules } from './schedules.ts';
import { createStoreGuard } from './store-guard.ts';
import { maxUnanswered, queueTuning } from './tuning.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Memory of all buffered objects together. */
const BUFFERED_BYTES = 192 * 2 ** 20;

type Running = RunningProcess<WorkerConfig>;

interface State {
  /** One for each queue; none while the process starts. */
  workers: readonly Worker[];
  /** Why the process could not connect to Temporal, the last time. */
  connectFailure: unknown;
  /** Sets the metric of the clock; does nothing before there are metrics. */
  showClock: () => void;
}

await runProcess('worker', readWorkerConfig, async (running) => {
  const { config, log } = running;
  const hasBegun = endAtOnceUntilThen();
  const runtime = createTemporalRuntime(log);
  const services = await openServices(running, { onProgress: reportProgress });
  const { records, temporal, clocks } = services;
  const state: State = { workers: [], connectFailure: undefined, showClock: () => undefined };
  const operators = await serveProbes(running, services, runtime, state);
  const workflowBundle = await loadWorkflowBundle({
    encodesFailures: config.temporal.payloadKeys.encrypts,
    traced: config.traces,
  });
  const connection = await connect(running, runtime, state);
  state.showClock = createClockMetric(Runtime.instance().metricMeter, clocks);
  await registerSearchAttributes(temporal.client).catch((err: unknown) =>
    log.warn({ err }, 'search attributes could not be registered'),
  );
  state.workers = await createWorkers(running, services, { connection, workflowBundle });
  await retryUntilReady('set up the schedules', log, () =>
    ensureSchedules(temporal.client, config.queues),
  );
  if (config.queues.includes('scans')) announcePriceBook(config, log, records);
  for (const kind of ['rule', 'speed'] as const)
    void retryUntilReady(`set up the indexes (${kind})`, log, () => records.ensureIndexes(kind));
  log.info({ queues: config.queues, ...config.deployment }, 'polling');
  hasBegun();
  await Promise.all(state.workers.map((worker) => worker.run()));

  operators.close();
  await Promise.allSettled([services.close(), connection.close()]);
  log.info('stopped');
  process.exit(0);
});

function serveProbes(
  { config, log }: Running,
  { records, temporal }: Services,
  { readMetrics }: TemporalRuntime,
  state: State,
) {
  const nowMs = () => performance.now();
  const { live, ready } = createWorkerHealth({
    listWorkers: () => state.workers,
    checkHealth: createHealthCheck({ mongodb: records, temporal }, nowMs),
    hungQueues: createPollWatch(readMetrics, nowMs),
    connectFailure: () => state.connectFailure,
  });
  const metrics = () => {
    state.showClock();
    return readMetrics();
  };
  const probes = { '/metrics': metrics, '/health': live, '/ready': ready };
  return serveOperators(probes, config.host, config.metricsPort, log);
}

async function connect({ config, log }: Running, runtime: TemporalRuntime, state: State) {
  const { address } = config.temporal;
  const connection = await retryUntilReady('connect to Temporal', log, () =>
    runtime.connect({ ...readConnectionOptions(), address }).catch((error: unknown) => {
      state.connectFailure = error;
      throw error;
    }),
  );
  state.connectFailure = undefined;
  return connection;
}

async function createWorkers(
  { config, requests, log, tracing }: Running,
  services: Services,
  shared: Required<Pick<WorkerOptions, 'connection' | 'workflowBundle'>>,
): Promise<readonly Worker[]> {
  const { records, temporal } = services;
  const spans = tracing && (await import('../adapters/temporal/tracing.ts')).traceWorker(tracing);
  const guard = guardActivities(log, requests, temporal.codec);
  const options = {
    ...shared,
    namespace: config.temporal.namespace,
    dataConverter: temporal.dataConverter,
    ...toVersioning(config),
    // The outer one sees only what the guard lets through.
    interceptors: { activity: spans ? [spans.activity, guard] : [guard] },
    ...(spans ? { sinks: spans.sinks } : {}),
  };
  const work = {
    ...config,
    ...records,
    ...services,
    dashboardUrl: config.dashboardOrigin && `${config.dashboardOrigin}/dashboard`,
    limits: createCopyLimits({
      ...config.copying,
      bufferedBytes: BUFFERED_BYTES,
      now: () => performance.now(),
      wait: (ms, signal) => progress.reportWhile(wait(ms, undefined, { signal }), ms),
    }),
    metrics: createWorkMetrics(Runtime.instance().metricMeter),
  };
  const create = (taskQueue: TaskQueue) =>
    Worker.create({
      ...options,
      ...queueTuning(taskQueue),
      taskQueue,
      activities: activitiesFor(taskQueue, {
        ...work,
        guard: createStoreGuard(maxUnanswered(taskQueue)),
      }),
    });
  return await Promise.all(config.queues.map(create));
}

/** Stored figures follow the newest price book, however many processes still have an older one. */
function announcePriceBook(config: WorkerConfig, log: Logger, { priceBooks }: Records): void {
  const announce = () =>
    void priceBooks.announce(config.priceBook.id, new Date()).catch((err: unknown) => {
      log.warn({ err }, 'the price book could not be announced');
    });
  announce();
  setInterval(announce, ANNOUNCE_EVERY_MS).unref();
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
