import { proxyActivities } from '@temporalio/workflow';
import type { UpkeepActivities } from '../activities/upkeep.ts';

const SWEEP_TIMEOUT = '1m';
/** Reconciling waits out the API's deadline once and then sums account by account. */
const RECONCILE_TIMEOUT = '30m';
const HEARTBEAT_TIMEOUT = '2m';

const sweeping = proxyActivities<UpkeepActivities>({
  startToCloseTimeout: SWEEP_TIMEOUT,
  retry: { maximumAttempts: 3 },
});
const reconciling = proxyActivities<UpkeepActivities>({
  startToCloseTimeout: RECONCILE_TIMEOUT,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { maximumAttempts: 3 },
});

/** Every minute: files that are overdue and that no workflow holds any more get one. */
export async function sweepUploads(): Promise<{ started: number }> {
  return sweeping.sweepUploads();
}

/** Every hour: what a crash left booked is given back. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return reconciling.reconcileQuota();
}
