import { setMaxListeners } from 'node:events';
import { setTimeout as waitFor } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CancelledFailure, Context, heartbeat, sleep } from '@temporalio/activity';
import type { CopyLimits } from '../activities/copy-limits.ts';
import type { WorkMetrics } from '../activities/metrics.ts';
import { createMigrationCopying } from '../activities/migration-copy.ts';
import { createMigrationEnding } from '../activities/migration-end.ts';
import { createMigrationPlanning } from '../activities/migration-plan.ts';
import { createRecommendationActivities } from '../activities/recommendations.ts';
import { createSourceReconciliationActivities } from '../activities/source-reconciliation.ts';
import { createScanConclusion } from '../activities/scan-conclusion.ts';
import { createScanActivities } from '../activities/scans.ts';
import { createLostMigrationActivities } from '../activities/lost-migrations.ts';
import { createLostScanActivities } from '../activities/lost-scans.ts';
import { createMaintenanceActivities, type ReconcilePosition } from '../activities/maintenance.ts';
import { createUploadActivities } from '../activities/uploads.ts';
import type { Records } from '../adapters/mongo/records.ts';
import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import { createMigrationCommands } from '../adapters/temporal/migration-commands.ts';
import { createScanCommands } from '../adapters/temporal/scan-commands.ts';
import { createSearchAttributeUse } from '../adapters/temporal/search-attributes.ts';
import { createUploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { DecisionSettings } from '../domain/decision/types.ts';
import type { Plans } from '../domain/plan.ts';
import type { PriceBook } from '../domain/price-book.ts';
import type { TaskQueue } from '../messages/names.ts';

export interface FleetDeps {
  readonly client: Client;
  readonly records: Records;
  readonly stores: AccountStores;
  readonly cloudAccounts: CloudAccounts;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
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
  const attempt = () => Context.current().info.attempt;
  const beat = () => heartbeat(attempt());
  const beating = <T>(work: () => Promise<T>): Promise<T> => whileBeating(beat, work);
  switch (queue) {
    case 'uploads':
      return {
        ...createUploadActivities({ ...records, stores, now }),
        ...createMaintenanceActivities({
          ...records,
          uploads: createUploadCommands({ client, searchAttributes, now }),
          now,
          wait: sleep,
          whileBeating: beating,
          heartbeat,
          resumeFrom: lastPosition,
        }),
      };
    case 'scans': {
      const conclusion = createScanConclusion({
        ...deps,
        ...records,
        migrationCommands,
        heartbeat: beat,
      });
      const scanCommands = createScanCommands({ client, searchAttributes });
      const sweep = { ...records, ...conclusion, scanCommands, now, whileBeating: beating };
      return {
        ...createScanActivities({ ...deps, ...records, ...slicesOf(beat) }),
        ...createSourceReconciliationActivities({ ...deps, ...records, ...slicesOf(beat) }),
        ...conclusion,
        ...createLostScanActivities(sweep),
      };
    }
    case 'migrations': {
      const planning = createMigrationPlanning({
        ...deps,
        ...records,
        sliceMs: SLICE_MS,
        wait: waitUnlessCancelled,
        signal: cancellation,
        attempt,
        whileBeating: beating,
      });
      const ending = createMigrationEnding({
        ...records,
        stores,
        now,
        attempt,
        whileBeating: beating,
      });
      const lost = { ...records, ...planning, ...ending, migrationCommands };
      return {
        ...createRecommendationActivities(records),
        ...planning,
        ...ending,
        ...createLostMigrationActivities({ ...lost, now, whileBeating: beating }),
        ...createMigrationCopying({
          ...records,
          stores,
          limits: deps.limits,
          metrics: deps.metrics,
          now,
          wait: waitUnlessCancelled,
          ending: cancellation,
          aborting: abortion,
          attempt,
          whileBeating: beating,
        }),
      };
    }
  }
}

/** Long enough to amortise the cost of a slice, short enough to show progress. */
const SLICE_MS = 8_000;
const BEAT_MS = 1_000;

/** Where an earlier attempt of this activity stood. */
function lastPosition(): ReconcilePosition | undefined {
  const details: unknown = Context.current().info.heartbeatDetails;
  return typeof details === 'object' && details !== null
    ? (details as ReconcilePosition)
    : undefined;
}

const cancellation = () => Context.current().cancellationSignal;

/**
 * Aborted when the worker shuts down. Cancelling a migration does not abort it: objects in flight are
 * finished.
 */
function abortion(): AbortSignal {
  const context = Context.current();
  const abort = new AbortController();
  // Every object in flight adds a listener.
  setMaxListeners(0, abort.signal);
  const react = () => {
    if (context.cancellationDetails?.cancelRequested !== true)
      abort.abort(new CancelledFailure('the worker stops'));
  };
  if (context.cancellationSignal.aborted) react();
  else context.cancellationSignal.addEventListener('abort', react, { once: true });
  return abort.signal;
}

/** Waits, and resolves early where the signal is aborted. */
async function waitUnlessCancelled(ms: number, signal?: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

/** The length and the heartbeats of a scan's slices. */
function slicesOf(beat: () => void) {
  return {
    slices: { maxMs: SLICE_MS, signal: cancellation, wait: waitUnlessCancelled },
    attempt: () => Context.current().info.attempt,
    whileBeating: <T>(work: () => Promise<T>) => whileBeating(beat, work),
  };
}

/** Heartbeats tell the server that the worker is alive, and the worker that the work is cancelled. */
async function whileBeating<T>(beat: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(beat, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
