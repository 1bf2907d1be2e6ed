import { proxyActivities, sleep, type ActivityOptions } from '@temporalio/workflow';
import type { LostMigrationActivities } from '../activities/migrations/lost-migrations.ts';
import type { RevisionActivities } from '../activities/scans/revision.ts';
import type { LostScanActivities } from '../activities/scans/lost-scans.ts';
import type { QuotaActivities } from '../activities/uploads/reconcile-quota.ts';
import type { FileSweepActivities } from '../activities/uploads/sweep.ts';
import type { WebhookSweepActivities } from '../activities/webhooks/sweep.ts';
import type { Swept } from '../activities/common/sweep.ts';
import { INTERVALS } from '../domain/common/intervals.ts';
import { isLong, startNextRun } from './runs.ts';
import { showSweep } from './visibility.ts';

const SWEEP_TIMEOUT = '10m';
/** Some milliseconds for each connection. */
const REVISE_TIMEOUT = '1h';
/** The reconciliation sums page by page, and waits for the API's deadline if a page looks wrong. */
const RECONCILE_TIMEOUT = '50m';
/** Short, because no other sweep runs meanwhile; a sweep that runs twice is harmless. */
const SWEEP_HEARTBEAT_TIMEOUT = '10s';
/** Between two sweeps, however long one takes. */
const SHORTEST_PAUSE_MS = 1_000;

const SWEEPING: ActivityOptions = {
  startToCloseTimeout: SWEEP_TIMEOUT,
  heartbeatTimeout: SWEEP_HEARTBEAT_TIMEOUT,
  // An outage does not end the run, so that the list of workflows stays short.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
};
const files = proxyActivities<FileSweepActivities>({
  ...SWEEPING,
  summary: 'Continue the work on files that is due',
});
const scans = proxyActivities<LostScanActivities>({
  ...SWEEPING,
  summary: 'Start lost scans again, and scans that are due',
});
const prices = proxyActivities<RevisionActivities>({
  ...SWEEPING,
  startToCloseTimeout: REVISE_TIMEOUT,
  summary: 'Decide scans again by a new price book',
});
const migrations = proxyActivities<LostMigrationActivities>({
  ...SWEEPING,
  summary: 'Deliver approvals, start lost migrations again, write expiries',
});
const webhooks = proxyActivities<WebhookSweepActivities>({
  ...SWEEPING,
  summary: 'Hand events to webhooks, and start what is due',
});
const bookings = proxyActivities<QuotaActivities>({
  startToCloseTimeout: RECONCILE_TIMEOUT,
  heartbeatTimeout: INTERVALS.heartbeatTimeoutMs,
  retry: { maximumAttempts: 3 },
  summary: 'Release bookings without a file',
});

/** Every minute: the work on files that is due is continued. */
export function sweepUploads(): Promise<never> {
  return repeat(files.sweepUploads, INTERVALS.sweepUploadsMs);
}

/** Every half minute: scans whose workflow is lost, or that are due, are started. */
export function sweepScans(): Promise<never> {
  return repeat(scans.sweepScans, INTERVALS.sweepLostWorkMs);
}

/** Every half minute: scans that another price book has decided are decided again. */
export function sweepPrices(): Promise<never> {
  return repeat(prices.sweepPrices, INTERVALS.sweepLostWorkMs);
}

/** Every half minute: delivers approvals, starts lost migrations again, writes lost expiries. */
export function sweepMigrations(): Promise<never> {
  return repeat(migrations.sweepMigrations, INTERVALS.sweepLostWorkMs);
}

/** Always: events are handed to webhooks, and what is due is sent. */
export function sweepWebhooks(): Promise<never> {
  return repeat(webhooks.sweepWebhooks, 0);
}

/** Every hour: releases bookings that a crash has left without a file. */
export async function reconcileQuota(): Promise<{ corrected: number }> {
  return bookings.reconcileQuota();
}

/** A run sweeps until its history is long; the schedule starts another if it has ended. */
async function repeat(sweep: () => Promise<Swept<string>>, intervalMs: number): Promise<never> {
  for (;;) {
    const beganAt = Date.now();
    showSweep(await sweep(), new Date(beganAt));
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, beganAt + intervalMs - Date.now());
    await sleep(pauseMs, { summary: 'Wait for the next sweep' });
    if (isLong()) return await startNextRun();
  }
}
