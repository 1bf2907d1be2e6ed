import { setTimeout as waitFor } from 'node:timers/promises';
import { Context, sleep } from '@temporalio/activity';
import type { Slicing } from '../adapters/cloud-account/bucket-slice.ts';
import type {
  MigrationContext,
  ScanContext,
  UploadContext,
  WebhookContext,
} from '../activities/contexts.ts';
import { createMigrationCopying } from '../activities/migrations/copy.ts';
import { createMigrationEnding } from '../activities/migrations/end.ts';
import {
  createLostMigrationActivities,
  createRecommendationActivities,
} from '../activities/migrations/lost-migrations.ts';
import { createMigrationPlanning } from '../activities/migrations/plan.ts';
import { createDrillActivities } from '../activities/drills/drill.ts';
import { createRelocationActivities } from '../activities/relocations/relocation.ts';
import { createReleaseActivities } from '../activities/migrations/release.ts';
import { createScanConclusion } from '../activities/scans/conclusion.ts';
import { createLostScanActivities } from '../activities/scans/lost-scans.ts';
import { createRevisionActivities } from '../activities/scans/revision.ts';
import { createScanActivities } from '../activities/scans/scans.ts';
import { createSourceReconciliationActivities } from '../activities/scans/source-reconciliation.ts';
import { createUsageActivities } from '../activities/scans/usage.ts';
import { createQuotaActivities } from '../activities/uploads/reconcile-quota.ts';
import { createFileSweepActivities } from '../activities/uploads/sweep.ts';
import { createUploadActivities } from '../activities/uploads/uploads.ts';
import { createDeliveryActivities } from '../activities/webhooks/deliver.ts';
import { createWebhookSweepActivities } from '../activities/webhooks/sweep.ts';
import type { TaskQueue } from '../messages/names.ts';
import { attempt, progress } from './progress.ts';

/** What the activities of all queues get, beside what follows from the activity that runs. */
export type FleetDeps = Omit<
  UploadContext & ScanContext & MigrationContext & WebhookContext,
  'attempt' | 'progress' | 'slices' | 'wait'
>;

export function activitiesFor(queue: TaskQueue, deps: FleetDeps): object {
  const context = { ...deps, attempt, progress, slices: SLICES, wait: sleep };
  switch (queue) {
    case 'uploads':
      return {
        ...createUploadActivities(context),
        ...createFileSweepActivities(context),
        ...createQuotaActivities(context),
      };
    case 'scans': {
      const conclusion = createScanConclusion(context);
      return {
        ...createScanActivities(context),
        ...createUsageActivities(context),
        ...createSourceReconciliationActivities(context),
        ...conclusion,
        ...createRevisionActivities(context),
        ...createLostScanActivities(context, conclusion),
      };
    }
    case 'migrations': {
      const planning = createMigrationPlanning(context);
      const ending = createMigrationEnding(context);
      return {
        ...createRecommendationActivities(context),
        ...planning,
        ...ending,
        ...createMigrationCopying(context),
        ...createReleaseActivities(context),
        ...createRelocationActivities(context),
        ...createDrillActivities(context),
        ...createLostMigrationActivities(context, { ...planning, ...ending }),
      };
    }
    case 'webhooks':
      return { ...createDeliveryActivities(context), ...createWebhookSweepActivities(context) };
  }
}

/** Long enough to amortise the cost of a slice, short enough to show progress. */
const SLICE_MS = 8_000;

const SLICES: Slicing = {
  maxMs: SLICE_MS,
  signal: () => Context.current().cancellationSignal,
  wait: (ms, signal) => waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};
