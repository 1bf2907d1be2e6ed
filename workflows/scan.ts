import {
  CancellationScope,
  ContinueAsNew,
  proxyActivities,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { ErrorCode } from '../domain/common/errors.ts';
import type { ScanFailure } from '../domain/scans/scan.ts';
import type { SourceReconciliationActivities } from '../activities/scans/source-reconciliation.ts';
import type { UsageActivities } from '../activities/scans/usage.ts';
import type { ScanConclusion } from '../activities/scans/conclusion.ts';
import type { ScanActivities } from '../activities/scans/scans.ts';
import { scanBuckets, scanProgress, type ScanInput } from '../messages/scan.ts';
import { RETRIED, toFailureReason, UNTIL_DONE, WATCHED } from './failures.ts';
import { isLong, runInParallel, startNextRun } from './runs.ts';
import { ScanState } from './scan-state.ts';
import { showScan } from './visibility.ts';

/** Buckets read in parallel; each bucket reads several key ranges in parallel. */
const BUCKETS_AT_ONCE = 4;
/** Failures that end a scan with their own code. */
const FAILURE_CODES = [
  'connection_not_found',
  'plan_limit',
  'provider_error',
  'role_not_assumable',
] as const satisfies ErrorCode[];
const CANCELLED = {
  code: 'internal_error',
  message: 'The scan was cancelled by an operator.',
} as const satisfies ScanFailure;

const { openScan } = proxyActivities<ScanActivities>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Book the scan and store it',
});
const { listBuckets } = proxyActivities<ScanActivities>({
  ...WATCHED,
  startToCloseTimeout: '2m',
  summary: 'Assume the role and list the buckets',
});
const { listBucket } = proxyActivities<ScanActivities>({
  ...WATCHED,
  startToCloseTimeout: '2m',
});
const { readUsage } = proxyActivities<UsageActivities>({
  ...WATCHED,
  startToCloseTimeout: '5m',
  summary: 'Read the bill and the metrics',
});
const { reconcileSource } = proxyActivities<SourceReconciliationActivities>({
  ...WATCHED,
  startToCloseTimeout: '2m',
  summary: 'Check whether the source still holds migrated objects',
});
const { concludeScan } = proxyActivities<ScanConclusion>({
  ...WATCHED,
  startToCloseTimeout: '5m',
  summary: 'Aggregate, decide, and write the result',
});
const { failScan } = proxyActivities<ScanConclusion>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store why the scan failed',
});

/**
 * One scan of a connection: list the buckets, read every bucket slice by slice, read the bill and
 * the metrics, reconcile the sources of migrations, conclude. MongoDB holds what was read; the
 * history holds its numbers. Every scan ends as `completed` or `failed`, after all its slices have
 * ended.
 */
export async function scan(input: ScanInput): Promise<'completed' | 'failed'> {
  const { resume, ...key } = input;
  const state = new ScanState(resume);
  setHandler(scanProgress, (scanId) => (scanId === key.scanId ? state.view() : null));
  setHandler(scanBuckets, (scanId) => (scanId === key.scanId ? state.shown() : null));

  try {
    if (!resume) {
      showScan('queued', key.scanId, state);
      await openScan(key);
      showScan('planning', key.scanId, state);
      state.setBuckets(await listBuckets(key));
    }
    showScan('listing', key.scanId, state);
    await runInParallel(BUCKETS_AT_ONCE, readBuckets);
    if (state.isRead() && !state.hasUsage()) {
      state.noteUsage(await readUsage(key));
    }
    while (state.needsReconciliation() && !isLong()) {
      showScan('reconciling', key.scanId, state);
      state.noteReconciliation(await reconcileSource(key));
    }
    const next = state.toContinueAsNew();
    if (next) await startNextRun({ ...key, resume: next } satisfies ScanInput);
    showScan('concluding', key.scanId, state);
    await concludeScan(key);
    showScan('completed', key.scanId, state);
    return 'completed';
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    // A slice in flight need not fail as cancelled: one whose worker died fails by its time-out.
    const reason = CancellationScope.current().consideredCancelled
      ? CANCELLED
      : toFailureReason('scan', FAILURE_CODES, error);
    await CancellationScope.nonCancellable(() => failScan(key, reason));
    showScan('failed', key.scanId, state);
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
        showScan('listing', key.scanId, state);
      }
    }
  }
}

// It lasts hours at most, so the workers of its version can wait for its end. The server refuses
// this
// from a worker without a version, whose deployment has an empty name.
setWorkflowOptions(
  () =>
    workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {},
  scan,
);
