import { createMethods, dashboard } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Transport } from '../http/transport.ts';
import type {
  AnalyticsMonthly,
  AnalyticsSummary,
  RoutedFileDecision,
  RoutingHistoryPage,
} from '../http/api-types.ts';

export const analyticsRoutes = {
  summary: dashboard('GET', '/v1/analytics/summary'),
  monthly: dashboard('GET', '/v1/analytics/monthly'),
  routingHistory: dashboard('GET', '/v1/analytics/routing-history'),
  routedFile: dashboard('GET', '/v1/analytics/routing-history/{fileId}'),
} as const;

/** Routed uploads, and what they save. */
export interface Analytics {
  /** `savedVsAwsUsd` is per month; negative if the stores cost more than AWS would. */
  summary(options?: CallOptions): Promise<AnalyticsSummary>;
  /** The last 12 UTC months. */
  monthly(options?: CallOptions): Promise<AnalyticsMonthly>;
  /** Your files and their stores, the newest first. */
  routingHistory(options?: PageOptions): PagedList<RoutingHistoryPage>;
  /** What each store would have cost for a file, and the reason for the chosen one. */
  routedFile(fileId: string, options?: CallOptions): Promise<RoutedFileDecision>;
}

export function createAnalytics(transport: Transport): Analytics {
  const { plain, byId, paged } = createMethods(transport);
  return {
    summary: plain(analyticsRoutes.summary),
    monthly: plain(analyticsRoutes.monthly),
    routingHistory: paged(analyticsRoutes.routingHistory, ({ fileId }) => fileId),
    routedFile: byId(analyticsRoutes.routedFile),
  };
}
