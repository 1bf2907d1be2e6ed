import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import {
  addRequests,
  currentRevision,
  type DecisionKey,
  type ScannedBucket,
  type ScanRecord,
} from '../../domain/scans/scan.ts';
import type { ScanChanges } from '../../domain/scans/changes.ts';
import {
  showRecommendations,
  type RecommendationContextDeps,
  type ShownRecommendation,
} from '../recommendations/recommendation-context.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { ScanLine } from '../../adapters/mongo/scans/scans.ts';
import type { NewScan } from '../../adapters/temporal/scan-commands.ts';
import type { ShownBucket } from '../../messages/scan.ts';
import { beginScan, type StartScanDeps } from './start-scan.ts';
import type { Deps } from '../common/deps.ts';
import { findConnection } from '../connections/source.ts';

export type ScanDeps = RecommendationContextDeps &
  StartScanDeps &
  Deps<'connections' | 'scanBuckets' | 'activities' | 'now' | 'onBackgroundError'>;

/** A scan at one moment. */
export interface ScanSnapshot {
  readonly scan: ScanRecord;
  readonly source: 'live' | 'stored';
  /**
   * Streamed, because together they may not fit in memory. By name in UTF-8 order; empty until the
   * scan has completed, like the recommendations.
   */
  readonly buckets: AsyncIterable<ScannedBucket>;
  readonly recommendations: AsyncIterable<ShownRecommendation>;
  /** Recommendations that expired before this time are shown as expired. */
  readonly now: Date;
}

const HISTORY_SECONDS = 90 * 86_400;
const HISTORY_LIMIT = 100;

/**
 * Starts a scan of a connection.
 *
 * @throws AppError `connection_not_found`, `scan_already_running`, `plan_limit`
 */
export async function startScan(
  deps: ScanDeps,
  account: Account,
  actor: Actor,
  connectionId: string,
): Promise<NewScan> {
  const { accountId } = account;
  const { provider } = await findConnection(deps, { connectionId, accountId });
  const scan = { scanId: randomUUID(), accountId, connectionId, provider, startedAt: deps.now() };
  await beginScan(deps, account, scan);
  const activity = describeActivity(actor, 'scan.started', scan.scanId, scan.startedAt);
  await deps.scans.noteStart(scan.scanId, activity);
  await deps.activities.publish('scans', scan.scanId).catch(deps.onBackgroundError);
  return scan;
}

/** @throws AppError `scan_not_found` */
export async function getScan(
  deps: ScanDeps,
  account: Account,
  scanId: string,
): Promise<ScanSnapshot> {
  const before = await findScan(deps, account, scanId);
  const view = isUnfinished(before) ? await deps.scanCommands.view(before) : undefined;
  const nothing = { buckets: none(), recommendations: none(), now: deps.now() };
  if (view) return { ...nothing, scan: { ...before, ...view }, source: 'live' };
  // The scan may have ended during the query.
  const scan = isUnfinished(before) ? await findScan(deps, account, scanId) : before;
  const stored = isUnfinished(scan)
    ? await readProgress(deps, scan)
    : readResult(deps, account, scan);
  return { ...nothing, source: 'stored', ...stored };
}

/**
 * The latest buckets of a running scan, the newest first. Empty if it has ended or no worker
 * answers.
 *
 * @throws AppError `scan_not_found`
 */
export async function getLatestBuckets(
  deps: ScanDeps,
  account: Account,
  scanId: string,
): Promise<readonly ShownBucket[]> {
  const scan = await findScan(deps, account, scanId);
  if (!isUnfinished(scan)) return [];
  return (await deps.scanCommands.latestBuckets(scan)) ?? [];
}

/** @throws AppError `scan_not_found`, `scan_not_completed` */
export async function getCompletedScan(
  deps: ScanDeps,
  account: Account,
  scanId: string,
): Promise<ScanSnapshot> {
  const { status } = await findScan(deps, account, scanId);
  if (status !== 'completed') throw new AppError('scan_not_completed');
  return await getScan(deps, account, scanId);
}

/**
 * What is different from the connection's decision before.
 *
 * @throws AppError `scan_not_found`, `scan_not_completed`
 */
export async function getChanges(
  deps: Pick<ScanDeps, 'scans'>,
  account: Account,
  scanId: string,
): Promise<ScanChanges> {
  const { changes } = await findScan(deps, account, scanId);
  if (!changes) throw new AppError('scan_not_completed');
  return changes;
}

/** Whose buckets a scan read: AWS account or store; null if its connection was removed. */
export async function findSourceAccount(
  { connections }: Pick<ScanDeps, 'connections'>,
  { connectionId, accountId }: ScanRecord,
): Promise<string | null> {
  const connection = await connections.findConnection({ connectionId, accountId });
  return connection ? sourceAccount(connection).cloudAccountId : null;
}

/** The scans of the last 90 days, the newest first, at most 100. */
export async function listScans(
  { scans, now }: ScanDeps,
  { accountId }: Account,
): Promise<ScanLine[]> {
  return await scans.listScans(accountId, addSeconds(now(), -HISTORY_SECONDS), HISTORY_LIMIT);
}

async function findScan(
  { scans }: Pick<ScanDeps, 'scans'>,
  { accountId }: Account,
  scanId: string,
): Promise<ScanRecord> {
  const scan = await scans.findScan({ scanId, accountId });
  if (!scan) throw new AppError('scan_not_found');
  return scan;
}

async function readProgress({ scanBuckets }: ScanDeps, scan: ScanRecord) {
  const { bucketsDone, sum } = await scanBuckets.progress(scan.scanId);
  const { objects, bytes, ...requests } = sum;
  return {
    scan: {
      ...scan,
      progress: { ...scan.progress, bucketsDone, objects, bytes },
      requests: addRequests(scan.requests, requests),
    },
  };
}

function readResult(deps: ScanDeps, account: Account, scan: ScanRecord) {
  if (scan.status !== 'completed') return { scan };
  const key = { scanId: scan.scanId, revision: currentRevision(scan) };
  return {
    scan,
    buckets: deps.scanBuckets.results(key),
    recommendations: readRecommendations(deps, account, key),
  };
}

async function* readRecommendations(
  deps: ScanDeps,
  account: Account,
  key: DecisionKey,
): AsyncGenerator<ShownRecommendation> {
  const now = deps.now();
  for await (const recommendation of deps.recommendations.ofScan(key))
    yield* await showRecommendations(deps, account, [recommendation], now);
}

async function* none(): AsyncGenerator<never> {}

function isUnfinished({ status }: ScanRecord): boolean {
  return status === 'queued' || status === 'running';
}
