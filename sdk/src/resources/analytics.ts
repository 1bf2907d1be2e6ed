import { type PagedList, pagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Route, Transport } from '../http/transport.ts';
import type {
  AnalyticsMonthly,
  AnalyticsSummary,
  RoutedFile,
  RoutedFileDecision,
  RoutingHistoryPage,
} from '../http/api-types.ts';

export const analyticsRoutes = {
  summary: { method: 'GET', path: '/v1/analytics/summary', auth: 'dashboard' },
  monthly: { method: 'GET', path: '/v1/analytics/monthly', auth: 'dashboard' },
  routingHistory: { method: 'GET', path: '/v1/analytics/routing-history', auth: 'dashboard' },
  routedFile: { method: 'GET', path: '/v1/analytics/routing-history/{fileId}', auth: 'dashboard' },
} as const satisfies Record<string, Route>;

/** Routed uploads, and what they save. */
export interface Analytics {
  /** Totals of the account. `savedVsAwsUsd` is per month; negative if the stores cost more than AWS would. */
  summary(options?: CallOptions): Promise<AnalyticsSummary>;
  /** The last 12 UTC months. */
  monthly(options?: CallOptions): Promise<AnalyticsMonthly>;
  /** Your files and their stores, the newest first. */
  routingHistory(options?: PageOptions): PagedList<RoutingHistoryPage>;
  /** One file of the history: what each store would have cost, and the reason for the chosen one. */
  routedFile(fileId: string, options?: CallOptions): Promise<RoutedFileDecision>;
}

export function createAnalytics(transport: Transport): Analytics {
  return {
    summary: (options = {}) => transport.call(analyticsRoutes.summary, options),
    monthly: (options = {}) => transport.call(analyticsRoutes.monthly, options),
    routingHistory: (options = {}) =>
      pagedList<RoutedFile, RoutingHistoryPage>(
        ({ limit, offset }) =>
          transport.call(analyticsRoutes.routingHistory, { ...options, query: { limit, offset } }),
        options,
        ({ fileId }) => fileId,
      ),
    routedFile: (fileId, options = {}) =>
      transport.call(analyticsRoutes.routedFile, { ...options, parameters: { fileId } }),
  };
}
