import assert from 'node:assert/strict';
import type { WorkerStatus } from '@temporalio/worker';
import { createWorkerHealth, type QueueWorker } from '../../../worker/health.ts';

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

describe("a worker's probes", () => {
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
      const health = createWorkerHealth(
        () => workers.map(workerWith),
        async () => ({
          status: isUp ? 'ok' : 'degraded',
          dependencies: { mongodb: 'up', temporal: isUp ? 'up' : 'down' },
        }),
      );
      assert.deepEqual(
        [(await health.live()).status, (await health.ready()).status],
        [live, ready],
      );
    });
  }
});
