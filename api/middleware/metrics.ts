import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Backlog } from '../../adapters/temporal/backlogs.ts';

export interface Observation {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export interface ApiMetrics {
  readonly registry: Registry;
  observe(observation: Observation): void;
}

/** The metrics of an API process. Every process reports the same backlogs. */
export function createApiMetrics(readBacklogs: () => Promise<readonly Backlog[]>): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });

  // The registry collects all metrics at once: each of the three awaits the read that they share.
  let reading: Promise<readonly Backlog[]> | undefined;
  const readOnce = () => {
    // Without Temporal the backlog metrics are missing instead of old.
    reading ??= readBacklogs()
      .catch(() => [])
      .finally(() => (reading = undefined));
    return reading;
  };
  const addGauge = (name: string, help: string, valueOf: (backlog: Backlog) => number) => {
    const gauge: Gauge<'queue'> = new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      async collect() {
        const backlogs = await readOnce();
        gauge.reset();
        for (const backlog of backlogs) gauge.set({ queue: backlog.queue }, valueOf(backlog));
      },
    });
  };
  addGauge(
    'task_queue_backlog',
    'Tasks of the queue that wait for a worker, about so many.',
    ({ tasks }) => tasks,
  );
  addGauge(
    'task_queue_backlog_age_seconds',
    'How long the oldest task of the queue has waited for a worker.',
    ({ ageSeconds }) => ageSeconds,
  );
  addGauge(
    'task_queue_pollers',
    'Workers that have asked the queue for tasks within the last minutes.',
    ({ pollers }) => pollers,
  );

  return {
    registry,
    observe: ({ method, route, status, seconds }) =>
      duration.observe({ method, route, status: String(status) }, seconds),
  };
}
