import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Connections } from '../../adapters/mongo/connections.ts';
import type { Recommendations, SupersedingScan } from '../../adapters/mongo/recommendations.ts';
import type { ScanBuckets } from '../../adapters/mongo/scan-buckets.ts';
import type { Migrations } from '../../adapters/mongo/migrations.ts';
import type {
  SourceReconciliation,
  SourceReconciliations,
} from '../../adapters/mongo/source-reconciliations.ts';
import { toAccountUsage, type ScanUsage, type UsageWork } from '../../adapters/mongo/scan-usage.ts';
import type { Scans } from '../../adapters/mongo/scans.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { NO_USAGE } from '../../domain/bill/bill.ts';
import {
  factorsOfRegion,
  priceFactors,
  type PriceFactors,
} from '../../domain/bill/price-factors.ts';
import { PROVIDER_NAMES, SCANNED_PROVIDER } from '../../domain/provider/catalogue.ts';
import type { Decision, DecisionSettings } from '../../domain/decision/types.ts';
import { decide } from '../../domain/decision/decide.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import {
  deriveRecommendationId,
  type RecommendationRecord,
} from '../../domain/recommendation/recommendation.ts';
import {
  addRequests,
  type ScanFailure,
  type ScanGap,
  type ScanRecord,
  type ScanRequests,
  type ScanSummary,
} from '../../domain/scan/scan.ts';
import { AppError } from '../../domain/common/errors.ts';
import { sourceAccount } from '../../domain/scan/connection.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { Progress } from '../common/progress.ts';
import { recordRealisedSavings, withMigrations } from './realised-savings.ts';
import type { ScanKey } from '../../messages/scan.ts';

export interface ScanConclusionDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly connections: Pick<Connections, 'find'>;
  readonly scans: Pick<Scans, 'find' | 'complete' | 'fail'>;
  readonly scanBuckets: Pick<ScanBuckets, 'inventories' | 'decide' | 'progress'>;
  readonly sourceReconciliations: Pick<SourceReconciliations, 'ofScan'>;
  readonly scanUsage: Pick<ScanUsage, 'ofScan'>;
  readonly recommendations: Pick<
    Recommendations,
    | 'findApproved'
    | 'replace'
    | 'supersede'
    | 'ofScan'
    | 'supersededWithWorkflow'
    | 'clearHasWorkflow'
  >;
  readonly migrations: Pick<Migrations, 'realise'>;
  readonly migrationCommands: Pick<MigrationCommands, 'start' | 'dismiss'>;
  readonly priceBook: PriceBook;
  readonly decision: DecisionSettings;
  readonly now: () => Date;
  readonly progress: Progress;
}

/** Less than the activity's time limit of five minutes; after it another worker may take over. */
const LONGEST_WAIT_MS = 3 * 60_000;

export type ScanConclusion = ReturnType<typeof createScanConclusion>;

/** The end of a scan: aggregate, decide, store; or fail with the reason. */
export function createScanConclusion(deps: ScanConclusionDeps) {
  const { scans, now, progress } = deps;
  let lastTurn: Promise<unknown> = Promise.resolve();
  return {
    /** One at a time in a process: each holds the inventories of a whole scan. */
    async concludeScan(key: ScanKey): Promise<void> {
      const turn = progress.reportWhile(lastTurn, LONGEST_WAIT_MS).then(async () => {
        const scan = await scans.find(key);
        if (!scan) throw new Error('the scan is not stored');
        if (scan.status === 'running') await conclude(deps, scan);
      });
      lastTurn = turn.catch(() => undefined);
      await turn;
    },

    /** Stores why the scan failed, and its progress. */
    async failScan(key: ScanKey, error: ScanFailure): Promise<void> {
      const { scanId } = key;
      const scan = await scans.find(key);
      if (!scan) return;
      const [reconciliations, usage] = await Promise.all([
        deps.sourceReconciliations.ofScan(scanId),
        deps.scanUsage.ofScan(scanId),
      ]);
      const totals = await readTotals(deps, scan, beside(reconciliations, usage));
      await scans.fail(scanId, { ...totals, error }, now());
    },
  };
}

/** Everything that follows from the decision is stored before the scan is completed. */
async function conclude(deps: ScanConclusionDeps, scan: ScanRecord): Promise<void> {
  const { scans, scanBuckets, recommendations, priceBook, decision: settings } = deps;
  const { scanId, accountId } = scan;
  const reconciliations = await deps.sourceReconciliations.ofScan(scanId);
  const buckets = await readInventories(deps, scanId, reconciliations);
  const [account, connection, usage] = await Promise.all([
    deps.accounts.find(accountId),
    deps.connections.find(scan),
    deps.scanUsage.ofScan(scanId),
  ]);
  if (!connection) throw new AppError('connection_not_found');
  const { cloudAccountId } = sourceAccount(connection);
  const scope = { buckets, source: SCANNED_PROVIDER, priceBook };
  const accountUsage = usage ? toAccountUsage(usage) : NO_USAGE;
  const decision = decide({
    ...scope,
    usage: accountUsage,
    startedAt: scan.startedAt,
    configured: PROVIDER_NAMES.filter((provider) => account?.providers[provider] !== undefined),
    ...settings,
  });
  const completedAt = deps.now();
  const expiresAt = addSeconds(completedAt, settings.recommendationSeconds);
  await scanBuckets.decide(scanId, decision.buckets);
  deps.progress.report();
  await recommendations.replace(
    scanId,
    toRecords({ ...scan, cloudAccountId }, decision, priceFactors(accountUsage.bill), expiresAt),
  );
  deps.progress.report();
  const names = buckets.map(({ name }) => name);
  await updateMigrationWorkflows(deps, { ...scan, cloudAccountId, buckets: names });
  await recordRealisedSavings(deps, scan, reconciliations);
  const outcome = {
    ...(await readTotals(deps, scan, beside(reconciliations, usage))),
    summary: summarise(buckets, decision, usage?.gaps ?? []),
    decisionReport: settings.withReport ? decision.report : null,
  };
  await scans.complete(scanId, outcome, completedAt);
}

/** By name in UTF-8 order. */
async function readInventories(
  { scanBuckets, progress }: ScanConclusionDeps,
  scanId: string,
  reconciliations: readonly SourceReconciliation[],
): Promise<BucketInventory[]> {
  const buckets: BucketInventory[] = [];
  for await (const inventory of scanBuckets.inventories(scanId)) {
    buckets.push(inventory);
    progress.report();
  }
  return withMigrations(buckets, reconciliations).sort((a, b) => compareKeys(a.name, b.name));
}

/** Starts the workflows of this scan's moves, and ends those of superseded ones. */
async function updateMigrationWorkflows(
  { recommendations, migrationCommands, now, progress }: ScanConclusionDeps,
  scan: SupersedingScan,
): Promise<void> {
  const { accountId, scanId } = scan;
  await recommendations.supersede(scan, now());
  for await (const recommendation of recommendations.ofScan(scanId)) {
    const { kind, status } = recommendation;
    if (kind === 'move' && status === 'open') await migrationCommands.start(recommendation);
    progress.report();
  }
  for await (const superseded of recommendations.supersededWithWorkflow(accountId)) {
    await migrationCommands.dismiss(superseded);
    await recommendations.clearHasWorkflow(superseded.recommendationId);
    progress.report();
  }
}

/** The requests of a scan beside its listing. */
function beside(
  reconciliations: readonly SourceReconciliation[],
  usage: UsageWork | undefined,
): readonly ScanRequests[] {
  return [...reconciliations, ...(usage ? [usage] : [])].map(({ requests }) => requests);
}

async function readTotals(
  { scanBuckets }: ScanConclusionDeps,
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

function summarise(
  buckets: readonly BucketInventory[],
  decision: Decision,
  usageGaps: readonly ScanGap[],
): ScanSummary {
  const groups = buckets.flatMap((bucket) => bucket.groups);
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd, findings } = decision;
  return {
    buckets: buckets.length,
    objects: groups.reduce((sum, { objects }) => sum + objects, 0),
    bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
    currentMonthlyCostUsd,
    optimalMonthlyCostUsd,
    monthlySavingsUsd,
    workloadProfile: decision.report.workloadProfile,
    findings,
    coverage: [
      ...buckets.flatMap(({ name, coverage }) => coverage.map((gap) => ({ bucket: name, ...gap }))),
      ...usageGaps,
    ],
    bill: decision.bill,
  };
}

function toRecords(
  {
    scanId,
    accountId,
    connectionId,
    cloudAccountId,
  }: Pick<RecommendationRecord, 'scanId' | 'accountId' | 'connectionId' | 'cloudAccountId'>,
  decision: Decision,
  factors: PriceFactors,
  expiresAt: Date,
): RecommendationRecord[] {
  return decision.recommendations.map((recommendation) => ({
    ...recommendation,
    recommendationId: deriveRecommendationId(scanId, recommendation),
    accountId,
    connectionId,
    cloudAccountId,
    scanId,
    priceFactors: factorsOfRegion(factors, recommendation.region),
    status: 'open',
    expiresAt,
    approval: null,
  }));
}
