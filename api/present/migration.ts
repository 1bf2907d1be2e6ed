import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations.ts';
import { FAILURE_REASONS, type LedgerLine } from '../../domain/migration/object-ledger.ts';
import {
  notCarriedCounts,
  settledObjects,
  type MigrationCounts,
} from '../../domain/migration/counts.ts';
import type {
  MigrationProgress,
  MigrationRecord,
  MigrationStatus,
} from '../../domain/migration/migration.ts';
import { targetKeyOf } from '../../domain/migration/copying.ts';
import type { MigrationReportPart } from '../operations/migration-report.ts';
import type { MigrationSnapshot } from '../operations/migrations.ts';

export function presentApproval({ recommendationId, approval }: ApprovedRecommendation) {
  const { migrationId, targetProvider, quote, approvedBy, approvedAt } = approval;
  return {
    migrationId,
    recommendationId,
    targetProvider,
    status: 'queued',
    quote,
    approvedBy,
    approvedAt: approvedAt.toISOString(),
  };
}

export function presentMigration(snapshot: MigrationSnapshot) {
  const { approved, record, status, progress, failures, counts } = snapshot;
  const { recommendationId, bucket, region, selector, approval } = approved;
  const { migrationId, target, quote, approvedBy, approvedAt } = approval;
  return {
    migrationId,
    recommendationId,
    status,
    source: { bucket, region, selector },
    target: {
      provider: target.provider,
      bucketName: target.bucketName,
      keyPrefix: targetKeyOf(bucket, ''),
    },
    quote,
    approvedBy,
    approvedAt: approvedAt.toISOString(),
    progress: {
      ...presentProgress(progress),
      percent: record?.manifest ? percentOf(progress, status) : null,
      bytesPerSecond: snapshot.bytesPerSecond,
      etaSeconds: snapshot.etaSeconds,
    },
    failures: failures.map(presentFailure),
    notCarried: notCarriedCounts(counts),
    realised: presentRealised(record?.realised),
    startedAt: record?.startedAt.toISOString() ?? null,
    updatedAt: snapshot.updatedAt.toISOString(),
    completedAt: record?.completedAt?.toISOString() ?? null,
    error: record?.error ?? null,
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
    ...presentProgress({ objectsTotal, bytesTotal, counts }),
    notCarried: notCarriedCounts(counts),
    acls,
    startedAt: startedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}

function presentProgress({ objectsTotal, bytesTotal, counts }: MigrationProgress) {
  return {
    objectsTotal,
    objectsCopied: counts.copied,
    objectsSkipped: counts.skipped,
    objectsFailed: counts.failed,
    bytesTotal,
    bytesCopied: counts.bytesCopied,
  };
}

/** Whole percent, by bytes; by objects where no object holds a byte. 100 only where all are settled. */
function percentOf(progress: MigrationProgress, status: MigrationStatus): number {
  const { objectsTotal, bytesTotal, counts } = progress;
  const settled = settledObjects(counts);
  if (settled >= objectsTotal) return status === 'planning' ? 0 : 100;
  const [part, whole] =
    bytesTotal > 0 ? [counts.bytesSettled, bytesTotal] : [settled, objectsTotal];
  return Math.min(99, Math.floor((100 * part) / whole));
}

function presentFailure({ key, code = 'source_unavailable', attempts }: LedgerLine) {
  return { key, code, reason: FAILURE_REASONS[code], attempts };
}

function presentRealised(realised: MigrationRecord['realised'] | undefined) {
  if (!realised) return null;
  const { state, asOf, monthlyUsd } = realised;
  return { state, asOf: asOf.toISOString(), monthlyUsd };
}
