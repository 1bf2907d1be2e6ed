import assert from 'node:assert/strict';
import { unreported } from '../../harness/progress.ts';
import {
  createScanConclusion,
  type ScanConclusionDeps,
} from '../../../activities/scan-conclusion.ts';
import {
  NOTHING_YET,
  type RecommendationRecord,
  type ScanRecord,
} from '../../../domain/scan/scan.ts';
import { bucket, group } from '../domain/decision/inventories.ts';
import { priceBook } from '../price-book.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const RUNNING: ScanRecord = {
  scanId: 'scan',
  accountId: 'account',
  connectionId: 'connection',
  status: 'running',
  startedAt: NOW,
  completedAt: null,
  error: null,
  progress: { bucketsTotal: 1, bucketsDone: 0, objects: 0, bytes: 0 },
  requests: { list: 0, other: 0, costUsd: 0 },
  summary: null,
  decisionReport: null,
};

type Outcome = Parameters<ScanConclusionDeps['scans']['complete']>[1];

/** Concludes a scan of one bucket with a recommended move, and returns what was written. */
async function conclude(withReport: boolean) {
  const written: { outcome?: Outcome; recommended: readonly RecommendationRecord[] } = {
    recommended: [],
  };
  const inventories = [bucket([group('a/', 'STANDARD', 0)])];
  const conclusion = createScanConclusion({
    accounts: { find: async () => undefined },
    scans: {
      find: async () => RUNNING,
      complete: async (_scanId, outcome) => void (written.outcome = outcome),
      fail: async () => assert.fail('the scan failed'),
    },
    scanBuckets: {
      async *inventories() {
        yield* inventories;
      },
      decide: async () => undefined,
      progress: async () => ({ bucketsDone: 1, sum: NOTHING_YET }),
    },
    sourceReconciliations: { ofScan: async () => [] },
    recommendations: {
      find: async () => undefined,
      replace: async (_scanId, recommended) => void (written.recommended = recommended),
      supersede: async () => undefined,
      async *ofScan() {
        yield* written.recommended;
      },
      async *supersededWithWorkflow() {},
      clearHasWorkflow: async () => undefined,
    },
    migrations: { realise: async () => undefined },
    migrationCommands: { start: async () => undefined, dismiss: async () => undefined },
    priceBook,
    decision: {
      withReport,
      horizonMonths: 12,
      minMonthlySavingsUsd: 0,
      recommendationSeconds: 60,
    },
    now: () => NOW,
    progress: unreported,
  });
  const { scanId, accountId, connectionId } = RUNNING;
  await conclusion.concludeScan({ scanId, accountId, connectionId, startedAt: NOW.toISOString() });
  const { outcome, recommended } = written;
  assert.ok(outcome);
  return { outcome, recommended };
}

describe('the conclusion of a scan', () => {
  it('derives a workload profile, and includes the decision report', async () => {
    const { outcome, recommended } = await conclude(true);
    const { decisionReport, summary } = outcome;
    assert.ok(decisionReport && recommended.length > 0);
    assert.equal(decisionReport.workloadProfile, 'active');
    assert.equal(decisionReport.currentMonthlyCostUsd, summary?.currentMonthlyCostUsd);
  });

  // spec: decision-report.by-a-scan, scanner-sequence.decision-report
  // spec: scanner.decision-report-when-enabled
  it('without the decision report says all the rest', async () => {
    const [withIt, without] = [await conclude(true), await conclude(false)];
    assert.equal(without.outcome.decisionReport, null);
    assert.deepEqual(without.recommended, withIt.recommended);
    assert.deepEqual(without.outcome, { ...withIt.outcome, decisionReport: null });
  });
});
