import { HistoryQuery, HistoryView, MonthlyView, RoutedFileView, SummaryView } from './schemas.ts';
import { FileId } from '../uploads/schemas.ts';
import {
  getMonths,
  getRoutingHistory,
  getSummary,
  type AnalyticsDeps,
} from '../../operations/analytics/analytics.ts';
import {
  presentHistoryLine,
  presentMonthly,
  presentRoutedFile,
  presentSummary,
} from './present.ts';
import { findFile } from '../../operations/uploads/files.ts';
import { defineRoute, type Route } from '../http/route.ts';

export function createAnalyticsRoutes(deps: AnalyticsDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/analytics/summary',
      auth: 'dashboard',
      summary: 'What the account has routed and saved so far, and how its files stand',
      description:
        'Files by state; gigabytes and savings against S3 Standard, in sum and by store; and the current month. Counted from completed uploads, also of files that were deleted later.',
      replies: { 200: SummaryView },
      refusals: [],
      async handle({ account }) {
        return {
          status: 200,
          body: presentSummary(deps.catalogue, await getSummary(deps, account)),
        };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/analytics/monthly',
      auth: 'dashboard',
      summary: 'The last 12 months, the oldest first',
      description: 'One entry for each month (UTC), by store. Months without an upload are zeros.',
      replies: { 200: MonthlyView },
      refusals: [],
      async handle({ account }) {
        return {
          status: 200,
          body: presentMonthly(deps.catalogue, await getMonths(deps, account)),
        };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/analytics/routing-history',
      auth: 'dashboard',
      summary: 'Where each file was routed, the newest first',
      description: 'A page of files with the chosen store, the preferred one, and the savings.',
      query: HistoryQuery,
      replies: { 200: HistoryView },
      refusals: [],
      async handle({ account, query: { limit, offset } }) {
        const { files, total } = await getRoutingHistory(deps, account, { limit, offset });
        const items = files.map(presentHistoryLine);
        return { status: 200, body: { items, total, limit, offset } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/analytics/routing-history/{fileId}',
      auth: 'dashboard',
      summary:
        'Why one file was routed where it is: what each store would have cost, and the reason',
      description:
        'The monthly cost of the file at each configured store when it was routed, under the price book that the answer names.',
      params: FileId,
      replies: { 200: RoutedFileView },
      refusals: ['file_not_found'],
      async handle({ account, params: { fileId } }) {
        const file = await findFile(deps, account, fileId);
        return { status: 200, body: presentRoutedFile(file) };
      },
    }),
  ];
}
