import type { WorkerOptions } from '@temporalio/worker';
import { INTERVALS } from '../domain/common/intervals.ts';
import type { TaskQueue } from '../messages/names.ts';

interface WorkerSlots {
  readonly activities: number;
  readonly workflowTasks: number;
  readonly cachedWorkflows: number;
}

/**
 * The capacity of a worker for each queue. All queues of a process share one event loop and one
 * processor, so slots bound what waits at stores, not what computes.
 */
const SLOTS: Readonly<Record<TaskQueue, WorkerSlots>> = {
  // An activity is one or two short requests. A workflow task holds its slot while its one local
  // activity runs, so there are as many of both.
  uploads: { activities: 64, workflowTasks: 40, cachedWorkflows: 500 },
  // A slice reads up to 32 pages in parallel, and holds their groups: four scans run with all theirs.
  scans: { activities: 16, workflowTasks: 10, cachedWorkflows: 100 },
  // A slice copies up to 16 objects, in about 10 MiB: four migrations run with all their slices.
  migrations: { activities: 16, workflowTasks: 10, cachedWorkflows: 200 },
  // An activity is one request, which may wait for 15 s; an account has 8 at once.
  webhooks: { activities: 64, workflowTasks: 20, cachedWorkflows: 100 },
};

/** The share of a worker's activity slots for one store that does not answer. */
const UNANSWERED_SHARE = 1 / 4;

/** Starts with few polls, and follows the backlog that the server reports. */
const POLLERS = { type: 'autoscaling', minimum: 2, initial: 5, maximum: 10 } as const;

/** Running activities are cancelled after this time. */
const SHUTDOWN_GRACE = '15s';
const SHUTDOWN_FORCE = '20s';

/** How much work of one queue may wait at a store that does not answer. */
export function maxUnanswered(queue: TaskQueue): number {
  return SLOTS[queue].activities * UNANSWERED_SHARE;
}

export function queueTuning(queue: TaskQueue) {
  const { activities, workflowTasks, cachedWorkflows } = SLOTS[queue];
  return {
    maxConcurrentActivityTaskExecutions: activities,
    maxConcurrentWorkflowTaskExecutions: workflowTasks,
    maxConcurrentLocalActivityExecutions: workflowTasks,
    maxCachedWorkflows: cachedWorkflows,
    workflowTaskPollerBehavior: POLLERS,
    activityTaskPollerBehavior: POLLERS,
    maxHeartbeatThrottleInterval: INTERVALS.heartbeatThrottleMs,
    defaultHeartbeatThrottleInterval: INTERVALS.heartbeatThrottleMs,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
  } satisfies Partial<WorkerOptions>;
}
