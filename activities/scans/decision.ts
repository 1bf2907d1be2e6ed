import type { SupersedingScan } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';
import { findNoteworthy, isVerdictChanged, type Standing } from '../../domain/scans/changes.ts';
import {
  decideReading,
  toRecords,
  type DecidedScan,
  type PreviousDecision,
  type RecommendationOwner,
} from '../../domain/scans/decided-scan.ts';
import {
  changedVerdict,
  openedRecommendation,
  type ServiceEvent,
} from '../../domain/webhooks/event.ts';
import { currentRevision, type DecisionKey, type ScanRecord } from '../../domain/scans/scan.ts';
import { findConnection } from '../../operations/connections/source.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import { forEachConcurrently } from '../../adapters/concurrently.ts';
import type { ScanContext } from '../contexts.ts';
import { withMigrations } from './realised-savings.ts';
import { withRoutedFiles } from './routed-buckets.ts';

const STARTED_AT_ONCE = 10;

/** A decision, with what else of the scan follows from it. */
export interface StoredReading extends DecidedScan {
  readonly reconciliations: readonly SourceReconciliation[];
  readonly owner: RecommendationOwner;
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
): Promise<StoredReading> {
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
  const reading = {
    key,
    provider: connection.provider,
    startedAt,
    decidedAt,
    buckets: withMigrations(buckets, reconciliations),
    usage,
    configured: Object.values(account?.providers ?? {}).flatMap((stored) =>
      stored ? [stored.location] : [],
    ),
  };
  const { connectionId } = scan;
  const { cloudAccountId } = source;
  const owner = { accountId, connectionId, cloudAccountId };
  return { ...decideReading(context, reading), reconciliations, owner };
}

/** What follows from a decision is stored before readers see it: each reads by its number. */
export async function storeDecision(context: ScanContext, decided: StoredReading): Promise<void> {
  const { key, decision, decidedAt, request, owner } = decided;
  await context.scanBuckets.decide(key, decision.buckets);
  context.progress.report();
  await context.recommendations.replaceRecommendations(key, toRecords(context, owner, decided));
  context.progress.report();
  const buckets = request.buckets.map(({ name }) => name);
  await updateMigrationWorkflows(context, { ...key, ...owner, buckets }, decidedAt);
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

/** The events of a decision, where it matters to people. */
export function adviceEvents(
  context: ScanContext,
  scan: ScanRecord,
  decided: StoredReading,
  previous: Standing | undefined,
  standing: Standing,
): readonly ServiceEvent[] {
  const noteworthy = new Set(findNoteworthy(previous, standing));
  const opened = toRecords(context, decided.owner, decided)
    .filter(({ recommendationId }) => noteworthy.has(recommendationId))
    .map((each) => openedRecommendation(each, decided.decidedAt));
  if (!previous || !isVerdictChanged(previous, standing)) return opened;
  return [changedVerdict(scan, previous, standing), ...opened];
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
