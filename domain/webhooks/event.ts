import { randomUUID } from 'node:crypto';
import { formatCount, formatMoney } from '../../shared/amounts.ts';
import type { DrillRecord } from '../drills/drill.ts';
import type { MigrationCounts } from '../migrations/counts.ts';
import type { Approval, MigrationRecord } from '../migrations/migration.ts';
import type { Release } from '../migrations/release.ts';
import type { Catalogue, StoreLocation } from '../providers/catalogue.ts';
import type { RecommendationRecord } from '../recommendations/recommendation.ts';
import type { Standing } from '../scans/changes.ts';
import type { RelocationRecord, RelocationStatus } from '../relocations/relocation.ts';
import type { ScanRecord, ScanSummary } from '../scans/scan.ts';
import type { FileRecord } from '../uploads/file.ts';

/** The events that a webhook can subscribe to. */
export const EVENT_TYPES = [
  'scan.completed',
  'scan.failed',
  'verdict.changed',
  'recommendation.opened',
  'migration.approved',
  'migration.ended',
  'release.ready',
  'provider.failing',
  'file.settled',
  'relocation.completed',
  'drill.completed',
] as const satisfies readonly EventType[];

/** Sent when a person asks for it. */
export const TEST_EVENT = 'webhook.test';

/** Events are kept, with their deliveries, for this time. */
export const EVENT_DAYS = 30;

/** Something that the webhooks of an account are notified of, once for each. */
export type ServiceEvent = ReturnType<
  | typeof completedScan
  | typeof failedScan
  | typeof changedVerdict
  | typeof openedRecommendation
  | typeof approvedMigration
  | typeof endedMigration
  | typeof readyRelease
  | typeof failingProvider
  | typeof settledFile
  | typeof completedRelocation
  | typeof completedDrill
  | typeof webhookTest
>;
export type EventType = ServiceEvent['type'];

/**
 * @param data ids, and what GET shows by the same names; no secret, and no URL that grants access.
 * Times as RFC 3339.
 */
function newEvent<const Type extends string, const Data extends object>(
  accountId: string,
  type: Type,
  at: Date,
  data: Data,
) {
  return { id: randomUUID(), accountId, type, at, data };
}

type ScanIds = Pick<ScanRecord, 'scanId' | 'accountId' | 'connectionId' | 'startedAt'>;

/** The data is as in the history. */
export function completedScan(
  { scanId, accountId, connectionId, startedAt }: ScanIds,
  standing: Standing,
  { objects, bytes }: ScanSummary,
  confidence: number | null,
) {
  const { currentMonthlyCostUsd, monthlySavingsUsd, verdict, at } = standing;
  return newEvent(accountId, 'scan.completed', at, {
    scanId,
    connectionId,
    status: 'completed',
    startedAt: startedAt.toISOString(),
    completedAt: at.toISOString(),
    objects,
    bytes,
    currentMonthlyCostUsd,
    monthlySavingsUsd,
    verdict,
    confidence,
  });
}

export function failedScan(
  { scanId, accountId, connectionId, startedAt }: ScanIds,
  error: ScanRecord['error'],
  completedAt: Date,
) {
  return newEvent(accountId, 'scan.failed', completedAt, {
    scanId,
    connectionId,
    status: 'failed',
    startedAt: startedAt.toISOString(),
    completedAt: completedAt.toISOString(),
    error,
  });
}

/** With the verdict before. */
export function changedVerdict(
  { accountId, connectionId }: ScanIds,
  before: Standing,
  after: Standing,
) {
  return newEvent(accountId, 'verdict.changed', after.at, {
    scanId: after.scanId,
    connectionId,
    at: after.at.toISOString(),
    ...verdictOf(after),
    since: { scanId: before.scanId, at: before.at.toISOString(), ...verdictOf(before) },
  });
}

function verdictOf(standing: Standing) {
  const { priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd } = standing;
  return { priceBook, verdict, currentMonthlyCostUsd, monthlySavingsUsd };
}

/** However it ended. */
export function completedRelocation(
  { relocationId, accountId, from, to, startedAt }: RelocationRecord,
  status: RelocationStatus,
  { copied, skipped, failed, bytesCopied }: MigrationCounts,
  completedAt: Date,
) {
  return newEvent(accountId, 'relocation.completed', completedAt, {
    relocationId,
    status,
    from,
    to,
    filesMoved: copied,
    filesSkipped: skipped,
    filesFailed: failed,
    bytesMoved: bytesCopied,
    startedAt: startedAt.toISOString(),
    completedAt: completedAt.toISOString(),
  });
}

/** However it ended. */
export function completedDrill(drill: DrillRecord, certificateSha256: string, at: Date) {
  const { drillId, accountId, status, from, to, sampled, results, removed, startedAt } = drill;
  return newEvent(accountId, 'drill.completed', at, {
    drillId,
    status,
    from,
    to,
    files: sampled?.files ?? 0,
    bytes: sampled?.bytes ?? 0,
    equal: results?.equal ?? 0,
    failed: results?.failed ?? 0,
    removed,
    certificateSha256,
    startedAt: startedAt.toISOString(),
    completedAt: at.toISOString(),
  });
}

export function openedRecommendation(recommendation: RecommendationRecord, at: Date) {
  return newEvent(recommendation.accountId, 'recommendation.opened', at, {
    recommendationId: recommendation.recommendationId,
    scanId: recommendation.scanId,
    connectionId: recommendation.connectionId,
    kind: recommendation.kind,
    bucket: recommendation.bucket,
    region: recommendation.region,
    selector: recommendation.selector,
    objects: recommendation.objects,
    bytes: recommendation.bytes,
    currentMonthlyCostUsd: recommendation.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: recommendation.optimalMonthlyCostUsd,
    monthlySavingsUsd: recommendation.monthlySavingsUsd,
    recommendedProvider: recommendation.recommendedProvider,
    recommendedStorageClass: recommendation.recommendedStorageClass,
    confidence: recommendation.confidence,
    status: recommendation.status,
    expiresAt: recommendation.expiresAt.toISOString(),
  });
}

export function approvedMigration(
  { recommendationId, accountId, bucket, region, selector, objects, bytes }: RecommendationRecord,
  { targetProvider, target, keyPrefix, quote, approvedBy, approvedByName, approvedAt }: Approval,
) {
  return newEvent(accountId, 'migration.approved', approvedAt, {
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
  });
}

export function endedMigration(
  { migrationId, accountId, round }: Pick<Release, 'migrationId' | 'accountId' | 'round'>,
  status: MigrationRecord['status'],
  { copied, skipped, failed, bytesCopied }: MigrationCounts,
  error: MigrationRecord['error'],
  completedAt: Date,
) {
  return newEvent(accountId, 'migration.ended', completedAt, {
    migrationId,
    recommendationId: migrationId,
    round,
    status,
    progress: {
      objectsCopied: copied,
      objectsSkipped: skipped,
      objectsFailed: failed,
      bytesCopied,
    },
    error,
    completedAt: completedAt.toISOString(),
  });
}

export function readyRelease(release: Release, checkedAt: Date) {
  const { migrationId, releaseId, round, objects, bytes } = release;
  return newEvent(release.accountId, 'release.ready', checkedAt, {
    migrationId,
    releaseId,
    round,
    status: 'ready',
    objects,
    bytes,
    checkedAt: checkedAt.toISOString(),
  });
}

export function failingProvider(
  accountId: string,
  catalogue: Catalogue,
  { provider, bucketName, region }: StoreLocation,
  at: Date,
) {
  const message = `${catalogue.titleOf(provider)} refused the credentials.`;
  const error = { code: 'provider_error', message };
  return newEvent(accountId, 'provider.failing', at, { provider, bucketName, region, error });
}

export function settledFile(file: FileRecord, status: FileRecord['status'], at: Date) {
  const { fileId, fileName, contentType, sizeBytes, location, createdAt } = file;
  return newEvent(file.accountId, 'file.settled', at, {
    fileId,
    status,
    fileName,
    contentType,
    fileSizeBytes: sizeBytes,
    provider: location.provider,
    createdAt: createdAt.toISOString(),
  });
}

export function webhookTest(accountId: string, webhookId: string, at: Date) {
  return newEvent(accountId, 'webhook.test', at, { webhookId });
}

/** An event for a person. */
export interface Announcement {
  readonly sentence: string;
  /** The path of the dashboard's page about it; empty: the first page. */
  readonly path: string;
}

export function announce({ type, data }: ServiceEvent): Announcement {
  switch (type) {
    case 'scan.completed':
      return {
        sentence: `An audit has completed: ${formatMoney(data.currentMonthlyCostUsd)} a month, of which ${formatMoney(data.monthlySavingsUsd)} can be saved.`,
        path: `/audit/scans/${data.scanId}`,
      };
    case 'scan.failed':
      return { sentence: 'An audit has failed.', path: `/audit/scans/${data.scanId}` };
    case 'verdict.changed':
      return {
        sentence: `The advice has changed: ${formatMoney(data.monthlySavingsUsd)} of ${formatMoney(data.currentMonthlyCostUsd)} a month can be saved.`,
        path: `/audit/scans/${data.scanId}`,
      };
    case 'recommendation.opened':
      return {
        sentence: `There is a new recommendation for the bucket ${data.bucket}: ${formatMoney(data.monthlySavingsUsd)} a month.`,
        path: `/recommendations/${data.recommendationId}`,
      };
    case 'migration.approved':
      return {
        sentence: `${data.approvedByName} has approved a move of ${formatCount(data.objects, 'object')} from the bucket ${data.bucket}.`,
        path: `/migrations/${data.migrationId}`,
      };
    case 'migration.ended':
      return {
        sentence: `A move has ended: ${data.status}.`,
        path: `/migrations/${data.migrationId}`,
      };
    case 'release.ready':
      return {
        sentence: `The source of a move is checked: ${formatCount(data.objects, 'object')} may be deleted.`,
        path: `/migrations/${data.migrationId}`,
      };
    case 'provider.failing':
      return { sentence: `The store ${data.provider} has refused its credentials.`, path: '' };
    case 'file.settled':
      return { sentence: `An upload was settled without a call: ${data.status}.`, path: '' };
    case 'relocation.completed':
      return {
        sentence: `A relocation from ${data.from.bucketName} to ${data.to.bucketName} has ended: ${data.status}.`,
        path: `/migrations/relocations/${data.relocationId}`,
      };
    case 'drill.completed':
      return {
        sentence: `An exit drill from ${data.from.bucketName} to ${data.to.bucketName} has ended: ${data.status}; ${formatCount(data.equal, 'object')} read back equal, ${data.failed} failed.`,
        path: `/drills/${data.drillId}`,
      };
    case 'webhook.test':
      return { sentence: 'This is a test.', path: '' };
  }
}
