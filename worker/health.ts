import type { Worker } from '@temporalio/worker';
import type { Health } from '../adapters/telemetry/health.ts';
import type { PollWatch } from './poll-watch.ts';
import type { OperatorAnswer } from '../adapters/telemetry/operator-server.ts';

export interface QueueWorker extends Pick<Worker, 'getStatus'> {
  readonly options: { readonly taskQueue: string };
}

export interface WorkerHealthDeps {
  /** One for each served queue; none while the process starts. */
  readonly listWorkers: () => readonly QueueWorker[];
  readonly checkHealth: () => Promise<Health>;
  readonly hungQueues: PollWatch;
  /** Why the process could not connect to Temporal, the last time. */
  readonly connectFailure: () => unknown;
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
 * | has a queue whose polls Temporal does not answer | 503      | 503      |
 * | has no certificates that TLS to Temporal needs  | 503       | 503      |
 * | has an event loop that does not turn            | no answer | no answer |
 *
 * `/health` fails only if a restart helps, or the process can never begin; an outage of a
 * dependency must not restart every worker.
 */
export function createWorkerHealth({
  listWorkers,
  checkHealth,
  hungQueues,
  connectFailure,
}: WorkerHealthDeps) {
  const readQueues = async (isReachable: boolean) => {
    const hung = await hungQueues(isReachable);
    return listWorkers().map((worker) => {
      const { taskQueue: queue } = worker.options;
      const state = queueState(worker);
      return { queue, state: state === 'polling' && hung.has(queue) ? ('hung' as const) : state };
    });
  };
  return {
    async live(): Promise<OperatorAnswer> {
      const { dependencies } = await checkHealth();
      const queues = await readQueues(dependencies.temporal === 'up');
      const isStuck = queues.some(({ state }) => state === 'failed' || state === 'hung');
      return answer(!isStuck && !isAboutCertificates(connectFailure()), { queues });
    },
    async ready(): Promise<OperatorAnswer> {
      const { status, dependencies } = await checkHealth();
      const queues = await readQueues(dependencies.temporal === 'up');
      const isPolling = queues.length > 0 && queues.every(({ state }) => state === 'polling');
      return answer(isPolling && status === 'ok', { queues, dependencies });
    },
  };
}

/** No time mends it, unlike an outage. */
function isAboutCertificates(failure: unknown): boolean {
  return failure instanceof Error && /cert(s|ificate)/i.test(failure.message);
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
