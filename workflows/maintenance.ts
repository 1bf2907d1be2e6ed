import { proxyActivities } from '@temporalio/workflow';
import type { LostMigrationActivities } from '../activities/lost-migrations.ts';
import type { LostScanActivities } from '../activities/lost-scans.ts';
import type { MaintenanceActivities } from '../activities/maintenance.ts';

const SWEEP_TIMEOUT = '10m';
/** The reconciliation sums page by page, and waits for the API's deadline where a page looks wrong. */
const RECONCILE_TIMEOUT = '50m';
/** A worker that dies, or an activity without progress, is noticed after this time. */
const HEARTBEAT_TIMEOUT = '30s';
/** No other sweep runs meanwhile, and one that runs twice does no harm. */
const SWEEP_HEARTBEAT_TIMEOUT = '10s';

const sweeping = proxyActivities<
  MaintenanceActivities & LostScanActivities & LostMigrationActivities
>({
  startToCloseTimeout: SWEEP_TIMEOUT,
  heartbeatTimeout: SWEEP_HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});
const reconciling = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: RECONCILE_TIMEOUT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});

/** Every minute: the work on files that is due is continued. */
export function sweepUploads(): ReturnType<MaintenanceActivities['sweepUploads']> {
  return sweeping.sweepUploads();
}

/** Every half minute: scans whose workflow is lost are started again. */
export function sweepScans(): ReturnType<LostScanActivities['sweepScans']> {
  return sweeping.sweepScans();
}

/** Every half minute: approvals are delivered, lost migrations started again, lost expiries written. */
export function sweepMigrations(): ReturnType<LostMigrationActivities['sweepMigrations']> {
  return sweeping.sweepMigrations();
}

/** Every hour: takes back bookings that a crash has left without a file. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return reconciling.reconcileQuota();
}
