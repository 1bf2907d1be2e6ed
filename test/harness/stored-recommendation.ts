import { randomUUID } from 'node:crypto';
import type { ScanOutcome } from '../../domain/scans/scan.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import { NO_CHANGES } from '../../domain/scans/changes.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';

/** A move of a whole bucket. */
export type MoveToInsert = Pick<RecommendationRecord, 'accountId'> &
  Partial<Pick<RecommendationRecord, 'bucket' | 'region' | 'objects' | 'bytes'>>;

const NO_REQUESTS = { list: 0, other: 0, costUsd: 0 };
/** Of a scan that found nothing else. */
const OUTCOME: ScanOutcome = {
  progress: { bucketsTotal: 0, bucketsDone: 0, objects: 0, bytes: 0 },
  requests: NO_REQUESTS,
  summary: {
    buckets: 0,
    objects: 0,
    bytes: 0,
    currentMonthlyCostUsd: 0,
    optimalMonthlyCostUsd: 0,
    monthlySavingsUsd: 0,
    workloadProfile: 'active',
    findings: [],
    coverage: [],
  },
  decisionReport: null,
  revisions: [],
  changes: NO_CHANGES,
  edition: 'none',
};

/** A recommended move to `b2`, of objects for which none would have been recommended. */
export function recordOfMove(
  move: MoveToInsert,
  overrides: Partial<RecommendationRecord> = {},
): RecommendationRecord {
  const source = { egressUsd: 0, sourceRequestsUsd: 0, retrievalUsd: 0, earlyDeletionUsd: 0 };
  const target = { destinationRequestsUsd: 0, transitionUsd: 0 };
  const quote = { ...source, ...target, totalUsd: 1e6, totalWithExitWaiverUsd: 1e6 };
  const whole = { bucket: `bucket-${randomUUID()}`, region: 'us-east-1', objects: 1, bytes: 1 };
  const ages = { minAgeDays: null, maxAgeDays: null };
  return {
    recommendationId: randomUUID(),
    ...whole,
    ...move,
    connectionId: randomUUID(),
    cloudAccountId: '111122223333',
    scanId: randomUUID(),
    revision: 0,
    kind: 'move',
    selector: { prefix: null, storageClass: null, ...ages, minSizeBytes: null },
    currentMonthlyCostUsd: 1,
    optimalMonthlyCostUsd: 0,
    monthlySavingsUsd: 1,
    recommendedProvider: 'b2',
    recommendedStorageClass: 'STANDARD',
    options: [
      {
        provider: 'b2',
        storageClass: 'STANDARD',
        configured: true,
        blockers: [],
        monthlyCostUsd: 0,
        monthlySavingsUsd: 1,
        placedMonthlyUsd: { none: 0, expected: 0, heavy: 0, inside: 0 },
        quote,
        breakEvenMonths: null,
        breakEvenMonthsWithExitWaiver: null,
        waiting: null,
      },
    ],
    confidence: 0.9,
    reasons: [],
    scenarios: [],
    arrivals: null,
    oneOffUsd: null,
    risks: [],
    blockers: [],
    howTo: null,
    status: 'open',
    expiresAt: new Date(Date.now() + 86_400_000),
    approval: null,
    ...overrides,
  };
}

/** Stores a completed scan that found nothing. Returns its id. */
export async function storeScan(
  { scans }: Pick<Records, 'scans'>,
  accountId: string,
  { scanId, connectionId } = {
    scanId: randomUUID() as string,
    connectionId: randomUUID() as string,
  },
): Promise<string> {
  const now = new Date();
  await scans.insertQueued({ scanId, accountId, connectionId, provider: 'aws', startedAt: now });
  await scans.saveBucketList(scanId, [], NO_REQUESTS);
  await scans.complete(scanId, OUTCOME, now);
  return scanId;
}

/** Stores a recommended move to `b2` as a scan would. Returns its id. */
export async function insertMove(records: Records, move: MoveToInsert): Promise<string> {
  const recommendation = recordOfMove(move);
  const scanId = await storeScan(records, recommendation.accountId, recommendation);
  await records.recommendations.replaceRecommendations({ scanId, revision: 0 }, [recommendation]);
  return recommendation.recommendationId;
}
