import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type { FileInfo, Priority, Provider } from './files.ts';

/** What went to one of your stores. Gigabytes are 10^9 bytes; `formatUsd` makes a string of an amount. */
export interface ProviderFigures {
  provider: Provider;
  /** Completed uploads, also those deleted since. */
  files: number;
  gbRouted: number;
  /** USD per month; negative where the store costs more than AWS would. */
  savedVsAwsUsd: number;
}

/** One UTC month, by when the uploads were announced. */
export interface MonthFigures {
  /** `2026-11` */
  month: string;
  /** Completed uploads, also those deleted since. */
  uploads: number;
  gbRouted: number;
  savedVsAwsUsd: number;
}

/** Everything so far. */
export interface AnalyticsSummary {
  /** All files by how they stand; `deleted` includes those whose delete is under way. */
  files: { pending: number; active: number; deleted: number; expired: number };
  gbRouted: number;
  savedVsAwsUsd: number;
  /** The stores that something went to. */
  byProvider: ProviderFigures[];
  currentMonth: MonthFigures;
}

export interface AnalyticsMonthly {
  /** Twelve, the oldest first, empty ones as zeros. */
  months: (MonthFigures & { byProvider: ProviderFigures[] })[];
}

export interface RoutedFile {
  fileId: string;
  fileName: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  /** Where it would have gone, had that store been configured and taken it. */
  preferredProvider: Provider;
  status: FileInfo['status'] | 'deleting' | 'deleted';
  savedVsAwsUsd: number;
  routingWarning: string | null;
  /** RFC 3339 */
  createdAt: string;
}

export interface RoutingHistoryPage {
  /** The newest first. */
  items: RoutedFile[];
  /** How many files there are in all. */
  total: number;
  limit: number;
  offset: number;
}

export interface RoutingHistoryOptions extends CallOptions {
  /** 1 to 50; 10 unless told otherwise. */
  limit?: number | undefined;
  /** 0 to 10,000; 0 unless told otherwise. */
  offset?: number | undefined;
}

export const analyticsRoutes = {
  summary: { method: 'GET', path: '/v1/analytics/summary', auth: 'dashboard', repeat: 'safe' },
  monthly: { method: 'GET', path: '/v1/analytics/monthly', auth: 'dashboard', repeat: 'safe' },
  routingHistory: {
    method: 'GET',
    path: '/v1/analytics/routing-history',
    auth: 'dashboard',
    repeat: 'safe',
  },
} as const satisfies Record<string, Route>;

/** What you have routed, and what it saves. */
export interface Analytics {
  summary(options?: CallOptions): Promise<AnalyticsSummary>;
  /** The last 12 UTC months. */
  monthly(options?: CallOptions): Promise<AnalyticsMonthly>;
  /** Your files and where they went, a page at a time. */
  routingHistory(options?: RoutingHistoryOptions): Promise<RoutingHistoryPage>;
}

export function createAnalytics(transport: Transport): Analytics {
  return {
    summary: (options = {}) => transport.call(analyticsRoutes.summary, options),
    monthly: (options = {}) => transport.call(analyticsRoutes.monthly, options),
    routingHistory: ({ limit, offset, ...options } = {}) =>
      transport.call(analyticsRoutes.routingHistory, { ...options, query: { limit, offset } }),
  };
}
