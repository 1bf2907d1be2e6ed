import type { Client } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../../messages/names.ts';
import { createBounded } from './workflows.ts';

/** The backlog of a task queue. */
export interface Backlog {
  readonly queue: TaskQueue;
  /** The server's approximate number of workflow and activity tasks without a worker. */
  readonly tasks: number;
  /** The age of the oldest task. */
  readonly ageSeconds: number;
  /** Workers that have polled within the last minutes. */
  readonly pollers: number;
}

const READ_TIMEOUT_MS = 1_000;
/** https://github.com/temporalio/api/blob/master/temporal/api/enums/v1/task_queue.proto */
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** Reads the backlog of each task queue, the metric for scaling the fleets. */
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
