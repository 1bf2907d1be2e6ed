import { ScheduleAlreadyRunning, type Client, type ScheduleOptions } from '@temporalio/client';
import { RECONCILE_QUOTA_WORKFLOW, SWEEP_UPLOADS_WORKFLOW } from '../workflows/names.ts';

const SCHEDULES: readonly ScheduleOptions[] = [
  schedule(
    'sweep-uploads',
    SWEEP_UPLOADS_WORKFLOW,
    '1m',
    'Overdue files that no workflow holds get one',
  ),
  schedule(
    'reconcile-quota',
    RECONCILE_QUOTA_WORKFLOW,
    '1h',
    'What a crash left booked is given back',
  ),
];

function schedule(
  id: string,
  workflowType: string,
  every: '1m' | '1h',
  staticSummary: string,
): ScheduleOptions {
  return {
    scheduleId: id,
    spec: { intervals: [{ every }] },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue: 'uploads',
      staticSummary,
    },
    policies: { overlap: 'SKIP', catchupWindow: '1m' },
  };
}

/** Creates the schedules, or brings those that exist up to date. Safe from many workers at once. */
export async function ensureSchedules({ schedule: schedules }: Client): Promise<void> {
  for (const wanted of SCHEDULES) {
    try {
      await schedules.create(wanted);
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      await schedules
        .getHandle(wanted.scheduleId)
        .update((present) => ({ ...wanted, state: present.state }));
    }
  }
}
