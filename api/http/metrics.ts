import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { CLOCK_SKEW, type StoreClocks } from '../../adapters/object-store/store-clocks.ts';
import type { OverdueWork } from '../../adapters/mongo/overdue.ts';
import type { UploadStarts } from '../../adapters/temporal/upload-starts.ts';
import type { Backlog } from '../../adapters/temporal/backlogs.ts';

export interface Observation {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

interface MetricReads {
  readBacklogs(): Promise<readonly Backlog[]>;
  readOverdueWork(): Promise<OverdueWork>;
  readonly clocks: Pick<StoreClocks, 'skew'>;
  readonly uploadStarts: Pick<UploadStarts, 'queued' | 'dropped'>;
}

/** A value for one queue or sweep, or for the whole service. */
type Sample = readonly [labels: { readonly queue?: string }, value: number];

/** The metrics of an API process. Every process reports the same values for queues and sweeps. */
export class ApiMetrics {
  readonly registry = new Registry();
  readonly #duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to its answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  constructor(reads: MetricReads) {
    collectDefaultMetrics({ register: this.registry });
    this.#addQueues(reads);
    this.#addOverdueWork(reads);
    this.#addProcess(reads);
  }

  observe({ method, route, status, seconds }: Observation): void {
    this.#duration.observe({ method, route, status: String(status) }, seconds);
  }

  #addQueues(reads: MetricReads): void {
    const readBacklogs = shareReads(() => reads.readBacklogs());
    const add = (name: string, help: string, valueOf: (backlog: Backlog) => number) =>
      this.#addGauge(name, help, async () =>
        (await readBacklogs()).map((backlog) => [{ queue: backlog.queue }, valueOf(backlog)]),
      );
    add(
      'task_queue_backlog',
      'Approximate number of tasks of the queue that wait for a worker.',
      ({ tasks }) => tasks,
    );
    add(
      'task_queue_backlog_age_seconds',
      'How long the oldest task of the queue has waited for a worker.',
      ({ ageSeconds }) => ageSeconds,
    );
    add(
      'task_queue_pollers',
      'Workers that have asked the queue for tasks within the last minutes.',
      ({ pollers }) => pollers,
    );
  }

  #addOverdueWork(reads: MetricReads): void {
    const readOverdueWork = shareReads(() => reads.readOverdueWork());
    this.#addGauge(
      'sweep_overdue_seconds',
      'How long the oldest overdue work of the sweep has been due; 0 if there is none.',
      async () => {
        const { sweeps } = await readOverdueWork();
        return sweeps.map(({ sweep, overdueSeconds }) => [{ queue: sweep }, overdueSeconds]);
      },
    );
    const add = (name: string, help: string, counted: Exclude<keyof OverdueWork, 'sweeps'>) =>
      this.#addGauge(name, help, async () => [[{}, (await readOverdueWork())[counted]]]);
    add(
      'refused_deletes',
      'Deletes that the store has refused, or not answered, for over an hour; counted up to 10,000.',
      'refusedDeletes',
    );
    add(
      'paused_stores',
      'Stores of accounts that refuse the work on files, while files wait for them.',
      'pausedStores',
    );
    add(
      'failed_deliveries',
      'Deliveries to webhooks that have failed for good within the last day; counted up to 10,000.',
      'failedDeliveries',
    );
    add(
      'disabled_webhooks',
      'Disabled webhooks: they answered 410, or failed for five days.',
      'disabledWebhooks',
    );
  }

  #addProcess({ uploadStarts, clocks }: MetricReads): void {
    this.#addGauge(
      'upload_starts_queued',
      'Workflows of uploads whose start by this process has no answer yet.',
      async () => [[{}, uploadStarts.queued]],
    );
    const dropped = new Counter({
      registers: [],
      name: 'upload_starts_dropped_total',
      help: 'Starts of workflows of uploads that this process has dropped; the sweep makes up for them.',
      collect() {
        this.reset();
        this.inc(uploadStarts.dropped);
      },
    });
    this.registry.registerMetric(dropped);
    this.#addGauge(CLOCK_SKEW.name, CLOCK_SKEW.help, async () => [
      [{}, clocks.skew()?.seconds ?? 0],
    ]);
  }

  #addGauge(name: string, help: string, readSamples: () => Promise<readonly Sample[]>): void {
    const gauge: Gauge<'queue'> = new Gauge({
      name,
      help,
      // A gauge without labels would be 0 after a reset, and not missing.
      labelNames: ['queue'],
      registers: [this.registry],
      async collect() {
        // If Temporal or MongoDB is unavailable, the metric is missing rather than stale.
        const samples = await readSamples().catch(() => []);
        gauge.reset();
        for (const [labels, value] of samples) gauge.set(labels, value);
      },
    });
  }
}

/** The registry collects all metrics at once; metrics that need the same read share it. */
function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read().finally(() => (reading = undefined)));
}
