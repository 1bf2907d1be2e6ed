import assert from 'node:assert/strict';
import { createApiMetrics } from '../../../api/middleware/metrics.ts';
import { parseSeries } from '../../harness/promql.ts';

const NAMES = ['task_queue_backlog', 'task_queue_backlog_age_seconds', 'task_queue_pollers'];

describe('the metrics of the queues', () => {
  const scrape = async (metrics: ReturnType<typeof createApiMetrics>) => {
    const series = parseSeries(await metrics.registry.metrics());
    return series.filter(({ metric }) => NAMES.includes(metric)).map(({ metric }) => metric);
  };
  const backlog = { queue: 'scans', tasks: 1, ageSeconds: 2, pollers: 3 } as const;

  it('are of the moment of the scrape, all of them, and cost one read', async () => {
    let reads = 0;
    const metrics = createApiMetrics(async () => {
      reads += 1;
      return [backlog];
    });
    assert.deepEqual((await scrape(metrics)).toSorted(), NAMES);
    assert.equal(reads, 1);
    await scrape(metrics);
    assert.equal(reads, 2);
  });

  it('are missing at once where Temporal cannot be asked', async () => {
    let isAway = false;
    const metrics = createApiMetrics(async () => {
      if (isAway) throw new Error('away');
      return [backlog];
    });
    await scrape(metrics);
    isAway = true;
    assert.deepEqual(await scrape(metrics), []);
  });
});
