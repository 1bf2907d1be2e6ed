import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { unreported } from '../../harness/progress.ts';
import { stubbed } from '../../harness/stubbed.ts';
import type { ScanContext } from '../../../activities/contexts.ts';
import { createScanConclusion } from '../../../activities/scans/conclusion.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { NOTHING_YET, type ScanRecord } from '../../../domain/scans/scan.ts';
import type { RecommendationRecord } from '../../../domain/recommendations/recommendation.ts';
import { bucket, group } from '../domain/decision/inventories.ts';
import { leftAlonePatterns, priceBook } from '../price-book.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const IDS = { scanId: 'scan', accountId: 'account', connectionId: 'connection' };
const KEY = { ...IDS, startedAt: NOW.toISOString() };
const requests = { list: 0, other: 0, costUsd: 0 };
const RUNNING = {
  ...IDS,
  status: 'running',
  startedAt: NOW,
  requests,
  revisions: [] as const,
} as unknown as ScanRecord;
const CONNECTION = {
  provider: 'aws',
  roleArn: 'arn:aws:iam::111122223333:role/r',
} as Connection;
const INVENTORIES = [bucket([group('a/', 'STANDARD', 0)])];

const TERMS = {
  horizonMonths: 12,
  minMonthlySavingsUsd: 0,
  minMoveMonthlySavingsUsd: 0,
  recommendationSeconds: 60,
};

interface Written {
  outcome?: Parameters<ScanContext['scans']['complete']>[1];
  recommended: readonly RecommendationRecord[];
}

/** Conclusions of a scan of one bucket with a recommended move. */
function conclusionOf(
  written: Written,
  withReport = true,
  readInventories: ScanContext['scanBuckets']['inventories'] = async function* () {
    yield* INVENTORIES;
  },
) {
  return createScanConclusion(
    stubbed<ScanContext>({
      accounts: { findAccount: async () => undefined },
      leftAlone: leftAlonePatterns,
      files: { isHeldAt: async () => false },
      formerPlaces: { listFormerPlaces: async () => [] },
      connections: {
        findConnection: async () => CONNECTION,
        undecided: () => assert.fail('nothing is due'),
        noteUndecided: async () => {},
        markDecided: async () => undefined,
      },
      priceBooks: { isInForce: async () => true },
      scans: {
        findScan: async () => RUNNING,
        findNewest: async () => undefined,
        revise: async () => false,
        complete: async (_scanId, outcome) => void (written.outcome = outcome),
        fail: async () => assert.fail('the scan failed'),
      },
      scanBuckets: {
        inventories: readInventories,
        decide: async () => undefined,
        costs: async () => new Map(),
        progress: async () => ({ bucketsDone: 1, sum: NOTHING_YET }),
      },
      sourceReconciliations: { ofScan: async () => [] },
      scanUsage: { ofScan: async () => undefined },
      recommendations: {
        findApproved: async () => undefined,
        approvedSince: async () => [],
        replaceRecommendations: async (_scanId, recommended) =>
          void (written.recommended = recommended),
        supersede: async () => undefined,
        async *ofScan() {
          yield* written.recommended;
        },
        async *supersededWithWorkflow() {},
        clearHasWorkflow: async () => undefined,
      },
      migrations: { realise: async () => undefined },
      migrationCommands: { startMigration: async () => undefined, dismiss: async () => undefined },
      priceBook,
      decision: { ...TERMS, withReport },
      now: () => NOW,
      progress: unreported,
    }),
  );
}

/** @returns what was written */
async function conclude(withReport: boolean) {
  const written: Written = { recommended: [] };
  await conclusionOf(written, withReport).concludeScan(KEY);
  const { outcome, recommended } = written;
  assert.ok(outcome);
  return { outcome, recommended };
}

describe('the conclusion of a scan', () => {
  // spec: decision-report.by-a-scan, scanner-sequence.decision-report
  // spec: scanner.decision-report-when-enabled
  it('without the decision report says all the rest', async () => {
    const [withIt, without] = [await conclude(true), await conclude(false)];
    assert.equal(without.outcome.decisionReport, null);
    assert.deepEqual(without.recommended, withIt.recommended);
    const revisions = withIt.outcome.revisions.map((each) => ({ ...each, verdict: null }));
    assert.deepEqual(without.outcome, { ...withIt.outcome, decisionReport: null, revisions });
  });

  it('holds the inventories of one scan at a time, and goes on after one that fails', async () => {
    let reading = 0;
    let most = 0;
    let readings = 0;
    const conclusion = conclusionOf({ recommended: [] }, true, async function* () {
      readings += 1;
      const isFirst = readings === 1;
      reading += 1;
      most = Math.max(most, reading);
      await wait(5);
      reading -= 1;
      if (isFirst) throw new Error('the database is away');
      yield* INVENTORIES;
    });
    const ends = await Promise.allSettled([1, 2, 3].map(() => conclusion.concludeScan(KEY)));
    const [first, ...others] = ends.map(({ status }) => status);
    assert.deepEqual([first, new Set(others)], ['rejected', new Set(['fulfilled'])]);
    assert.deepEqual([most, readings], [1, 3]);
  });
});
