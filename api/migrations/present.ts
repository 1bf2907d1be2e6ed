import type { ListedMigration } from '../../adapters/mongo/account-lists.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations.ts';
import { FAILURE_REASONS, type LedgerLine } from '../../domain/migration/object-ledger.ts';
import { notCarriedCounts, type MigrationCounts } from '../../domain/migration/counts.ts';
import type { Confirmed, MigrationRecord } from '../../domain/migration/migration.ts';
import {
  toPercent,
  storedProgress,
  type ConfirmedProgress,
} from '../../domain/migration/progress.ts';
import type { MigrationReportPart } from './report.ts';
import type { MigrationSnapshot } from './migrations.ts';

export function presentApproval({ recommendationId, approval }: ApprovedRecommendation) {
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

export function presentMigration(snapshot: MigrationSnapshot) {
  const { approved, record, status, progress, failures } = snapshot;
  const { recommendationId, bucket, region, selector, approval } = approved;
  const { target, keyPrefix, quote, approvedBy, approvedByName, approvedAt } = approval;
  return {
    migrationId: recommendationId,
    recommendationId,
    status,
    source: { bucket, region, selector },
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
      percent: record?.manifest ? toPercent(progress, status) : null,
      bytesPerSecond: snapshot.bytesPerSecond,
      etaSeconds: snapshot.etaSeconds,
    },
    failures: failures.map(presentFailure),
    notCarried: notCarriedCounts(progress.counts),
    realised: presentRealised(record?.realised),
    startedAt: record?.startedAt.toISOString() ?? null,
    updatedAt: snapshot.updatedAt.toISOString(),
    completedAt: record?.completedAt?.toISOString() ?? null,
    error: record?.error ?? null,
  };
}

export function presentMigrationLine(
  { approved, record }: ListedMigration,
  confirmed: ReadonlyMap<string, Confirmed>,
) {
  const { recommendationId, bucket, selector, approval, options } = approved;
  const { targetProvider, quote, approvedBy, approvedByName, approvedAt } = approval;
  const status = record?.status ?? 'queued';
  const progress = storedProgress(record, confirmed);
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
    percent: record?.manifest ? toPercent(progress, status) : null,
    quoteTotalUsd: quote.totalUsd,
    monthlySavingsUsd: option?.monthlySavingsUsd ?? approved.monthlySavingsUsd,
    approvedBy,
    approvedByName,
    approvedAt: approvedAt.toISOString(),
    completedAt: record?.completedAt?.toISOString() ?? null,
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
        ? part.lines.map(presentLine)
        : [presentTotals(part.record, part.counts)];
    yield documents.map((document) => `${JSON.stringify(document)}\n`).join('');
  }
}

function presentLine(line: LedgerLine) {
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
    at,
  };
}

function presentTotals(record: MigrationRecord, counts: MigrationCounts) {
  const { migrationId, status, manifest, acls, startedAt, completedAt } = record;
  const { objects: objectsTotal = 0, bytes: bytesTotal = 0 } = manifest ?? {};
  return {
    migrationId,
    status,
    ...presentProgress({ objectsTotal, bytesTotal, counts, bytesInFlight: 0 }),
    notCarried: notCarriedCounts(counts),
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
