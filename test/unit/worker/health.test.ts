import assert from 'node:assert/strict';
import type { WorkerStatus } from '@temporalio/worker';
import { createPollWatch } from '../../../worker/poll-watch.ts';
import {
  createWorkerHealth,
  type QueueWorker,
  type WorkerHealthDeps,
} from '../../../worker/health.ts';

type States = Pick<WorkerStatus, 'runState' | 'workflowPollerState' | 'activityPollerState'>;

const RUNNING: States = {
  runState: 'RUNNING',
  workflowPollerState: 'POLLING',
  activityPollerState: 'POLLING',
};

function workerWith(states: States): QueueWorker {
  const status: WorkerStatus = {
    ...states,
    hasOutstandingWorkflowPoll: true,
    hasOutstandingActivityPoll: true,
    numInFlightWorkflowActivations: 0,
    numInFlightActivities: 0,
    numInFlightNonLocalActivities: 0,
    numInFlightLocalActivities: 0,
    numHeartbeatingActivities: 0,
    numCachedWorkflows: 0,
  };
  return { options: { taskQueue: 'uploads' }, getStatus: () => status };
}

const NO_HUNG: WorkerHealthDeps['polls'] = { hungQueues: async () => new Set() };

function healthOf(workers: readonly States[], isUp: boolean, more: Partial<WorkerHealthDeps> = {}) {
  return createWorkerHealth({
    listWorkers: () => workers.map(workerWith),
    checkHealth: async () => ({
      status: isUp ? 'ok' : 'degraded',
      dependencies: { mongodb: 'up', temporal: isUp ? 'up' : 'down' },
    }),
    polls: NO_HUNG,
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
    const polls = createPollWatch(readMetrics, () => nowMs);
    const live = async () => (await healthOf([RUNNING], isUp, { polls }).live()).status;
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

  const cases: [what: string, workers: States[], isUp: boolean, live: number, ready: number][] = [
    ['starts', [], true, 200, 503],
    ['is set up but does not poll', [{ ...RUNNING, runState: 'INITIALIZED' }], true, 200, 503],
    ['polls', [RUNNING, RUNNING], true, 200, 200],
    ['polls while a dependency is down', [RUNNING], false, 200, 503],
    ['drains', [{ ...RUNNING, runState: 'DRAINING' }], true, 200, 503],
    ['has a failed worker', [RUNNING, { ...RUNNING, runState: 'FAILED' }], true, 503, 503],
    ['has a failed poller', [{ ...RUNNING, activityPollerState: 'FAILED' }], true, 503, 503],
    [
      'has a failed workflow poller',
      [{ ...RUNNING, workflowPollerState: 'FAILED' }],
      true,
      503,
      503,
    ],
  ];
  for (const [what, workers, isUp, live, ready] of cases) {
    it(`answer ${live} and ${ready} where it ${what}`, async () => {
      const health = healthOf(workers, isUp);
      assert.deepEqual(
        [(await health.live()).status, (await health.ready()).status],
        [live, ready],
      );
    });
  }
});
