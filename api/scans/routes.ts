import { Readable } from 'node:stream';
import { SCANNED_PROVIDER } from '../../domain/provider/catalogue.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import {
  findAwsAccount,
  getCompletedScan,
  getLatestBuckets,
  getScan,
  listScans,
  startScan,
  type ScanDeps,
} from './scans.ts';
import { presentReport, REPORT_MEDIA } from './report/report.ts';
import {
  presentLatestBucket,
  presentScan,
  presentScanLine,
  presentScanStarted,
} from './present.ts';
import { defineRoute, ONE_AT_A_TIME, type Route } from '../http/route.ts';
import { Text } from '../http/schemas.ts';
import {
  ConnectionId,
  ScanBuckets,
  ScanHistory,
  ScanId,
  ScanResult,
  ScanStarted,
} from './schemas.ts';

export function createScanRoutes(deps: ScanDeps & { readonly priceBook: PriceBook }): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/scanner/scan',
      auth: 'dashboard',
      summary: 'Start a scan of a connected cloud account',
      description:
        'Lists every bucket of the connected account within its regions, read-only, and computes costs and recommendations. Poll `GET /v1/scanner/results/{scanId}` for progress and result. One scan of a connection runs at a time.',
      body: ConnectionId,
      replies: { 202: ScanStarted },
      refusals: ['connection_not_found', 'scan_already_running', 'plan_limit'],
      async handle({ account, body: { connectionId } }) {
        const scan = await startScan(deps, account, connectionId);
        return { status: 202, body: presentScanStarted(scan) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}',
      auth: 'dashboard',
      summary: 'Watch a scan while it runs, and read its result',
      description:
        'While the scan runs: its status and progress. When it has completed: the decision report with its verdict, each bucket with its objects and findings, and the recommendations with their quotes.',
      params: ScanId,
      media: 'application/json',
      replies: { 200: ScanResult },
      refusals: ['scan_not_found'],
      async handle({ account, params: { scanId } }) {
        const result = presentScan(await getScan(deps, account, scanId));
        return { status: 200, body: Readable.from(result, ONE_AT_A_TIME) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}/progress',
      auth: 'dashboard',
      summary: 'The buckets that a running scan reads, and those it has read last',
      description:
        'At most 40 buckets, the newest first, with what is counted of each so far. Empty once the scan has ended: then its result has every bucket.',
      params: ScanId,
      replies: { 200: ScanBuckets },
      refusals: ['scan_not_found'],
      async handle({ account, params: { scanId } }) {
        const buckets = await getLatestBuckets(deps, account, scanId);
        return { status: 200, body: { buckets: buckets.map(presentLatestBucket) } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}/report',
      auth: 'dashboard',
      summary: 'The result of a scan as a page for a person, in Markdown or as a file of HTML',
      description:
        'The verdict first, then what to do and how its figures add up; `text/html` where `Accept` asks for it: one file, printable.',
      params: ScanId,
      media: REPORT_MEDIA[0],
      otherMedia: REPORT_MEDIA.slice(1),
      replies: { 200: Text },
      refusals: ['scan_not_found', 'scan_not_completed'],
      mayTakeLong: () => true,
      async handle({ account, media, params: { scanId } }) {
        const scan = await getCompletedScan(deps, account, scanId);
        const awsAccount = await findAwsAccount(deps, scan.scan);
        const format = media === 'text/html' ? media : 'text/markdown';
        const switchingChargeBan = deps.priceBook.switchingChargeBan(SCANNED_PROVIDER);
        const about = { awsAccount, switchingChargeBan };
        return { status: 200, body: await presentReport(scan, about, format) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/history',
      auth: 'dashboard',
      summary: 'The scans of the last 90 days, the newest first',
      description: 'Status, costs, verdict and confidence of each scan.',
      replies: { 200: ScanHistory },
      refusals: [],
      async handle({ account }) {
        const items = await listScans(deps, account);
        return { status: 200, body: { items: items.map(presentScanLine) } };
      },
    }),
  ];
}
