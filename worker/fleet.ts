import { setTimeout as waitFor } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { Context, heartbeat, sleep } from '@temporalio/activity';
import { createRecommendationActivities } from '../activities/recommendations.ts';
import { createScanConclusion } from '../activities/scan-conclusion.ts';
import { createScanActivities } from '../activities/scans.ts';
import { createUpkeepActivities } from '../activities/upkeep.ts';
import { createUploadActivities } from '../activities/uploads.ts';
import type { Records } from '../adapters/mongo/records.ts';
import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import { createApprovalWaiters } from '../adapters/temporal/approval-waiters.ts';
import { createSearchAttributeUse } from '../adapters/temporal/search-attributes.ts';
import { createUploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { DecisionSettings } from '../domain/decision/answer.ts';
import type { Plans } from '../domain/plan.ts';
import type { PriceBook } from '../domain/price-book.ts';
import type { TaskQueue } from '../workflows/names.ts';

export interface FleetDeps {
  readonly client: Client;
  readonly records: Records;
  readonly stores: AccountStores;
  readonly cloudAccounts: CloudAccounts;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly decision: DecisionSettings;
  readonly now: () => Date;
}

/** What the workers of one queue can do. */
export function activitiesFor(queue: TaskQueue, deps: FleetDeps): object {
  const { client, records, stores, now } = deps;
  const searchAttributes = createSearchAttributeUse(() => performance.now());
  const beat = () => heartbeat(Context.current().info.attempt);
  switch (queue) {
    case 'uploads':
      return {
        ...createUploadActivities({ ...records, stores, now }),
        ...createUpkeepActivities({
          ...records,
          uploads: createUploadCommands({ client, searchAttributes, now }),
          now,
          wait: sleep,
          heartbeat: beat,
        }),
      };
    case 'scans':
      return {
        ...createScanActivities({
          ...deps,
          ...records,
          slices: { maxMs: SLICE_MS, signal: cancellation, wait: waitUnlessCancelled },
          attempt: () => Context.current().info.attempt,
          whileBeating: (work) => whileBeating(beat, work),
        }),
        ...createScanConclusion({
          ...deps,
          ...records,
          waiters: createApprovalWaiters({ client, searchAttributes, now }),
          heartbeat: beat,
        }),
      };
    case 'migrations':
      return createRecommendationActivities(records);
  }
}

/** Long enough to be worth its beginning and its end, short enough to be watched. */
const SLICE_MS = 8_000;
const BEAT_MS = 1_000;

const cancellation = () => Context.current().cancellationSignal;

/** Waits; where it is cancelled meanwhile, only as long as until then. */
async function waitUnlessCancelled(ms: number, signal?: AbortSignal): Promise<void> {
  await waitFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

/** The server learns from beats that a worker is alive, and the worker that the work was cancelled. */
async function whileBeating<T>(beat: () => void, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(beat, BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
