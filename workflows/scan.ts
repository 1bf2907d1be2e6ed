import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { ScanFailure } from '../domain/scan/scan.ts';
import type { SourceReconciliationActivities } from '../activities/source-reconciliation.ts';
import type { ScanConclusion } from '../activities/scan-conclusion.ts';
import type { ScanActivities } from '../activities/scans.ts';
import { scanProgress, type ScanInput } from '../messages/scan.ts';
import { AWAIT_ALL, runInParallel } from './parallel.ts';
import { createScanState } from './scan-state.ts';
import { showScan } from './visibility.ts';

/** Buckets read in parallel; each bucket reads several key ranges in parallel. */
const BUCKETS_AT_ONCE = 4;
/** A worker that dies, or an activity without progress, is noticed after this time. */
const HEARTBEAT_TIMEOUT = '30s';
/** A dependency that is unavailable for longer ends the scan. */
const OUTAGE_TIMEOUT = '6h';
/** A run continues as new before the server suggests it. */
const MAX_EVENTS = 6_000;

const RETRIED = {
  scheduleToCloseTimeout: OUTAGE_TIMEOUT,
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '20s',
    nonRetryableErrorTypes: ['role_not_assumable', 'connection_not_found', 'plan_limit'],
  },
  // The end is written after the last slice.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;

const { openScan } = proxyActivities<ScanActivities>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Book the scan and store it',
});
const { listBuckets } = proxyActivities<ScanActivities>({
  ...RETRIED,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Assume the role and list the buckets',
});
const { listBucket } = proxyActivities<ScanActivities>({
  ...RETRIED,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
});
const { reconcileSource } = proxyActivities<SourceReconciliationActivities>({
  ...RETRIED,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Check whether the source still holds migrated objects',
});
const { concludeScan } = proxyActivities<ScanConclusion>({
  ...RETRIED,
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Aggregate, decide, and write the result',
});
/** Retried without end: the scan must reach a final status. */
const { failScan } = proxyActivities<ScanConclusion>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Store why the scan failed',
});

/**
 * One scan of a connection: list the buckets, read every bucket slice by slice, reconcile the sources
 * of migrations, conclude. MongoDB holds what was read; the history holds its numbers. Every scan ends
 * as `completed` or `failed`, after all its slices have ended.
 */
export async function scan(input: ScanInput): Promise<'completed' | 'failed'> {
  const { resume, ...key } = input;
  const state = createScanState(resume);
  const awaitsAll = patched(AWAIT_ALL);
  setHandler(scanProgress, (scanId) => (scanId === key.scanId ? state.view() : null));

  try {
    if (!resume) {
      showScan('queued', state);
      await openScan(key);
      showScan('planning', state);
      state.setBuckets(await listBuckets(key));
    }
    showScan('listing', state);
    await runInParallel(BUCKETS_AT_ONCE, awaitsAll, readBuckets);
    while (state.needsReconciliation() && !isLong()) {
      showScan('reconciling', state);
      state.noteReconciliation(await reconcileSource(key));
    }
    const next = state.toContinueAsNew();
    if (next) await continueAsNew<typeof scan>({ ...key, resume: next });
    showScan('concluding', state);
    await concludeScan(key);
    showScan('completed', state);
    return 'completed';
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    await CancellationScope.nonCancellable(() => failScan(key, toScanFailure(error)));
    showScan('failed', state);
    return 'failed';
  }

  /** Reads one bucket after the other, slice by slice, until none is left or the run is long. */
  async function readBuckets(): Promise<void> {
    for (;;) {
      const bucket = isLong() ? undefined : state.take();
      if (bucket === undefined) return;
      for (let done = false; !done && !isLong();) {
        const slice = await listBucket.executeWithOptions(
          { summary: `Read bucket ${bucket + 1} of ${state.view().progress.bucketsTotal}` },
          [key, bucket],
        );
        state.note(bucket, slice);
        ({ done } = slice);
        showScan('listing', state);
      }
    }
  }
}

function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_EVENTS;
}

/** Why a scan failed, worded for its owner. */
function toScanFailure(error: unknown): ScanFailure {
  if (isCancellation(error)) {
    return { code: 'internal_error', message: 'The scan was cancelled by an operator.' };
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'internal_error', message: cause.message };
  }
  return { code: 'internal_error', message: 'The scan took longer than it may.' };
}
