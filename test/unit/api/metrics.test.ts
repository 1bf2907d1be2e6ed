import assert from 'node:assert/strict';
import { ApiMetrics } from '../../../api/http/metrics.ts';
import { parseSeries } from '../../harness/promql.ts';

const OF_QUEUES = ['task_queue_backlog', 'task_queue_backlog_age_seconds', 'task_queue_pollers'];
const OF_CLOCKS = ['clock_skew_seconds'];
const OF_SWEEPS = [
  'disabled_webhooks',
  'failed_deliveries',
  'paused_stores',
  'refused_deletes',
  'sweep_overdue_seconds',
];

describe('the metrics of the queues and the sweeps', () => {
  const scrape = async (metrics: ApiMetrics) => {
    const series = parseSeries(await metrics.registry.metrics());
    const names = series.map(({ metric }) => metric);
    return names
      .filter((name) => [...OF_CLOCKS, ...OF_QUEUES, ...OF_SWEEPS].includes(name))
      .toSorted();
  };
  const backlog = { queue: 'scans', tasks: 1, ageSeconds: 2, pollers: 3 } as const;
  const overdue = {
    sweeps: [{ sweep: 'scans', overdueSeconds: 4 }],
    refusedDeletes: 5,
    pausedStores: 9,
    disabledWebhooks: 6,
    failedDeliveries: 7,
  } as const;

  it('are of the moment of the scrape, all of them, and cost one read of each server', async () => {
    let reads = 0;
    const counted = <T>(value: T) => {
      reads += 1;
      return Promise.resolve(value);
    };
    const metrics = new ApiMetrics({
      readBacklogs: () => counted([backlog]),
      readOverdueWork: () => counted(overdue),
      clocks: { skew: () => ({ seconds: -8 }) },
      uploadStarts: { queued: 10, dropped: 11 },
    });
    assert.deepEqual(await scrape(metrics), [...OF_CLOCKS, ...OF_SWEEPS, ...OF_QUEUES].toSorted());
    assert.equal(reads, 2);
    await scrape(metrics);
    assert.equal(reads, 4);
    const text = await metrics.registry.metrics();
    assert.match(text, /^sweep_overdue_seconds\{queue="scans"\} 4$/m);
    assert.match(text, /^refused_deletes 5$/m);
    assert.match(text, /^paused_stores 9$/m);
    assert.match(text, /^upload_starts_queued 10$/m);
    assert.match(text, /^upload_starts_dropped_total 11$/m);
    assert.match(text, /^clock_skew_seconds -8$/m);
    assert.match(text, /^disabled_webhooks 6$/m);
    assert.match(text, /^failed_deliveries 7$/m);
  });

  for (const [server, gone, left] of [
    ['Temporal', 'backlogs', OF_SWEEPS],
    ['MongoDB', 'overdue', OF_QUEUES],
  ] as const)
    it(`are missing at once where ${server} cannot be asked`, async () => {
      const unavailable = new Set<string>();
      const answer = async <T>(what: string, value: T) => {
        if (unavailable.has(what)) throw new Error('away');
        return value;
      };
      const metrics = new ApiMetrics({
        readBacklogs: () => answer('backlogs', [backlog]),
        readOverdueWork: () => answer('overdue', overdue),
        clocks: { skew: () => undefined },
        uploadStarts: { queued: 0, dropped: 0 },
      });
      assert.equal((await scrape(metrics)).length, 9);
      unavailable.add(gone);
      assert.deepEqual(await scrape(metrics), [...OF_CLOCKS, ...left]);
    });
});
