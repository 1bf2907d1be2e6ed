import type { Account } from '../../domain/account.ts';
import { addTotals, fileCounts, type MonthlyTotals } from '../../domain/usage-totals.ts';
import { addMonths, monthOf, monthsBetween, type Month } from '../../domain/time.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { Tallies } from '../../adapters/mongo/tallies.ts';
import { HistoryQuery, HistoryView, MonthlyView, SummaryView } from '../analytics-schemas.ts';
import { presentHistoryLine, presentMonthly, presentSummary } from '../present/analytics.ts';
import { defineRoute, type Route } from '../route.ts';

const MONTHS_SHOWN = 12;

export interface AnalyticsRoutesDeps {
  readonly files: Files;
  readonly tallies: Tallies;
  readonly now: () => Date;
}

export function createAnalyticsRoutes({ files, tallies, now }: AnalyticsRoutesDeps): Route[] {
  /** All that the account has ever done. A month more at each end: two clocks may differ at midnight. */
  async function readAll({ accountId, createdAt }: Account): Promise<Map<Month, MonthlyTotals>> {
    const first = addMonths(monthOf(createdAt), -1);
    return tallies.read(accountId, monthsBetween(first, addMonths(monthOf(now()), 1)));
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/analytics/summary',
      auth: 'dashboard',
      summary: 'What the account has routed and saved so far, and how its files stand',
      replies: { 200: SummaryView },
      refusals: [],
      async handle({ account }) {
        const [pending, months] = await Promise.all([
          files.countPending(account.accountId),
          readAll(account),
        ]);
        return {
          status: 200,
          body: presentSummary({ pending, months, currentMonth: monthOf(now()) }),
        };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/analytics/monthly',
      auth: 'dashboard',
      summary: 'The last 12 months, the oldest first',
      replies: { 200: MonthlyView },
      refusals: [],
      async handle({ account }) {
        const current = monthOf(now());
        const months = monthsBetween(addMonths(current, 1 - MONTHS_SHOWN), current);
        const sums = await tallies.read(account.accountId, months);
        return { status: 200, body: presentMonthly(months, sums) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/analytics/routing-history',
      auth: 'dashboard',
      summary: 'Where each file was routed, the newest first',
      query: HistoryQuery,
      replies: { 200: HistoryView },
      refusals: [],
      async handle({ account, query: { limit, offset } }) {
        const [found, pending, months] = await Promise.all([
          files.list(account.accountId, { limit, offset }),
          files.countPending(account.accountId),
          readAll(account),
        ]);
        const { active, deleted, expired } = fileCounts(addTotals([...months.values()]));
        const total = pending + Number(active + deleted + expired);
        const items = found.map(presentHistoryLine);
        return { status: 200, body: { items, total, limit, offset } };
      },
    }),
  ];
}
