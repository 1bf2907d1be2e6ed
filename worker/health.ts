import type { Worker } from '@temporalio/worker';
import type { Health } from '../adapters/telemetry/health.ts';
import type { OperatorAnswer } from '../adapters/telemetry/operator-server.ts';

export interface QueueWorker extends Pick<Worker, 'getStatus'> {
  readonly options: { readonly taskQueue: string };
}

/**
 * The probes of a worker process.
 *
 * | the process                                     | `/health` | `/ready` |
 * | ----------------------------------------------- | --------- | -------- |
 * | starts, and waits for Temporal                  | 200       | 503      |
 * | polls all its queues; MongoDB and Temporal are up | 200     | 200      |
 * | polls, and MongoDB or Temporal is down          | 200       | 503      |
 * | finishes its tasks after SIGTERM                | 200       | 503      |
 * | has a queue whose worker or poller has failed   | 503       | 503      |
 * | has an event loop that does not turn            | no answer | no answer |
 *
 * `/health` fails only if a restart helps; an outage of a dependency must not restart every worker.
 */
export interface WorkerHealth {
  live(): Promise<OperatorAnswer>;
  ready(): Promise<OperatorAnswer>;
}

/** @param listWorkers one for each served queue; none while the process starts */
export function createWorkerHealth(
  listWorkers: () => readonly QueueWorker[],
  checkHealth: () => Promise<Health>,
): WorkerHealth {
  const readQueues = () =>
    listWorkers().map((worker) => ({ queue: worker.options.taskQueue, state: queueState(worker) }));
  return {
    async live() {
      const queues = readQueues();
      return answer(!queues.some(({ state }) => state === 'failed'), { queues });
    },
    async ready() {
      const { status, dependencies } = await checkHealth();
      const queues = readQueues();
      const isPolling = queues.length > 0 && queues.every(({ state }) => state === 'polling');
      return answer(isPolling && status === 'ok', { queues, dependencies });
    },
  };
}

function queueState(
  worker: Pick<Worker, 'getStatus'>,
): 'polling' | 'starting' | 'stopping' | 'failed' {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  if ([runState, workflowPollerState, activityPollerState].includes('FAILED')) return 'failed';
  switch (runState) {
    case 'INITIALIZED':
      return 'starting';
    case 'RUNNING':
      return 'polling';
    default:
      return 'stopping';
  }
}

function answer(isOk: boolean, body: object): OperatorAnswer {
  return {
    status: isOk ? 200 : 503,
    contentType: 'application/json',
    body: JSON.stringify({ status: isOk ? 'ok' : 'unavailable', ...body }),
  };
}
