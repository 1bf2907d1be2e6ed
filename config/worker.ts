import type { DecisionSettings } from '../domain/decision/types.ts';
import { TASK_QUEUES, type TaskQueue } from '../messages/names.ts';
import { readConfig, type Environment, type Reader } from './environment.ts';
import { readDecision } from './decision.ts';
import { readShared, type SharedConfig } from './shared.ts';

export interface WorkerConfig extends SharedConfig {
  readonly queues: readonly TaskQueue[];
  /** Undefined: the worker takes the tasks of every version. */
  readonly deployment: WorkerDeployment | undefined;
  readonly decision: DecisionSettings;
  readonly copying: CopyRates;
  /** For the links of messages. Undefined: they have none. */
  readonly dashboardOrigin: string | undefined;
}

/** A version of the workers, as Temporal's Worker Versioning identifies it. */
export interface WorkerDeployment {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** The rates of one worker's copies; Infinity: unlimited. */
export interface CopyRates {
  readonly maxBytesPerSecond: number;
  readonly maxRequestsPerSecond: number;
}

/** Scans read AWS accounts through a role; without keys, stores are not read. */
const QUEUE_WITHOUT_STORES: TaskQueue = 'scans';

/** @throws ConfigError that names every problem at once. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  return readConfig(env, (from) => {
    const queues = from.subset('WORKER_QUEUES', TASK_QUEUES);
    const opensStores = queues.some((queue) => queue !== QUEUE_WITHOUT_STORES);
    const deployment = readDeployment(from);
    const [dashboardOrigin] = from.origins('DASHBOARD_ORIGINS');
    const shared = readShared(from, opensStores);
    return { ...shared, queues, deployment, dashboardOrigin, ...readWork(from) };
  });
}

/** Both variables or none. They are the ones that Temporal's controller for Kubernetes sets. */
function readDeployment(from: Reader): WorkerDeployment | undefined {
  const [deploymentName, buildId] = from.together([
    'TEMPORAL_DEPLOYMENT_NAME',
    'TEMPORAL_WORKER_BUILD_ID',
  ]);
  if (!deploymentName || !buildId) return undefined;
  // The server joins name and build id by a dot.
  if (deploymentName.includes('.')) from.complain('TEMPORAL_DEPLOYMENT_NAME', 'must have no dot');
  return { deploymentName, buildId };
}

function readWork(from: Reader): Pick<WorkerConfig, 'decision' | 'copying'> {
  return {
    decision: readDecision(from),
    copying: {
      maxBytesPerSecond: from.limit('MIGRATION_MAX_BYTES_PER_SECOND'),
      maxRequestsPerSecond: from.limit('MIGRATION_MAX_REQUESTS_PER_SECOND'),
    },
  };
}
