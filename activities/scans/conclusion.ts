import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import { describeDecision } from '../../domain/scans/decided-scan.ts';
import type { UsageWork } from '../../domain/scans/usage-work.ts';
import {
  addRequests,
  type ScanFailure,
  type ScanRecord,
  type ScanRequests,
} from '../../domain/scans/scan.ts';
import { completedScan, failedScan } from '../../domain/webhooks/event.ts';
import type { ScanContext } from '../contexts.ts';
import { adviceEvents, decideScan, readDecision, storeDecision } from './decision.ts';
import { recordRealisedSavings } from './realised-savings.ts';
import { reviseScan } from './revision.ts';
import type { ScanRun } from '../../messages/scan.ts';

/** Less than the activity's time limit of five minutes; after it another worker may take over. */
const LONGEST_WAIT_MS = 3 * 60_000;

export type ScanConclusion = ReturnType<typeof createScanConclusion>;

/** The end of a scan: aggregate, decide, store; or fail with the reason. */
export function createScanConclusion(context: ScanContext) {
  const { scans, now, progress } = context;
  let lastTurn: Promise<unknown> = Promise.resolve();
  return {
    /** One at a time in a process: each holds the inventories of a whole scan. */
    async concludeScan(key: ScanRun): Promise<void> {
      const turn = progress.reportWhile(lastTurn, LONGEST_WAIT_MS).then(async () => {
        const scan = await scans.findScan(key);
        if (!scan) throw new Error('the scan is not stored');
        if (scan.status === 'running') await conclude(context, scan);
        await markDecided(context, key);
      });
      lastTurn = turn.catch(() => undefined);
      await turn;
    },

    /** Stores why the scan failed, and its progress. */
    async failScan(key: ScanRun, error: ScanFailure): Promise<void> {
      const { scanId } = key;
      const scan = await scans.findScan(key);
      if (!scan) return;
      const [reconciliations, usage] = await Promise.all([
        context.sourceReconciliations.ofScan(scanId),
        context.scanUsage.ofScan(scanId),
      ]);
      const totals = await readTotals(context, scan, beside(reconciliations, usage));
      const failedAt = now();
      const event = failedScan(scan, error, failedAt);
      await scans.fail(scanId, { ...totals, error }, failedAt, [event]);
    },
  };
}

/** Everything that follows from the decision is stored before the scan is completed. */
async function conclude(context: ScanContext, scan: ScanRecord): Promise<void> {
  const completedAt = context.now();
  const previous = await readPrevious(context, scan);
  const decided = await decideScan(
    context,
    scan,
    { scanId: scan.scanId, revision: 0 },
    completedAt,
  );
  const { reconciliations, usage } = decided;
  await storeDecision(context, decided);
  await recordRealisedSavings(context, scan, reconciliations);
  const { outcome, standing } = describeDecision(context, scan, decided, previous);
  const confidence = outcome.decisionReport?.confidence ?? null;
  const events = [
    completedScan(scan, standing, outcome.summary, confidence),
    ...adviceEvents(context, scan, decided, previous?.standing, standing),
  ];
  const totals = await readTotals(context, scan, beside(reconciliations, usage));
  await context.scans.complete(scan.scanId, { ...totals, ...outcome }, completedAt, events);
}

/** The previous decision, decided again by the same prices, so that the two can be compared. */
async function readPrevious(context: ScanContext, { connectionId, startedAt }: ScanRecord) {
  const now = context.now();
  const previous = await context.scans.findNewest(connectionId, startedAt);
  if (previous && (await context.priceBooks.isInForce(context.priceBook.id, now)))
    await reviseScan(context, previous);
  return await readDecision(context, await context.scans.findNewest(connectionId, startedAt));
}

/** The sweep looks at a connection whose newest scan was decided by an earlier price book. */
async function markDecided({ scans, connections }: ScanContext, key: ScanRun) {
  const scan = await scans.findScan(key);
  if (scan?.edition === undefined || !scan.completedAt) return;
  const { edition, completedAt: at, connectionId } = scan;
  await connections.markDecided(connectionId, { edition, at });
}

/** The requests of a scan beside its listing. */
function beside(
  reconciliations: readonly SourceReconciliation[],
  usage: UsageWork | undefined,
): readonly ScanRequests[] {
  return [...reconciliations, ...(usage ? [usage] : [])].map(({ requests }) => requests);
}

async function readTotals(
  { scanBuckets }: ScanContext,
  scan: ScanRecord,
  besideListing: readonly ScanRequests[],
): Promise<Pick<ScanRecord, 'progress' | 'requests'>> {
  const { bucketsDone, sum } = await scanBuckets.progress(scan.scanId);
  const { objects, bytes, ...ofBuckets } = sum;
  const requests = besideListing.reduce(addRequests, ofBuckets);
  return {
    progress: { ...scan.progress, bucketsDone, objects, bytes },
    requests: addRequests(scan.requests, requests),
  };
}
