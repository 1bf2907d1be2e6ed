import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import { planLimit } from '../../domain/entitlement.ts';
import { AppError } from '../../domain/errors.ts';
import type { Plans } from '../../domain/plan.ts';
import { addRequests, type ScanRecord } from '../../domain/scan/scan.ts';
import { addSeconds, monthOf } from '../../domain/time.ts';
import type { Connections } from '../../adapters/mongo/connections.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations.ts';
import type { ScanBuckets } from '../../adapters/mongo/scan-buckets.ts';
import type { ScanQuota } from '../../adapters/mongo/scan-quota.ts';
import type { Scans } from '../../adapters/mongo/scans.ts';
import type { NewScan, ScanCommands } from '../../adapters/temporal/scan-commands.ts';
import { presentReport } from '../present/report.ts';
import {
  presentScan,
  presentScanLine,
  presentScanStarted,
  type ScanParts,
} from '../present/scan.ts';
import { defineRoute, type Route } from '../route.ts';
import { Text } from '../schemas.ts';
import { ConnectionId, ScanHistory, ScanId, ScanResult, ScanStarted } from '../scanner-schemas.ts';

const HISTORY_SECONDS = 90 * 86_400;
const HISTORY_LIMIT = 100;
const TRY_AGAIN_MS = 50;
const MAX_TRIES = 40;

export interface ScanRoutesDeps {
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanQuota: ScanQuota;
  readonly recommendations: Recommendations;
  readonly scanCommands: ScanCommands;
  readonly plans: Plans;
  readonly now: () => Date;
}

export function createScanRoutes(deps: ScanRoutesDeps): Route[] {
  const { connections, scans, scanBuckets, recommendations, scanCommands, now } = deps;

  async function find(account: Account, scanId: string): Promise<ScanRecord> {
    const scan = await scans.find({ scanId, accountId: account.accountId });
    if (!scan) throw new AppError('scan_not_found');
    return scan;
  }

  /**
   * The workflow comes first, for its id is what decides whether a scan is running; one that the plan
   * has no room for is ended again before it has begun. The workflow counts itself too, by the same
   * id, in case nobody comes to do it here.
   */
  async function start(account: Account, scan: NewScan): Promise<void> {
    await startWhenFree(scan);
    const { accountId, plan } = account;
    const period = { accountId, month: monthOf(scan.startedAt) };
    const limits = deps.plans[plan];
    if (await deps.scanQuota.book(period, scan.scanId, limits.scansPerMonth))
      return scans.insertQueued(scan);
    const refusal = planLimit(plan, limits, 'scan');
    await scanCommands.abandon(scan, refusal.message);
    throw refusal;
  }

  /** A scan that has ended by its own account may hold its workflow's id for a moment longer. */
  async function startWhenFree(scan: NewScan): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await scanCommands.start(scan);
      } catch (error) {
        const isRunning = error instanceof AppError && error.code === 'scan_already_running';
        if (!isRunning || tries >= MAX_TRIES || !(await isEnding(scan))) throw error;
        await wait(TRY_AGAIN_MS);
      }
    }
  }

  async function isEnding({ connectionId, accountId }: NewScan): Promise<boolean> {
    const scanId = await scanCommands.running(connectionId);
    if (scanId === undefined) return true;
    const held = await scans.find({ scanId, accountId });
    return held !== undefined && !isUnfinished(held);
  }

  /** From the workflow while it runs; from the database once it has ended, or where nobody answers. */
  async function describe(account: Account, scanId: string): Promise<ScanParts> {
    const before = await find(account, scanId);
    const view = isUnfinished(before) ? await scanCommands.view(before) : undefined;
    const nothing = { buckets: [], recommendations: [], now: now() };
    if (view) return { ...nothing, scan: { ...before, ...view }, source: 'live' };
    // It may have ended while it was asked.
    const scan = isUnfinished(before) ? await find(account, scanId) : before;
    const read = isUnfinished(scan) ? await readProgress(scan) : await readResult(scan);
    return { ...nothing, source: 'stored', ...read };
  }

  async function readProgress(scan: ScanRecord) {
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

  async function readResult(scan: ScanRecord) {
    if (scan.status !== 'completed') return { scan };
    const [buckets, recommended] = await Promise.all([
      scanBuckets.results(scan.scanId),
      recommendations.ofScan(scan.scanId),
    ]);
    return { scan, buckets, recommendations: recommended };
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/scanner/scan',
      auth: 'dashboard',
      summary: 'Start a scan of a connected cloud account',
      body: ConnectionId,
      replies: { 202: ScanStarted },
      refusals: ['connection_not_found', 'scan_already_running', 'plan_limit'],
      async handle({ account, body: { connectionId } }) {
        const { accountId } = account;
        if (!(await connections.find({ connectionId, accountId })))
          throw new AppError('connection_not_found');
        const scan = { scanId: randomUUID(), accountId, connectionId, startedAt: now() };
        await start(account, scan);
        return { status: 202, body: presentScanStarted(scan) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}',
      auth: 'dashboard',
      summary: 'Watch a scan while it runs, and read its result',
      params: ScanId,
      replies: { 200: ScanResult },
      refusals: ['scan_not_found'],
      async handle({ account, params: { scanId } }) {
        return { status: 200, body: presentScan(await describe(account, scanId)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}/report',
      auth: 'dashboard',
      summary: 'The result of a scan as a page for a person, in Markdown',
      params: ScanId,
      media: 'text/markdown',
      replies: { 200: Text },
      refusals: ['scan_not_found', 'scan_not_completed'],
      async handle({ account, params: { scanId } }) {
        const { status } = await find(account, scanId);
        if (status !== 'completed') throw new AppError('scan_not_completed');
        return { status: 200, body: presentReport(await describe(account, scanId)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/history',
      auth: 'dashboard',
      summary: 'The scans of the last 90 days, the newest first',
      replies: { 200: ScanHistory },
      refusals: [],
      async handle({ account }) {
        const since = addSeconds(now(), -HISTORY_SECONDS);
        const found = await scans.list(account.accountId, since, HISTORY_LIMIT);
        return { status: 200, body: { items: found.map(presentScanLine) } };
      },
    }),
  ];
}

function isUnfinished({ status }: ScanRecord): boolean {
  return status === 'queued' || status === 'running';
}
