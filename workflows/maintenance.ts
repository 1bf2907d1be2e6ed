import { proxyActivities } from '@temporalio/workflow';
import type { Swept, MaintenanceActivities } from '../activities/maintenance.ts';

const SWEEP_TIMEOUT = '10m';
/** The reconciliation sums page by page, and waits for the API's deadline where a page looks wrong. */
const RECONCILE_TIMEOUT = '50m';
/** A worker that dies, or an activity without progress, is noticed after this time. */
const HEARTBEAT_TIMEOUT = '30s';

const sweeping = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: SWEEP_TIMEOUT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});
const reconciling = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: RECONCILE_TIMEOUT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});

/** Every minute: the work on files that is due is continued. */
export async function sweepUploads(): Promise<Swept> {
  return sweeping.sweepUploads();
}

/** Every hour: takes back bookings that a crash has left without a file. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return reconciling.reconcileQuota();
}
