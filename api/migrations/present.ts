import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import type { ListedMigration } from '../../adapters/mongo/recommendations/account-lists.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { FAILURE_REASONS, type LedgerLine } from '../../domain/migrations/object-ledger.ts';
import { notCarriedCounts } from '../../domain/migrations/counts.ts';
import type {
  Approval,
  Confirmed,
  EndedRound,
  MigrationProgress,
  MigrationRecord,
  MigrationStatus,
} from '../../domain/migrations/migration.ts';
import { endedRound, findRequest, latestRound } from '../../domain/migrations/rounds.ts';
import {
  toPercent,
  storedProgress,
  type ConfirmedProgress,
} from '../../domain/migrations/progress.ts';
import type { PlacementOption } from '../../domain/decision/types.ts';
import type { MigrationReportPart } from '../../operations/migrations/report.ts';
import type { MigrationSnapshot } from '../../operations/migrations/migrations.ts';
import { toView, type View } from '../http/route.ts';
import {
  ApprovalView,
  MigrationLineView,
  MigrationResult,
  ReportedObject,
  ReportedTotals,
  RoundView,
} from './schemas.ts';

export function presentApproval(approved: ApprovedRecommendation): View<typeof ApprovalView> {
  return toView(ApprovalView, { ...toFields(approved), status: 'queued' });
}

/** What every view of a migration has. */
function toFields(approved: ApprovedRecommendation) {
  const { recommendationId, approval } = approved;
  return { ...approval, ...migrationKeyOf(approved), recommendationId };
}

export function presentMigration(snapshot: MigrationSnapshot): View<typeof MigrationResult> {
  const { approved, record, latest, status, progress, bytesPerSecond, etaSeconds } = snapshot;
  const { bucket, region, selector, approval } = approved;
  const { provider, bucketName } = approval.target;
  return toView(MigrationResult, {
    ...toFields(approved),
    status,
    source: { provider: approval.source.provider, bucket, region, selector },
    target: { provider, bucketName, keyPrefix: approval.keyPrefix },
    progress: {
      ...presentProgress(progress),
      percent: latest?.manifest ? toPercent(progress, status) : null,
      bytesPerSecond,
      etaSeconds,
    },
    failures: snapshot.failures.map(presentFailure),
    notCarried: notCarriedCounts(progress.counts),
    realised: presentRealised(record?.realised),
    round: latestRound(approval),
    rounds: presentRounds(snapshot),
    startedAt: record?.startedAt ?? null,
    updatedAt: snapshot.updatedAt,
    completedAt: latest?.completedAt ?? null,
    error: latest?.error ?? null,
  });
}

/** A round at one moment. */
interface ShownRound extends Pick<EndedRound, 'number' | 'completedAt' | 'manifest' | 'counts'> {
  readonly status: MigrationStatus;
  readonly startedAt: Date | null;
}

function presentRounds({ approved, record, latest, status, progress }: MigrationSnapshot) {
  const { approval } = approved;
  const last: ShownRound = {
    number: latestRound(approval),
    status,
    startedAt: latest?.roundStartedAt ?? null,
    completedAt: latest?.completedAt ?? null,
    manifest: latest?.manifest ?? null,
    counts: progress.counts,
  };
  const earlier = record ? [...record.earlierRounds, ...(latest ? [] : [endedRound(record)])] : [];
  return [...earlier, last].map((round) => presentRound(approval, round));
}

/** Before the manifest of a round, and in the first round. */
const NOTHING_EARLIER = { unchanged: 0, gone: 0, released: 0, costUsd: 0 };

function presentRound(approval: Approval, round: ShownRound): View<typeof RoundView> {
  const { number, manifest, counts } = round;
  const request = findRequest(approval, { round: number });
  const { unchanged, gone, released, costUsd } = { ...NOTHING_EARLIER, ...manifest };
  return toView(RoundView, {
    ...round,
    objectsCopied: counts.copied,
    bytesCopied: counts.bytesCopied,
    objectsUnchanged: unchanged,
    objectsGone: gone,
    objectsReleased: released,
    objectsRemoved: counts.removed,
    objectsFailed: counts.failed,
    costUsd: request ? costUsd : approval.quote.totalUsd,
    startedBy: request?.startedBy ?? approval.approvedBy,
    startedByName: request?.startedByName ?? approval.approvedByName,
  });
}

/** The option that was approved: an approval names one of them. */
export function approvedOption({ options, approval }: ApprovedRecommendation): PlacementOption {
  const option = options.find(({ provider }) => provider === approval.targetProvider);
  if (!option) throw new Error('the approved option is missing');
  return option;
}

export function presentMigrationLine(
  { approved, record }: ListedMigration,
  confirmed: ReadonlyMap<string, Confirmed>,
): View<typeof MigrationLineView> {
  const { bucket, selector, approval } = approved;
  const latest = record?.round === latestRound(approval) ? record : undefined;
  const status = latest?.status ?? 'queued';
  const progress = storedProgress(latest, confirmed);
  return toView(MigrationLineView, {
    ...toFields(approved),
    ...progress,
    bucket,
    prefix: selector.prefix,
    status,
    percent: latest?.manifest ? toPercent(progress, status) : null,
    quoteTotalUsd: approval.quote.totalUsd,
    monthlySavingsUsd: approvedOption(approved).monthlySavingsUsd,
    completedAt: latest?.completedAt ?? null,
    realised: presentRealised(record?.realised),
  });
}

/** The report as NDJSON: one JSON document on each line. */
export async function* presentMigrationReport(
  parts: AsyncIterable<MigrationReportPart>,
): AsyncGenerator<string> {
  for await (const part of parts) {
    const documents =
      part.kind === 'lines'
        ? part.lines.map((line) => presentLine(line, part.round))
        : [presentTotals(part.record, part.progress)];
    yield documents.map((document) => `${JSON.stringify(document)}\n`).join('');
  }
}

function presentLine(line: LedgerLine, round: number): View<typeof ReportedObject> {
  return toView(ReportedObject, { ...line, round });
}

function presentTotals(
  record: MigrationRecord,
  progress: MigrationProgress,
): View<typeof ReportedTotals> {
  return toView(ReportedTotals, {
    ...record,
    ...presentProgress({ ...progress, bytesInFlight: 0 }),
    notCarried: notCarriedCounts(progress.counts),
  });
}

function presentProgress(progress: ConfirmedProgress) {
  const { objectsTotal, bytesTotal, counts, bytesInFlight } = progress;
  return {
    objectsTotal,
    objectsCopied: counts.copied,
    objectsSkipped: counts.skipped,
    objectsFailed: counts.failed,
    bytesTotal,
    bytesCopied: counts.bytesCopied + bytesInFlight,
  };
}

function presentFailure({ key, code = 'source_unavailable', attempts }: LedgerLine) {
  return { key, code, reason: FAILURE_REASONS[code], attempts };
}

function presentRealised(realised: MigrationRecord['realised'] | undefined) {
  if (!realised) return null;
  const { state, asOf, monthlyUsd } = realised;
  return { state, asOf: asOf.toISOString(), monthlyUsd };
}
