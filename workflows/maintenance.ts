import { proxyActivities } from '@temporalio/workflow';
import type { Swept, MaintenanceActivities } from '../activities/maintenance.ts';

const SWEEP_TIMEOUT = '1m';
/** The reconciliation waits for the API's deadline once, then sums account by account. */
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

/** Every minute: overdue files get a workflow, and files with pending work are reviewed. */
export async function sweepUploads(): Promise<Swept> {
  return sweeping.sweepUploads();
}

/** Every hour: releases bookings that a crash has left. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return reconciling.reconcileQuota();
}
