import type { SupersedingScan } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { DecisionKey } from '../../adapters/mongo/scans/scan-buckets.ts';
import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import { toAccountUsage, type UsageWork } from '../../adapters/mongo/scans/scan-usage.ts';
import type { ScanRevise } from '../../adapters/mongo/scans/scans.ts';
import { NO_USAGE } from '../../domain/bill/bill.ts';
import { factorsOfRegion, priceFactors } from '../../domain/bill/price-factors.ts';
import type { Decision, DecisionRequest } from '../../domain/decision/types.ts';
import { currentCosts, decide } from '../../domain/decision/decide.ts';
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
import type { ScanContext } from '../contexts.ts';
import { withMigrations } from './realised-savings.ts';
import { withRoutedFiles } from './routed-buckets.ts';
import { summarise } from './summary.ts';

const STARTED_AT_ONCE = 10;

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
 * Decides by what a scan has read: as it completes, or again with another price book. What a move
 * that was approved meanwhile covers is not recommended again.
 *
 * @throws AppError `connection_not_found`
 */
export async function decideScan(
  context: ScanContext,
  scan: ScanRecord,
  key: DecisionKey,
  decidedAt: Date,
): Promise<DecidedScan> {
  const { scanId, accountId, startedAt } = scan;
  const [account, connection, reconciliations, usage] = await Promise.all([
    context.accounts.findAccount(accountId),
    findConnection(context, scan),
    context.sourceReconciliations.ofScan(scanId),
    context.scanUsage.ofScan(scanId),
  ]);
  const source = sourceAccount(connection);
  const approved =
    key.revision === 0 ? [] : await context.recommendations.approvedSince(source, startedAt);
  const buckets = [];
  for await (const inventory of context.scanBuckets.inventories(scanId)) {
    const prefixes = approved
      .filter(({ bucket }) => bucket === inventory.name)
      .map(({ selector }) => selector.prefix);
    const routed = await withRoutedFiles(context, connection, account, inventory);
    buckets.push(prefixes.length === 0 ? routed : { ...routed, approved: prefixes });
    context.progress.report();
  }
  const request: DecisionRequest = {
    buckets: withMigrations(buckets, reconciliations).sort((a, b) => compareKeys(a.name, b.name)),
    source: connection.provider,
    priceBook: context.priceBook,
    usage: usage ? toAccountUsage(usage) : NO_USAGE,
    startedAt,
    ...(key.revision === 0 ? {} : { decidedAt }),
    configured: Object.values(account?.providers ?? {}).flatMap((stored) =>
      stored ? [stored.location] : [],
    ),
    horizonMonths: context.decision.horizonMonths,
    minMonthlySavingsUsd: context.decision.minMonthlySavingsUsd,
    minMoveMonthlySavingsUsd: context.decision.minMoveMonthlySavingsUsd,
    patterns: context.leftAlone,
  };
  const decision = decide(request);
  const { cloudAccountId } = source;
  return { key, decidedAt, request, decision, usage, reconciliations, cloudAccountId };
}

/** What follows from a decision is stored before readers see it: each reads by its number. */
export async function storeDecision(
  context: ScanContext,
  scan: ScanRecord,
  decided: DecidedScan,
): Promise<void> {
  const { key, decision, decidedAt, request, cloudAccountId } = decided;
  await context.scanBuckets.decide(key, decision.buckets);
  context.progress.report();
  await context.recommendations.replaceRecommendations(key, toRecords(context, scan, decided));
  context.progress.report();
  const buckets = request.buckets.map(({ name }) => name);
  const by = { ...key, accountId: scan.accountId, connectionId: scan.connectionId, cloudAccountId };
  await updateMigrationWorkflows(context, { ...by, buckets }, decidedAt);
}

/** Starts the workflows of a decision's moves, and ends those of superseded ones. */
export async function updateMigrationWorkflows(
  { recommendations, migrationCommands, progress }: ScanContext,
  by: SupersedingScan,
  now: Date,
): Promise<void> {
  await recommendations.supersede(by, now);
  const moves: RecommendationRecord[] = [];
  for await (const each of recommendations.ofScan(by))
    if (each.kind === 'move' && each.status === 'open') moves.push(each);
  await forEachConcurrently(moves, STARTED_AT_ONCE, async (move) => {
    await migrationCommands.startMigration(move);
    progress.report();
  });
  const superseded: RecommendationRecord[] = [];
  for await (const each of recommendations.supersededWithWorkflow(by.accountId))
    superseded.push(each);
  await forEachConcurrently(superseded, STARTED_AT_ONCE, async (earlier) => {
    await migrationCommands.dismiss(earlier);
    await recommendations.clearHasWorkflow(earlier.recommendationId);
    progress.report();
  });
}

function toRecords(
  { decision: settings }: ScanContext,
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
  context: ScanContext,
  scan: Pick<ScanRecord, 'revisions'>,
  decided: DecidedScan,
  previous: PreviousDecision | undefined,
): { readonly outcome: ScanRevise; readonly standing: Standing } {
  const { decision, decidedAt, key, request, usage } = decided;
  const { priceBook, decision: settings } = context;
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
    changes: previous
      ? compareStandings(previous.standing, standing, stepsFrom(previous, decided))
      : NO_CHANGES,
    edition: priceBook.editionAt(decidedAt),
  };
  return { outcome, standing };
}

/** The events of a decision, where it matters to people. */
export function adviceEvents(
  context: ScanContext,
  scan: ScanRecord,
  decided: DecidedScan,
  previous: Standing | undefined,
  standing: Standing,
): readonly ServiceEvent[] {
  const noteworthy = new Set(findNoteworthy(previous, standing));
  const opened = toRecords(context, scan, decided)
    .filter(({ recommendationId }) => noteworthy.has(recommendationId))
    .map((each) => openedRecommendation(each, decided.decidedAt));
  if (!previous || !isVerdictChanged(previous, standing)) return opened;
  return [changedVerdict(scan, previous, standing), ...opened];
}

export interface PreviousDecision {
  readonly standing: Standing;
  readonly usage: UsageWork | undefined;
}

export async function readDecision(
  context: ScanContext,
  scan: ScanRecord | undefined,
): Promise<PreviousDecision | undefined> {
  const revision = scan?.revisions.at(-1);
  if (!scan || !revision) return undefined;
  const key = { scanId: scan.scanId, revision: currentRevision(scan) };
  const recommendations = [];
  for await (const each of context.recommendations.ofScan(key)) recommendations.push(each);
  const [buckets, usage] = await Promise.all([
    context.scanBuckets.costs(key),
    context.scanUsage.ofScan(scan.scanId),
  ]);
  return { standing: { ...revision, scanId: scan.scanId, buckets, recommendations }, usage };
}

/** The prices that apply are the book's and those of the customer's own bill. */
function stepsFrom({ standing, usage }: PreviousDecision, { key, request, decision }: DecidedScan) {
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
