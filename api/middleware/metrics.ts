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

  const labelNames = ['queue'] as const;
  const age = new Gauge({
    name: 'task_queue_backlog_age_seconds',
    help: 'How long the oldest task of the queue has waited for a worker.',
    labelNames,
    registers,
  });
  const pollers = new Gauge({
    name: 'task_queue_pollers',
    help: 'Workers that have asked the queue for tasks within the last minutes.',
    labelNames,
    registers,
  });
  const tasks = new Gauge({
    name: 'task_queue_backlog',
    help: 'Tasks of the queue that wait for a worker, about so many.',
    labelNames,
    registers,
    async collect() {
      // Without Temporal the backlog metrics are missing instead of old.
      const backlogs = await readBacklogs().catch(() => []);
      for (const gauge of [tasks, age, pollers]) gauge.reset();
      for (const { queue, ...backlog } of backlogs) {
        tasks.set({ queue }, backlog.tasks);
        age.set({ queue }, backlog.ageSeconds);
        pollers.set({ queue }, backlog.pollers);
      }
    },
  });

  return {
    registry,
    observe: ({ method, route, status, seconds }) =>
      duration.observe({ method, route, status: String(status) }, seconds),
  };
}
