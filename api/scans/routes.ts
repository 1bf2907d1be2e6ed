import { Readable } from 'node:stream';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import {
  findSourceAccount,
  getChanges,
  getCompletedScan,
  getLatestBuckets,
  getScan,
  listScans,
  startScan,
  type ScanDeps,
} from '../../operations/scans/scans.ts';
import { ConnectionId } from '../connections/schemas.ts';
import { presentReport, REPORT_MEDIA } from '../../report/report.ts';
import {
  presentChanges,
  presentLatestBucket,
  presentScan,
  presentScanLine,
  presentScanStarted,
} from './present.ts';
import { defineRoute, ONE_AT_A_TIME, type Route } from '../http/route.ts';
import { example, Text } from '../http/schemas.ts';
import {
  ScanBuckets,
  ScanChangesView,
  ScanHistory,
  ScanId,
  ScanResult,
  ScanStarted,
} from './schemas.ts';

export type ScanRoutesDeps = ScanDeps & {
  readonly priceBook: PriceBook;
  readonly dashboardOrigins: readonly string[];
};

/** The beginning of a report. */
const REPORT =
  '# Save 57 % by moving to Backblaze B2\n\nAWS account 111122223333 · audit of 20 November 2026 · prices of 2026-11-28\n\nYour S3 bill of October 2026 was $26.41; this audit explains $26.40 of it. **From $25.86 to $11.23 a month.** The steps cost $37.79 once, paid back after 2.6 months.\n';
const DASHBOARD_PATH = '/dashboard';

export function createScanRoutes(deps: ScanRoutesDeps): Route[] {
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
      async handle({ account, actor, body: { connectionId } }) {
        const scan = await startScan(deps, account, actor, connectionId);
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
      summary: 'The result of a scan for a person: Markdown, a printable page, or CSV',
      description:
        'The verdict first, then what to do and what it costs; `text/html` if `Accept` asks for it: one file, printable. `text/csv` has a row for each recommendation and option, in the figures of the API.',
      params: ScanId,
      media: REPORT_MEDIA[0],
      otherMedia: REPORT_MEDIA.slice(1),
      replies: { 200: example(Text, REPORT) },
      refusals: ['scan_not_found', 'scan_not_completed'],
      mayTakeLong: () => true,
      async handle({ account, baseUrl, media, params: { scanId } }) {
        const scan = await getCompletedScan(deps, account, scanId);
        const about = {
          sourceAccount: await findSourceAccount(deps, scan.scan),
          catalogue: deps.priceBook.catalogue,
          switchingChargeBan: deps.priceBook.switchingChargeBan(scan.scan.provider),
          dashboardUrl: `${deps.dashboardOrigins[0] ?? baseUrl}${DASHBOARD_PATH}`,
        };
        const format = REPORT_MEDIA.find((each) => each === media) ?? 'text/markdown';
        return { status: 200, body: await presentReport(scan, about, format) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/results/{scanId}/changes',
      auth: 'dashboard',
      summary: 'What has changed since the scan before, and why',
      description:
        'Compared with the connection’s decision before: of its earlier scan, or of this scan by the earlier prices. The causes are taken one after the other: new and gone buckets, then the objects, the reads, and the prices of the others. Empty for the first scan.',
      params: ScanId,
      replies: { 200: ScanChangesView },
      refusals: ['scan_not_found', 'scan_not_completed'],
      async handle({ account, params: { scanId } }) {
        return { status: 200, body: presentChanges(await getChanges(deps, account, scanId)) };
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
