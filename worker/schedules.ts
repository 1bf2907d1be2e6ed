import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';
import {
  RECONCILE_QUOTA_WORKFLOW,
  SWEEP_MIGRATIONS_WORKFLOW,
  SWEEP_PRICES_WORKFLOW,
  SWEEP_SCANS_WORKFLOW,
  SWEEP_UPLOADS_WORKFLOW,
  SWEEP_WEBHOOKS_WORKFLOW,
  type TaskQueue,
} from '../messages/names.ts';

/**
 * The schedules, each on the queue of its activities. A sweep's run repeats by itself; its schedule
 * starts another one if none is open.
 */
const SCHEDULES: readonly {
  readonly id: string;
  readonly taskQueue: TaskQueue;
  readonly workflowType: string;
  readonly every: '1m' | '1h';
  readonly summary: string;
  /** Begins as soon as it is created, and not at the next full minute. */
  readonly isImmediate?: true;
}[] = [
  {
    id: 'sweep-uploads',
    taskQueue: 'uploads',
    workflowType: SWEEP_UPLOADS_WORKFLOW,
    every: '1m',
    summary: 'The work on files that is due is continued',
  },
  {
    id: 'reconcile-quota',
    taskQueue: 'uploads',
    workflowType: RECONCILE_QUOTA_WORKFLOW,
    every: '1h',
    summary: 'Bookings that a crash left without a file are released',
  },
  {
    id: 'sweep-scans',
    taskQueue: 'scans',
    workflowType: SWEEP_SCANS_WORKFLOW,
    every: '1m',
    summary: 'Scans whose workflow is lost, or that are due, are started',
  },
  {
    id: 'sweep-prices',
    taskQueue: 'scans',
    workflowType: SWEEP_PRICES_WORKFLOW,
    every: '1m',
    summary: 'Scans are decided again by a new price book',
  },
  {
    id: 'sweep-webhooks',
    taskQueue: 'webhooks',
    workflowType: SWEEP_WEBHOOKS_WORKFLOW,
    every: '1m',
    summary: 'Events are sent to webhooks',
    isImmediate: true,
  },
  {
    id: 'sweep-migrations',
    taskQueue: 'migrations',
    workflowType: SWEEP_MIGRATIONS_WORKFLOW,
    every: '1m',
    summary: 'Migrations whose workflow or signal is lost are continued',
  },
];

/** Creates or updates the schedules of the served queues. Several workers may run it at once. */
export async function ensureSchedules(
  { schedule: schedules }: Client,
  queues: readonly TaskQueue[],
): Promise<void> {
  for (const wanted of SCHEDULES.filter(({ taskQueue }) => queues.includes(taskQueue))) {
    try {
      const state = wanted.isImmediate ? { state: { triggerImmediately: true } } : {};
      await schedules.create({ ...scheduleOptions(wanted), ...state });
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await schedules
        .getHandle(wanted.id)
        .update((present) => ({ ...scheduleOptions(wanted), state: present.state }));
    }
  }
}

function scheduleOptions(wanted: (typeof SCHEDULES)[number]): ScheduleOptions {
  const { id, taskQueue, workflowType, every, summary } = wanted;
  return {
    scheduleId: id,
    spec: { intervals: [{ every }] },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue,
      staticSummary: summary,
    },
    policies: { overlap: 'SKIP', catchupWindow: '1m' },
  };
}
