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
import type { MigrationReportPart } from '../../operations/migrations/report.ts';
import type { MigrationSnapshot } from '../../operations/migrations/migrations.ts';
import type { View } from '../http/route.ts';
import type {
  ApprovalView,
  MigrationLineView,
  MigrationResult,
  ReportedObject,
  ReportedTotals,
  RoundView,
} from './schemas.ts';

export function presentApproval({
  recommendationId,
  approval,
}: ApprovedRecommendation): View<typeof ApprovalView> {
  const { targetProvider, quote, approvedBy, approvedByName, approvedAt } = approval;
  return {
    migrationId: recommendationId,
    recommendationId,
    targetProvider,
    status: 'queued',
    quote,
    approvedBy,
    approvedByName,
    approvedAt: approvedAt.toISOString(),
  };
}

export function presentMigration(snapshot: MigrationSnapshot): View<typeof MigrationResult> {
  const { approved, record, latest, status, progress, failures } = snapshot;
  const { recommendationId, bucket, region, selector, approval } = approved;
  const { target, keyPrefix, quote, approvedBy, approvedByName, approvedAt } = approval;
  return {
    migrationId: recommendationId,
    recommendationId,
    status,
    source: { provider: approval.source.provider, bucket, region, selector },
    target: {
      provider: target.provider,
      bucketName: target.bucketName,
      keyPrefix,
    },
    quote,
    approvedBy,
    approvedByName,
    approvedAt: approvedAt.toISOString(),
    progress: {
      ...presentProgress(progress),
      percent: latest?.manifest ? toPercent(progress, status) : null,
      bytesPerSecond: snapshot.bytesPerSecond,
      etaSeconds: snapshot.etaSeconds,
    },
    failures: failures.map(presentFailure),
    notCarried: notCarriedCounts(progress.counts),
    realised: presentRealised(record?.realised),
    round: latestRound(approval),
    rounds: presentRounds(snapshot),
    startedAt: record?.startedAt.toISOString() ?? null,
    updatedAt: snapshot.updatedAt.toISOString(),
    completedAt: latest?.completedAt?.toISOString() ?? null,
    error: latest?.error ?? null,
  };
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

function presentRound(approval: Approval, round: ShownRound): View<typeof RoundView> {
  const { number, status, startedAt, completedAt, manifest, counts } = round;
  const request = findRequest(approval, { round: number });
  return {
    number,
    status,
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    objectsCopied: counts.copied,
    bytesCopied: counts.bytesCopied,
    objectsUnchanged: manifest?.unchanged ?? 0,
    objectsGone: manifest?.gone ?? 0,
    objectsReleased: manifest?.released ?? 0,
    objectsRemoved: counts.removed,
    objectsFailed: counts.failed,
    costUsd: request ? (manifest?.costUsd ?? 0) : approval.quote.totalUsd,
    startedBy: request?.startedBy ?? approval.approvedBy,
    startedByName: request?.startedByName ?? approval.approvedByName,
  };
}

export function presentMigrationLine(
  { approved, record }: ListedMigration,
  confirmed: ReadonlyMap<string, Confirmed>,
): View<typeof MigrationLineView> {
  const { recommendationId, bucket, selector, approval, options } = approved;
  const { targetProvider, quote, approvedBy, approvedByName, approvedAt } = approval;
  const latest = record?.round === latestRound(approval) ? record : undefined;
  const status = latest?.status ?? 'queued';
  const progress = storedProgress(latest, confirmed);
  const option = options.find(({ provider }) => provider === targetProvider);
  return {
    migrationId: recommendationId,
    recommendationId,
    bucket,
    prefix: selector.prefix,
    targetProvider,
    status,
    objectsTotal: progress.objectsTotal,
    bytesTotal: progress.bytesTotal,
    percent: latest?.manifest ? toPercent(progress, status) : null,
    quoteTotalUsd: quote.totalUsd,
    monthlySavingsUsd: option?.monthlySavingsUsd ?? approved.monthlySavingsUsd,
    approvedBy,
    approvedByName,
    approvedAt: approvedAt.toISOString(),
    completedAt: latest?.completedAt?.toISOString() ?? null,
    realised: presentRealised(record?.realised),
  };
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
  const { key, targetKey, bytes, sourceEtag, sha256, targetEtag, outcome } = line;
  const { replaced, code, attempts, at } = line;
  return {
    key,
    targetKey,
    bytes,
    sourceEtag,
    sha256,
    targetEtag,
    outcome,
    ...(replaced === undefined ? {} : { replaced }),
    ...(code === undefined ? {} : { code }),
    attempts,
    round,
    at,
  };
}

function presentTotals(
  record: MigrationRecord,
  progress: MigrationProgress,
): View<typeof ReportedTotals> {
  const { migrationId, status, acls, startedAt, completedAt } = record;
  return {
    migrationId,
    status,
    ...presentProgress({ ...progress, bytesInFlight: 0 }),
    notCarried: notCarriedCounts(progress.counts),
    acls,
    startedAt: startedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
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
