import assert from 'node:assert/strict';
import type { WorkerStatus } from '@temporalio/worker';
import { createPollWatch } from '../../../worker/poll-watch.ts';
import { createWorkerHealth } from '../../../worker/health.ts';
import type { QueueWorker, WorkerHealthDeps } from '../../../worker/health.ts';

type States = Pick<WorkerStatus, 'runState' | 'workflowPollerState' | 'activityPollerState'>;

const RUNNING: States = {
  runState: 'RUNNING',
  workflowPollerState: 'POLLING',
  activityPollerState: 'POLLING',
};

function workerWith(states: States): QueueWorker {
  return { options: { taskQueue: 'uploads' }, getStatus: () => states as WorkerStatus };
}

function healthOf(workers: readonly States[], isUp: boolean, more: Partial<WorkerHealthDeps> = {}) {
  return createWorkerHealth({
    listWorkers: () => workers.map(workerWith),
    checkHealth: async () => ({
      status: isUp ? 'ok' : 'degraded',
      dependencies: { mongodb: 'up', temporal: isUp ? 'up' : 'down' },
    }),
    hungQueues: async () => new Set(),
    connectFailure: () => undefined,
    ...more,
  });
}

/** As the SDK writes them. */
function pollMetrics(ended: number, failed: number): string {
  const labels = 'operation="PollWorkflowTaskQueue",service_name="temporal-core-sdk"';
  return [
    '# TYPE temporal_long_request_latency histogram',
    `temporal_long_request_latency_count{namespace="default",${labels},task_queue="uploads"} ${ended}`,
    `temporal_long_request_latency_count{operation="PollActivityTaskQueue",task_queue="uploads"} 9`,
    `temporal_long_request_failure{namespace="default",${labels},status_code="CANCELLED",task_queue="uploads"} ${failed}`,
  ].join('\n');
}

describe("a worker's probes", () => {
  it('answer 503 once no poll of a queue is answered, and not for an outage', async () => {
    let [body, nowMs, isUp] = [pollMetrics(4, 0), 0, true];
    const readMetrics = async () => ({ status: 200, contentType: 'text/plain', body });
    const hungQueues = createPollWatch(readMetrics, () => nowMs);
    const live = async () => (await healthOf([RUNNING], isUp, { hungQueues }).live()).status;
    assert.equal(await live(), 200);
    nowMs = 150_000;
    assert.equal(await live(), 200);
    // Polls that fail at their own deadline are not answered.
    [body, nowMs] = [pollMetrics(6, 2), 190_000];
    assert.equal(await live(), 503);
    [body, nowMs] = [pollMetrics(7, 2), 200_000];
    assert.equal(await live(), 200);
    [isUp, nowMs] = [false, 900_000];
    assert.equal(await live(), 200);
    [isUp, nowMs] = [true, 950_000];
    assert.equal(await live(), 200, 'the time of an outage does not count');
    nowMs = 1_100_000;
    assert.equal(await live(), 503);
  });

  for (const [what, workers, live, ready] of [
    ['starts', [], 200, 503],
    ['is set up but does not poll', [{ runState: 'INITIALIZED' }], 200, 503],
    ['polls', [{}, {}], 200, 200],
    ['polls while a dependency is down', [{}], 200, 503],
    ['drains', [{ runState: 'DRAINING' }], 200, 503],
    ['has a failed worker', [{}, { runState: 'FAILED' }], 503, 503],
    ['has a failed poller', [{ activityPollerState: 'FAILED' }], 503, 503],
    ['has a failed workflow poller', [{ workflowPollerState: 'FAILED' }], 503, 503],
  ] satisfies [string, Partial<States>[], number, number][])
    it(`answer ${live} and ${ready} where it ${what}`, async () => {
      const states = workers.map((one) => Object.assign({}, RUNNING, one));
      const health = healthOf(states, !what.includes('is down'));
      const statuses = [(await health.live()).status, (await health.ready()).status];
      assert.deepEqual(statuses, [live, ready]);
    });
});
