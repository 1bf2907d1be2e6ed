import { proxyActivities } from '@temporalio/workflow';
import type { Swept, MaintenanceActivities } from '../activities/maintenance.ts';

const SWEEP_TIMEOUT = '1m';
/** Reconciling waits out the API's deadline once and then sums account by account. */
const RECONCILE_TIMEOUT = '30m';
const HEARTBEAT_TIMEOUT = '2m';

const sweeping = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: SWEEP_TIMEOUT,
  retry: { maximumAttempts: 3 },
});
const reconciling = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: RECONCILE_TIMEOUT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});

/** Every minute: files whose workflow is lost get one, and files that owe something are looked at. */
export async function sweepUploads(): Promise<Swept> {
  return sweeping.sweepUploads();
}

/** Every hour: what a crash left booked is given back. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return reconciling.reconcileQuota();
}
