import type { PageProgress } from '../../adapters/mongo/manifests.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations.ts';
import {
  FAILURE_REASONS,
  NOT_CARRIED,
  type LedgerLine,
} from '../../domain/migration/object-ledger.ts';
import type {
  MigrationProgress,
  MigrationRecord,
  MigrationStatus,
} from '../../domain/migration/migration.ts';
import { targetKeyOf } from '../../domain/migration/copying.ts';

/** What a migration's answer is made of. */
export interface MigrationParts {
  readonly approved: ApprovedRecommendation;
  /** Undefined while it is queued. */
  readonly record: MigrationRecord | undefined;
  readonly status: MigrationStatus;
  readonly progress: MigrationProgress;
  readonly bytesPerSecond: number;
  readonly etaSeconds: number | null;
  readonly failures: readonly LedgerLine[];
  /** What the ledger adds up to. */
  readonly settled: PageProgress;
  readonly updatedAt: Date;
}

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

export function presentMigration(parts: MigrationParts) {
  const { approved, record, status, progress, failures, settled } = parts;
  const { recommendationId, bucket, region, selector, approval } = approved;
  const { migrationId, target, quote, approvedBy, approvedAt } = approval;
  const { bytesSettled: _settled, ...shown } = progress;
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
      ...shown,
      percent: record?.manifest ? percentOf(progress, status) : null,
      bytesPerSecond: parts.bytesPerSecond,
      etaSeconds: parts.etaSeconds,
    },
    failures: failures.map(presentFailure),
    notCarried: presentNotCarried(settled),
    realised: presentRealised(record?.realised),
    startedAt: record?.startedAt.toISOString() ?? null,
    updatedAt: parts.updatedAt.toISOString(),
    completedAt: record?.completedAt?.toISOString() ?? null,
    error: record?.error ?? null,
  };
}

/** A line of the evidence. */
export function presentLine(line: LedgerLine) {
  const { key, targetKey, bytes, sourceEtag, sha256, targetEtag, outcome, code, attempts, at } =
    line;
  return {
    key,
    targetKey,
    bytes,
    sourceEtag,
    sha256,
    targetEtag,
    outcome,
    ...(code === undefined ? {} : { code }),
    attempts,
    at,
  };
}

/** The last line of the evidence. */
export function presentSum(record: MigrationRecord, settled: PageProgress) {
  const { migrationId, status, acls, startedAt, completedAt } = record;
  const { bytesSettled: _settled, ...shown } = storedProgress(record, settled);
  return {
    migrationId,
    status,
    ...shown,
    notCarried: presentNotCarried(settled),
    acls,
    startedAt: startedAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}

/** How far a migration has come by what is stored of it. */
export function storedProgress(
  record: MigrationRecord | undefined,
  settled: PageProgress,
): MigrationProgress {
  return {
    objectsTotal: record?.manifest?.objects ?? 0,
    objectsCopied: settled.copied,
    objectsSkipped: settled.skipped,
    objectsFailed: settled.failed,
    bytesTotal: record?.manifest?.bytes ?? 0,
    bytesCopied: settled.bytesCopied,
    bytesSettled: settled.bytesSettled,
  };
}

/** Where nothing holds a byte, by objects. */
function percentOf(progress: MigrationProgress, status: MigrationStatus): number {
  const { objectsTotal, objectsCopied, objectsSkipped, objectsFailed } = progress;
  const settled = objectsCopied + objectsSkipped + objectsFailed;
  if (settled >= objectsTotal) return status === 'planning' ? 0 : 100;
  const [part, whole] =
    progress.bytesTotal > 0
      ? [progress.bytesSettled, progress.bytesTotal]
      : [settled, objectsTotal];
  return Math.min(99, Math.floor((100 * part) / whole));
}

function presentFailure({ key, code = 'source_unavailable', attempts }: LedgerLine) {
  return { key, code, reason: FAILURE_REASONS[code], attempts };
}

function presentNotCarried(settled: PageProgress) {
  return NOT_CARRIED.map((what) => ({ what, objects: settled[what] })).filter(
    ({ objects }) => objects > 0,
  );
}

function presentRealised(realised: MigrationRecord['realised'] | undefined) {
  if (!realised) return null;
  const { state, asOf, monthlyUsd } = realised;
  return { state, asOf: asOf.toISOString(), monthlyUsd };
}
