import {
  ApplicationFailure,
  CancellationScope,
  ContinueAsNew,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { SourceReconciliationActivities } from '../activities/source-reconciliation.ts';
import type { ScanConclusion } from '../activities/scan-conclusion.ts';
import type { ScanActivities } from '../activities/scans.ts';
import { scanProgress, type ScanInput } from '../messages/messages.ts';
import { createScanState } from './scan-state.ts';
import { showScan } from './visibility.ts';

/** Buckets that are read side by side; each of them reads many key ranges side by side. */
const BUCKETS_AT_ONCE = 4;
/** How soon a worker that died in the middle of a bucket is noticed. */
const HEARTBEAT_TIMEOUT = '6s';
/** A dependency that stays away for longer than this ends the scan. */
const PATIENCE = '6h';
/** A run hands over to a fresh one well before the server asks for it. */
const MAX_EVENTS = 6_000;

const STEADILY = {
  scheduleToCloseTimeout: PATIENCE,
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '20s',
    nonRetryableErrorTypes: ['role_not_assumable', 'connection_not_found', 'plan_limit'],
  },
} satisfies ActivityOptions;

const { openScan } = proxyActivities<ScanActivities>({
  ...STEADILY,
  startToCloseTimeout: '15s',
  summary: 'Count the scan and write it down',
});
const { planScan } = proxyActivities<ScanActivities>({
  ...STEADILY,
  startToCloseTimeout: '2m',
  summary: 'Assume the role and list the buckets',
});
const { listBucket } = proxyActivities<ScanActivities>({
  ...STEADILY,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
});
const { lookBack } = proxyActivities<SourceReconciliationActivities>({
  ...STEADILY,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Look whether what was copied is still at the source',
});
const { concludeScan } = proxyActivities<ScanConclusion>({
  ...STEADILY,
  startToCloseTimeout: '5m',
  heartbeatTimeout: '1m',
  summary: 'Reckon, decide, and write the result',
});
/** The last word: it may take as long as the database does. */
const { failScan } = proxyActivities<ScanConclusion>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Write down why the scan failed',
});

/**
 * One scan of a connection: plan, read every bucket slice by slice, look back at what migrations have
 * copied, conclude. What was read lies in the database; the history carries its numbers. Whatever goes
 * wrong, the scan ends as `completed` or `failed`.
 */
export async function scan(input: ScanInput): Promise<'completed' | 'failed'> {
  const { carried: _carried, ...key } = input;
  const table = createScanState(input.carried);
  setHandler(scanProgress, (scanId) => (scanId === key.scanId ? table.view() : null));

  try {
    if (!input.carried) {
      showScan('queued', table);
      await openScan(key);
      showScan('planning', table);
      table.plan(await planScan(key));
    }
    showScan('listing', table);
    await Promise.all(Array.from({ length: BUCKETS_AT_ONCE }, readBuckets));
    while (table.needsReconciliation() && !isLong()) {
      showScan('reconciling', table);
      table.noteReconciliation(await lookBack(key));
    }
    const carried = table.toContinueAsNew();
    if (carried) await continueAsNew<typeof scan>({ ...key, carried });
    showScan('concluding', table);
    await concludeScan(key);
    showScan('completed', table);
    return 'completed';
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    await CancellationScope.nonCancellable(() => failScan(key, describe(error)));
    showScan('failed', table);
    return 'failed';
  }

  /** Takes one bucket after the other, each slice by slice, until none is left or the run is long. */
  async function readBuckets(): Promise<void> {
    for (;;) {
      const bucket = isLong() ? undefined : table.take();
      if (bucket === undefined) return;
      for (let done = false; !done && !isLong();) {
        const slice = await listBucket.executeWithOptions(
          { summary: `Read bucket ${bucket + 1} of ${table.view().progress.bucketsTotal}` },
          [key, bucket],
        );
        table.note(bucket, slice);
        ({ done } = slice);
        showScan('listing', table);
      }
    }
  }
}

function isLong(): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > MAX_EVENTS;
}

/** Why a scan failed, in the words that its owner reads. */
function describe(error: unknown): { code: string; message: string } {
  if (isCancellation(error)) {
    return { code: 'internal_error', message: 'The scan was cancelled by an operator.' };
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'internal_error', message: cause.message };
  }
  return { code: 'internal_error', message: 'The scan took longer than it may.' };
}
