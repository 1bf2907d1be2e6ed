import type { MigrationRecord } from '../migrations/migration.ts';
import type { MigrationCounts } from '../migrations/counts.ts';
import type { Release } from '../migrations/release.ts';
import type { Catalogue, StoreLocation } from '../providers/catalogue.ts';
import type { Approval } from '../migrations/migration.ts';
import type { RecommendationRecord } from '../recommendations/recommendation.ts';
import type { Standing } from '../scans/changes.ts';
import type { ScanRecord, ScanSummary } from '../scans/scan.ts';
import type { FileRecord } from '../uploads/file.ts';
import type { EventData } from './event.ts';

/** The data of each event: ids, and what GET shows of them by its names. Times as RFC 3339. */

type ScanIds = Pick<ScanRecord, 'scanId' | 'connectionId' | 'startedAt'>;

/** As in the history. */
export function completedScan(
  { scanId, connectionId, startedAt }: ScanIds,
  standing: Standing,
  { objects, bytes }: ScanSummary,
  confidence: number | null,
): EventData {
  const { currentMonthlyCostUsd, monthlySavingsUsd, verdict, at } = standing;
  const amounts = { currentMonthlyCostUsd, monthlySavingsUsd, verdict, confidence };
  const times = { startedAt: startedAt.toISOString(), completedAt: at.toISOString() };
  return { scanId, connectionId, status: 'completed', ...times, objects, bytes, ...amounts };
}

export function failedScan(
  { scanId, connectionId, startedAt }: ScanIds,
  error: ScanRecord['error'],
  completedAt: Date,
): EventData {
  const times = { startedAt: startedAt.toISOString(), completedAt: completedAt.toISOString() };
  return { scanId, connectionId, status: 'failed', ...times, error };
}

/** With what was said before. */
export function changedVerdict(
  connectionId: string,
  before: Standing,
  { scanId, at, ...standing }: Standing,
): EventData {
  return {
    scanId,
    connectionId,
    at: at.toISOString(),
    ...verdictOf(standing),
    since: { scanId: before.scanId, at: before.at.toISOString(), ...verdictOf(before) },
  };
}

function verdictOf(standing: Omit<Standing, 'scanId' | 'at'>) {
  const { priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd } = standing;
  return { priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd };
}

export function openedRecommendation({
  recommendationId,
  scanId,
  connectionId,
  expiresAt,
  ...recommendation
}: RecommendationRecord): EventData {
  const { kind, bucket, region, selector, objects, bytes, confidence, status } = recommendation;
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd } = recommendation;
  const { recommendedProvider, recommendedStorageClass } = recommendation;
  return {
    recommendationId,
    scanId,
    connectionId,
    kind,
    bucket,
    region,
    selector,
    objects,
    bytes,
    currentMonthlyCostUsd,
    optimalMonthlyCostUsd,
    monthlySavingsUsd,
    recommendedProvider,
    recommendedStorageClass,
    confidence,
    status,
    expiresAt: expiresAt.toISOString(),
  };
}

export function approvedMigration(
  { recommendationId, bucket, region, selector, objects, bytes }: RecommendationRecord,
  { targetProvider, quote, approvedBy, approvedByName, approvedAt, ...approval }: Approval,
): EventData {
  const { target, keyPrefix } = approval;
  return {
    migrationId: recommendationId,
    recommendationId,
    bucket,
    source: { bucket, region, selector },
    target: { provider: target.provider, bucketName: target.bucketName, keyPrefix },
    targetProvider,
    objects,
    bytes,
    quote,
    approvedBy,
    approvedByName,
    approvedAt: approvedAt.toISOString(),
  };
}

export function endedMigration(
  { migrationId, round = 1 }: { readonly migrationId: string; readonly round?: number },
  status: MigrationRecord['status'],
  { copied, skipped, failed, bytesCopied }: MigrationCounts,
  error: MigrationRecord['error'],
  completedAt: Date,
): EventData {
  const progress = {
    objectsCopied: copied,
    objectsSkipped: skipped,
    objectsFailed: failed,
    bytesCopied,
  };
  const at = completedAt.toISOString();
  return {
    migrationId,
    recommendationId: migrationId,
    round,
    status,
    progress,
    error,
    completedAt: at,
  };
}

export function readyRelease(
  {
    migrationId,
    releaseId,
    round,
    objects,
    bytes,
  }: Pick<Release, 'migrationId' | 'releaseId' | 'round' | 'objects' | 'bytes'>,
  checkedAt: Date,
): EventData {
  const shown = { migrationId, releaseId, round, status: 'ready', objects, bytes };
  return { ...shown, checkedAt: checkedAt.toISOString() };
}

export function failingProvider(
  catalogue: Catalogue,
  { provider, bucketName, region }: StoreLocation,
): EventData {
  const message = `${catalogue.titleOf(provider)} refused the credentials.`;
  return { provider, bucketName, region, error: { code: 'provider_error', message } };
}

export function settledFile(
  { fileId, fileName, contentType, sizeBytes, location, createdAt }: FileRecord,
  status: FileRecord['status'],
): EventData {
  const { provider } = location;
  const created = createdAt.toISOString();
  return {
    fileId,
    status,
    fileName,
    contentType,
    fileSizeBytes: sizeBytes,
    provider,
    createdAt: created,
  };
}
