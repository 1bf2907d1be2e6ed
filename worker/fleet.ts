import { setTimeout as waitFor } from 'node:timers/promises';
import { Context, sleep } from '@temporalio/activity';
import type { CopyLimits } from '../copy/copy-limits.ts';
import type { WorkMetrics } from '../activities/common/progress.ts';
import { createMigrationCopying } from '../activities/migrations/copy.ts';
import { createMigrationEnding } from '../activities/migrations/end.ts';
import { createMigrationPlanning } from '../activities/migrations/plan.ts';
import {
  createRecommendationActivities,
  createLostMigrationActivities,
} from '../activities/migrations/lost-migrations.ts';
import { createReleaseActivities } from '../activities/migrations/release.ts';
import { createSourceReconciliationActivities } from '../activities/scans/source-reconciliation.ts';
import { createRevisionActivities } from '../activities/scans/revision.ts';
import { createScanConclusion } from '../activities/scans/conclusion.ts';
import { createUsageActivities } from '../activities/scans/usage.ts';
import { createScanActivities } from '../activities/scans/scans.ts';
import { startDueScan } from '../activities/scans/due-scans.ts';
import { createLostScanActivities } from '../activities/scans/lost-scans.ts';
import { createMaintenanceActivities } from '../activities/uploads/maintenance.ts';
import { createDeliveryActivities } from '../activities/webhooks/deliver.ts';
import { createWebhookSweepActivities } from '../activities/webhooks/sweep.ts';
import type { StoreGuard } from '../activities/common/store-guard.ts';
import { createUploadActivities } from '../activities/uploads/uploads.ts';
import type { Records } from '../adapters/mongo/records.ts';
import type { DecisionSettings } from '../domain/decision/types.ts';
import type { Plans } from '../domain/accounts/plan.ts';
import type { LeftAlonePatterns } from '../domain/inventory/key-marks.ts';
import type { PriceBook } from '../domain/pricing/price-book.ts';
import type { TaskQueue } from '../messages/names.ts';
import type { WorkflowCommands } from '../adapters/temporal/commands.ts';
import type { Services } from '../process/services.ts';
import { attempt, progress } from './progress.ts';

/** What the activities of all queues get. */
export interface FleetDeps
  extends
    Omit<Records, 'close' | 'ping'>,
    WorkflowCommands,
    Pick<Services, 'stores' | 'cloudAccounts' | 'catalogue' | 'vault' | 'sender' | 'now'> {
  /** Undefined: the operator has named none. */
  readonly dashboardUrl: string | undefined;
  /** Of this queue. */
  readonly guard: StoreGuard;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly decision: DecisionSettings;
  /** Shared by all copies of this process. */
  readonly limits: CopyLimits;
  readonly metrics: WorkMetrics;
}

/** The activities of one task queue. */
export function activitiesFor(queue: TaskQueue, deps: FleetDeps): object {
  switch (queue) {
    case 'uploads':
      return uploadActivities(deps);
    case 'scans':
      return scanActivities(deps);
    case 'webhooks':
      return webhookActivities(deps);
    case 'migrations':
      return migrationActivities(deps);
  }
}

function uploadActivities(deps: FleetDeps): object {
  const files = pick(
    deps,
    'accounts',
    'files',
    'usage',
    'usageTotals',
    'webhooks',
    'stores',
    'now',
  );
  return {
    ...createUploadActivities({ ...files, guard: deps.guard }),
    ...createMaintenanceActivities({
      ...files,
      ...pick(deps, 'quota', 'uploads'),
      ...pick(deps, 'formerPlaces', 'connections', 'recommendations', 'releases'),
      wait: sleep,
      progress,
    }),
  };
}

function scanActivities(deps: FleetDeps): object {
  const source = pick(deps, 'accounts', 'connections', 'stores', 'cloudAccounts', 'priceBook');
  const scan = pick(deps, 'scans', 'scanBuckets', 'migrations', 'now');
  const slicing = { slices: SLICES, attempt, guard: deps.guard };
  const decision = {
    ...pick(deps, 'accounts', 'connections', 'files', 'formerPlaces', 'recommendations'),
    ...pick(deps, 'scans', 'scanBuckets', 'scanUsage', 'sourceReconciliations', 'migrations'),
    ...pick(deps, 'migrationCommands', 'priceBook', 'priceBooks', 'leftAlone', 'decision', 'now'),
    progress,
  };
  const starting = pick(deps, 'accounts', 'connections', 'scans', 'scanQuota', 'plans', 'now');
  const { scanCommands } = deps;
  const conclusion = createScanConclusion(decision);
  return {
    ...createScanActivities({
      ...source,
      ...scan,
      ...slicing,
      ...pick(deps, 'scanQuota', 'plans', 'leftAlone', 'metrics'),
    }),
    ...createUsageActivities({
      ...pick(deps, 'connections', 'scanBuckets', 'scanUsage', 'cloudAccounts', 'priceBook'),
      progress,
    }),
    ...createSourceReconciliationActivities({
      ...source,
      ...scan,
      ...slicing,
      ...pick(deps, 'sourceReconciliations', 'recommendations', 'manifests'),
    }),
    ...conclusion,
    ...createRevisionActivities(decision),
    ...createLostScanActivities({
      ...pick(deps, 'scans', 'connections', 'now'),
      failScan: conclusion.failScan,
      scanCommands,
      startDueScan: (due) => startDueScan({ ...starting, scanCommands }, due),
      progress,
    }),
  };
}

function webhookActivities(deps: FleetDeps): object {
  return {
    ...createDeliveryActivities(pick(deps, 'webhooks', 'deliveries', 'sender', 'vault', 'now')),
    ...createWebhookSweepActivities({
      ...pick(deps, 'outbox', 'activities', 'webhooks', 'deliveries', 'webhookCommands'),
      ...pick(deps, 'dashboardUrl', 'now'),
      wait: sleep,
      progress,
    }),
  };
}

function migrationActivities(deps: FleetDeps): object {
  const run = {
    ...pick(deps, 'accounts', 'recommendations', 'migrations', 'stores', 'guard'),
    ...pick(deps, 'manifests', 'migrationUploads', 'now'),
    progress,
    attempt,
  };
  const slicing = { sliceMs: SLICE_MS, wait: waitUnlessCancelled, signal: cancellation };
  const planning = createMigrationPlanning({
    ...run,
    ...slicing,
    ...pick(deps, 'scans', 'releases', 'priceBook'),
  });
  const ending = createMigrationEnding(run);
  return {
    ...createRecommendationActivities(pick(deps, 'recommendations')),
    ...planning,
    ...ending,
    ...createLostMigrationActivities({
      ...pick(deps, 'releases', 'recommendations', 'migrations', 'now'),
      ...pick(deps, 'migrationCommands', 'releaseCommands'),
      ...planning,
      ...ending,
      progress,
    }),
    ...createReleaseActivities({
      ...run,
      ...slicing,
      ...pick(deps, 'releases', 'limits', 'files'),
    }),
    ...createMigrationCopying({
      ...run,
      ...pick(deps, 'ledger', 'limits', 'metrics', 'catalogue'),
      wait: waitUnlessCancelled,
      aborting: cancellation,
    }),
  };
}

/** The named ones of all that a process has opened. */
function pick<Name extends keyof FleetDeps>(
  deps: FleetDeps,
  ...names: readonly Name[]
): Pick<FleetDeps, Name> {
  return Object.fromEntries(names.map((name) => [name, deps[name]])) as Pick<FleetDeps, Name>;
}

/** Long enough to amortise the cost of a slice, short enough to show progress. */
const SLICE_MS = 8_000;

const cancellation = () => Context.current().cancellationSignal;

/** Waits, and resolves early if the signal is aborted. */
async function waitUnlessCancelled(ms: number, signal?: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

const SLICES = { maxMs: SLICE_MS, signal: cancellation, wait: waitUnlessCancelled };
