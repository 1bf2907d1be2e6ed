import { setTimeout as waitFor } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
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
import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import { createMigrationCommands } from '../adapters/temporal/migration-commands.ts';
import { createScanCommands } from '../adapters/temporal/scan-commands.ts';
import { createReleaseCommands } from '../adapters/temporal/release-commands.ts';
import { createSearchAttributeUse } from '../adapters/temporal/search-attributes.ts';
import { createWebhookCommands } from '../adapters/temporal/webhook-commands.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import type { WebhookSender } from '../adapters/webhooks/sender.ts';
import { createUploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { DecisionSettings } from '../domain/decision/types.ts';
import type { Plans } from '../domain/accounts/plan.ts';
import type { LeftAlonePatterns } from '../domain/inventory/key-marks.ts';
import type { PriceBook } from '../domain/pricing/price-book.ts';
import type { TaskQueue } from '../messages/names.ts';
import { attempt, progress } from './progress.ts';

export interface FleetDeps {
  readonly client: Client;
  readonly records: Records;
  readonly stores: AccountStores;
  readonly vault: Vault;
  readonly sender: WebhookSender;
  /** Undefined: the operator has named none. */
  readonly dashboardUrl: string | undefined;
  /** Of this queue. */
  readonly guard: StoreGuard;
  readonly cloudAccounts: CloudAccounts;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly decision: DecisionSettings;
  /** Shared by all copies of this process. */
  readonly limits: CopyLimits;
  readonly metrics: WorkMetrics;
  readonly now: () => Date;
}

/** The activities of one task queue. */
export function activitiesFor(queue: TaskQueue, deps: FleetDeps): object {
  const { client, records, stores, now } = deps;
  const searchAttributes = createSearchAttributeUse(() => performance.now());
  const migrationCommands = createMigrationCommands({ client, searchAttributes, now });
  const common = { ...records, stores, guard: deps.guard, progress, now };
  switch (queue) {
    case 'uploads':
      return {
        ...createUploadActivities(common),
        ...createMaintenanceActivities({
          ...common,
          uploads: createUploadCommands({ client, searchAttributes, now }),
          wait: sleep,
        }),
      };
    case 'scans': {
      const conclusion = createScanConclusion({ ...deps, ...common, migrationCommands });
      const scanCommands = createScanCommands({ client, searchAttributes });
      return {
        ...createScanActivities({ ...deps, ...common, slices: SLICES, attempt }),
        ...createUsageActivities({ ...deps, ...common }),
        ...createSourceReconciliationActivities({ ...deps, ...common, slices: SLICES, attempt }),
        ...conclusion,
        ...createRevisionActivities({ ...deps, ...common, migrationCommands }),
        ...createLostScanActivities({
          ...common,
          ...conclusion,
          scanCommands,
          startDueScan: (due) => startDueScan({ ...deps, ...common, scanCommands }, due),
        }),
      };
    }
    case 'webhooks':
      return {
        ...createDeliveryActivities({ ...deps, ...common }),
        ...createWebhookSweepActivities({
          ...deps,
          ...common,
          webhookCommands: createWebhookCommands({ client, searchAttributes }),
          wait: sleep,
        }),
      };
    case 'migrations': {
      const planning = createMigrationPlanning({
        ...deps,
        ...common,
        sliceMs: SLICE_MS,
        wait: waitUnlessCancelled,
        signal: cancellation,
        attempt,
      });
      const ending = createMigrationEnding({ ...common, attempt });
      return {
        ...createRecommendationActivities(records),
        ...planning,
        ...ending,
        ...createLostMigrationActivities({
          ...common,
          ...planning,
          ...ending,
          migrationCommands,
          releaseCommands: createReleaseCommands({ client, searchAttributes, now }),
        }),
        ...createReleaseActivities({
          ...common,
          limits: deps.limits,
          sliceMs: SLICE_MS,
          wait: waitUnlessCancelled,
          signal: cancellation,
          attempt,
        }),
        ...createMigrationCopying({
          ...common,
          catalogue: deps.priceBook.catalogue,
          limits: deps.limits,
          metrics: deps.metrics,
          wait: waitUnlessCancelled,
          aborting: cancellation,
          attempt,
        }),
      };
    }
  }
}

/** Long enough to amortise the cost of a slice, short enough to show progress. */
const SLICE_MS = 8_000;

const cancellation = () => Context.current().cancellationSignal;

/** Waits, and resolves early if the signal is aborted. */
async function waitUnlessCancelled(ms: number, signal?: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

const SLICES = { maxMs: SLICE_MS, signal: cancellation, wait: waitUnlessCancelled };
