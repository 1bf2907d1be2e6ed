import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { Connections } from '../../adapters/mongo/connections/connections.ts';
import type {
  Recommendations,
  SupersedingScan,
} from '../../adapters/mongo/recommendations/recommendations.ts';
import type { DecisionKey, ScanBuckets } from '../../adapters/mongo/scans/scan-buckets.ts';
import type {
  SourceReconciliation,
  SourceReconciliations,
} from '../../adapters/mongo/scans/source-reconciliations.ts';
import {
  toAccountUsage,
  type ScanUsage,
  type UsageWork,
} from '../../adapters/mongo/scans/scan-usage.ts';
import type { ScanRevise } from '../../adapters/mongo/scans/scans.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { NO_USAGE } from '../../domain/bill/bill.ts';
import { factorsOfRegion, priceFactors } from '../../domain/bill/price-factors.ts';
import type { Decision, DecisionRequest, DecisionSettings } from '../../domain/decision/types.ts';
import { currentCosts, decide } from '../../domain/decision/decide.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import type { LeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import {
  deriveRecommendationId,
  type RecommendationRecord,
} from '../../domain/recommendations/recommendation.ts';
import {
  compareStandings,
  findNoteworthy,
  isVerdictChanged,
  NO_CHANGES,
  type Standing,
} from '../../domain/scans/changes.ts';
import {
  changedVerdict,
  openedRecommendation,
  type ServiceEvent,
} from '../../domain/webhooks/event.ts';
import { currentRevision, type ScanRecord } from '../../domain/scans/scan.ts';
import { findConnection } from '../../operations/connections/source.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { forEachConcurrently } from '../common/concurrently.ts';
import type { Progress } from '../common/progress.ts';
import { withMigrations } from './realised-savings.ts';
import { withRoutedFiles, type RoutedBucketDeps } from './routed-buckets.ts';
import { summarise } from './summary.ts';

export interface DecisionDeps extends RoutedBucketDeps {
  readonly accounts: Pick<Accounts, 'findAccount'>;
  readonly connections: Pick<Connections, 'findConnection'>;
  readonly scanBuckets: Pick<ScanBuckets, 'inventories' | 'decide' | 'costs'>;
  readonly sourceReconciliations: Pick<SourceReconciliations, 'ofScan'>;
  readonly scanUsage: Pick<ScanUsage, 'ofScan'>;
  readonly recommendations: Pick<
    Recommendations,
    | 'approvedSince'
    | 'replaceRecommendations'
    | 'supersede'
    | 'ofScan'
    | 'supersededWithWorkflow'
    | 'clearHasWorkflow'
  >;
  readonly migrationCommands: Pick<MigrationCommands, 'startMigration' | 'dismiss'>;
  readonly priceBook: PriceBook;
  readonly leftAlone: LeftAlonePatterns;
  readonly decision: DecisionSettings;
  readonly progress: Progress;
}

const STARTED_AT_ONCE = 10;

/** What a decision rests on, and what was decided. */
export interface DecidedScan {
  readonly key: DecisionKey;
  readonly decidedAt: Date;
  readonly request: DecisionRequest;
  readonly decision: Decision;
  readonly usage: UsageWork | undefined;
  readonly reconciliations: readonly SourceReconciliation[];
  readonly cloudAccountId: string;
}

/**
 * Decides by what a scan has read: as it completes, or again with another price book. What a move that was approved
 * meanwhile covers is not recommended again.
 *
 * @throws AppError `connection_not_found`
 */
export async function decideScan(
  deps: DecisionDeps,
  scan: ScanRecord,
  key: DecisionKey,
  decidedAt: Date,
): Promise<DecidedScan> {
  const { scanId, accountId, startedAt } = scan;
  const [account, connection, reconciliations, usage] = await Promise.all([
    deps.accounts.findAccount(accountId),
    findConnection(deps, scan),
    deps.sourceReconciliations.ofScan(scanId),
    deps.scanUsage.ofScan(scanId),
  ]);
  const source = sourceAccount(connection);
  const approved =
    key.revision === 0 ? [] : await deps.recommendations.approvedSince(source, startedAt);
  const buckets = [];
  for await (const inventory of deps.scanBuckets.inventories(scanId)) {
    const prefixes = approved
      .filter(({ bucket }) => bucket === inventory.name)
      .map(({ selector }) => selector.prefix);
    const routed = await withRoutedFiles(deps, connection, account, inventory);
    buckets.push(prefixes.length === 0 ? routed : { ...routed, approved: prefixes });
    deps.progress.report();
  }
  const request: DecisionRequest = {
    buckets: withMigrations(buckets, reconciliations).sort((a, b) => compareKeys(a.name, b.name)),
    source: connection.provider,
    priceBook: deps.priceBook,
    usage: usage ? toAccountUsage(usage) : NO_USAGE,
    startedAt,
    ...(key.revision === 0 ? {} : { decidedAt }),
    configured: Object.values(account?.providers ?? {}).flatMap((stored) =>
      stored ? [stored.location] : [],
    ),
    horizonMonths: deps.decision.horizonMonths,
    minMonthlySavingsUsd: deps.decision.minMonthlySavingsUsd,
    minMoveMonthlySavingsUsd: deps.decision.minMoveMonthlySavingsUsd,
    patterns: deps.leftAlone,
  };
  const decision = decide(request);
  const { cloudAccountId } = source;
  return { key, decidedAt, request, decision, usage, reconciliations, cloudAccountId };
}

/** Everything that follows from a decision is stored before readers see it: each reads by its number. */
export async function storeDecision(
  deps: DecisionDeps,
  scan: ScanRecord,
  decided: DecidedScan,
): Promise<void> {
  const { key, decision, decidedAt, request, cloudAccountId } = decided;
  await deps.scanBuckets.decide(key, decision.buckets);
  deps.progress.report();
  await deps.recommendations.replaceRecommendations(key, toRecords(deps, scan, decided));
  deps.progress.report();
  const buckets = request.buckets.map(({ name }) => name);
  const by = { ...key, accountId: scan.accountId, connectionId: scan.connectionId, cloudAccountId };
  await updateMigrationWorkflows(deps, { ...by, buckets }, decidedAt);
}

/** Starts the workflows of a decision's moves, and ends those of superseded ones. */
export async function updateMigrationWorkflows(
  { recommendations, migrationCommands, progress }: DecisionDeps,
  by: SupersedingScan,
  now: Date,
): Promise<void> {
  await recommendations.supersede(by, now);
  const moves: RecommendationRecord[] = [];
  for await (const found of recommendations.ofScan(by))
    if (found.kind === 'move' && found.status === 'open') moves.push(found);
  await forEachConcurrently(moves, STARTED_AT_ONCE, async (move) => {
    await migrationCommands.startMigration(move);
    progress.report();
  });
  const superseded: RecommendationRecord[] = [];
  for await (const found of recommendations.supersededWithWorkflow(by.accountId))
    superseded.push(found);
  await forEachConcurrently(superseded, STARTED_AT_ONCE, async (earlier) => {
    await migrationCommands.dismiss(earlier);
    await recommendations.clearHasWorkflow(earlier.recommendationId);
    progress.report();
  });
}

function toRecords(
  { decision: settings }: DecisionDeps,
  { accountId, connectionId }: ScanRecord,
  { key, decidedAt, decision, request, cloudAccountId }: DecidedScan,
): RecommendationRecord[] {
  const { scanId, revision } = key;
  const { bill } = request.usage ?? NO_USAGE;
  const factors = priceFactors(bill, request.priceBook.billRegions);
  return decision.recommendations.map((recommendation) => ({
    ...recommendation,
    recommendationId: deriveRecommendationId(scanId, recommendation, revision),
    accountId,
    connectionId,
    cloudAccountId,
    source: request.source,
    scanId,
    revision,
    priceFactors: factorsOfRegion(factors, recommendation.region),
    status: 'open',
    expiresAt: addSeconds(decidedAt, settings.recommendationSeconds),
    approval: null,
  }));
}

/** What the scan says from this decision on, and what is different from the one before. */
export function describeDecision(
  deps: DecisionDeps,
  scan: Pick<ScanRecord, 'revisions'>,
  decided: DecidedScan,
  before: BeforeDecision | undefined,
): { readonly outcome: ScanRevise; readonly standing: Standing } {
  const { decision, decidedAt, key, request, usage } = decided;
  const { priceBook, decision: settings } = deps;
  const { currentMonthlyCostUsd, monthlySavingsUsd } = decision;
  const revision = {
    at: decidedAt,
    priceBook: priceBook.version,
    verdict: settings.withReport ? decision.report.verdict : null,
    currentMonthlyCostUsd,
    monthlySavingsUsd,
  };
  const standing = {
    ...revision,
    scanId: key.scanId,
    buckets: new Map(decision.buckets.map((each) => [each.name, each.currentMonthlyCostUsd])),
    recommendations: decision.recommendations.map((each) => ({
      ...each,
      recommendationId: deriveRecommendationId(key.scanId, each, key.revision),
    })),
  };
  const outcome = {
    summary: summarise(request.buckets, decision, usage?.gaps ?? []),
    decisionReport: settings.withReport ? decision.report : null,
    revisions: [...scan.revisions, revision],
    changes: before
      ? compareStandings(before.standing, standing, stepsFrom(before, decided))
      : NO_CHANGES,
    edition: priceBook.editionAt(decidedAt),
  };
  return { outcome, standing };
}

/** What people are to be told of a decision: where it matters to them. */
export function adviceEvents(
  deps: DecisionDeps,
  scan: ScanRecord,
  decided: DecidedScan,
  { before, after }: { readonly before: Standing | undefined; readonly after: Standing },
): readonly ServiceEvent[] {
  const noteworthy = new Set(findNoteworthy(before, after));
  const opened = toRecords(deps, scan, decided)
    .filter(({ recommendationId }) => noteworthy.has(recommendationId))
    .map((each) => openedRecommendation(each, decided.decidedAt));
  if (!before || !isVerdictChanged(before, after)) return opened;
  return [changedVerdict(scan, before, after), ...opened];
}

/** The decision before one, and the bill and metrics that it rests on. */
export interface BeforeDecision {
  readonly standing: Standing;
  readonly usage: UsageWork | undefined;
}

export async function readBefore(
  deps: DecisionDeps,
  scan: ScanRecord | undefined,
): Promise<BeforeDecision | undefined> {
  const revision = scan?.revisions.at(-1);
  if (!scan || !revision) return undefined;
  const key = { scanId: scan.scanId, revision: currentRevision(scan) };
  const recommendations = [];
  for await (const each of deps.recommendations.ofScan(key)) recommendations.push(each);
  const [buckets, usage] = await Promise.all([
    deps.scanBuckets.costs(key),
    deps.scanUsage.ofScan(scan.scanId),
  ]);
  return { standing: { ...revision, scanId: scan.scanId, buckets, recommendations }, usage };
}

/** The prices that apply are the book's and those of the customer's own bill. */
function stepsFrom({ standing, usage }: BeforeDecision, { key, request, decision }: DecidedScan) {
  if (standing.scanId === key.scanId) {
    return { objects: standing.buckets, reads: standing.buckets };
  }
  const then = usage ? toAccountUsage(usage) : NO_USAGE;
  const { metrics } = request.usage ?? NO_USAGE;
  if (decision.buckets.length === 0) return { objects: new Map(), reads: new Map() };
  return {
    objects: currentCosts({ ...request, usage: then }),
    reads: currentCosts({ ...request, usage: { bill: then.bill, metrics } }),
  };
}
