import type { Client } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../../messages/names.ts';
import { createBounded } from './bounded.ts';

/** What waits on a queue for a worker. */
export interface Backlog {
  readonly queue: TaskQueue;
  /** Workflow and activity tasks that no worker has taken; about so many, says the server. */
  readonly tasks: number;
  /** How long the oldest of them has waited. */
  readonly ageSeconds: number;
  /** Workers that have asked for tasks within the last minutes. */
  readonly pollers: number;
}

const READ_TIMEOUT_MS = 1_000;
/** https://github.com/temporalio/api/blob/master/temporal/api/enums/v1/task_queue.proto */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** Asks the server how much waits for each fleet: what the fleets are scaled by. */
export function createBacklogReader(client: Client): () => Promise<Backlog[]> {
  const within = createBounded(client);
  const { workflowService } = client;
  const { namespace } = client.options;

  const describe = async (queue: TaskQueue, taskQueueType: number) =>
    await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
      taskQueueType,
      reportStats: true,
    });

  async function read(queue: TaskQueue): Promise<Backlog> {
    const seen = await Promise.all([
      describe(queue, WORKFLOW_TASKS),
      describe(queue, ACTIVITY_TASKS),
    ]);
    const ages = seen.map(({ stats }) => Number(stats?.approximateBacklogAge?.seconds ?? 0));
    const workers = seen.flatMap(({ pollers }) => pollers ?? []).map(({ identity }) => identity);
    return {
      queue,
      tasks: seen.reduce((sum, { stats }) => sum + Number(stats?.approximateBacklogCount ?? 0), 0),
      ageSeconds: Math.max(...ages),
      pollers: new Set(workers).size,
    };
  }

  return () => within(READ_TIMEOUT_MS, () => Promise.all(TASK_QUEUES.map(read)));
}
