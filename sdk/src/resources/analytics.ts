import { type PagedList, pagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Route, Transport } from '../http/transport.ts';
import type { FileInfo, Priority, Provider, RoutingDecision } from './files.ts';

/** Uploads to one of your stores. Gigabytes are 10^9 bytes; `formatUsd` formats an amount. */
export interface ProviderFigures {
  provider: Provider;
  /** Completed uploads, including those deleted since. */
  files: number;
  gbRouted: number;
  /** USD per month; negative where the store costs more than AWS would. */
  savedVsAwsUsd: number;
}

/** One UTC month, by the time of init. */
export interface MonthFigures {
  /** `2026-11` */
  month: string;
  /** Completed uploads, including those deleted since. */
  uploads: number;
  gbRouted: number;
  savedVsAwsUsd: number;
}

/** Totals of the account. */
export interface AnalyticsSummary {
  /** Files by status; `deleted` includes deletes under way. */
  files: { pending: number; active: number; deleted: number; expired: number };
  gbRouted: number;
  savedVsAwsUsd: number;
  /** The stores with at least one upload. */
  byProvider: ProviderFigures[];
  currentMonth: MonthFigures;
}

export interface AnalyticsMonthly {
  /** Twelve months, the oldest first; empty months are zeros. */
  months: (MonthFigures & { byProvider: ProviderFigures[] })[];
}

export interface RoutedFile {
  fileId: string;
  fileName: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  /** The store that routing prefers, if it were configured and accepted the file. */
  preferredProvider: Provider;
  status: FileInfo['status'] | 'deleted';
  savedVsAwsUsd: number;
  routingWarning: string | null;
  /** RFC 3339 */
  createdAt: string;
}

/** A file of the routing history, with the reason for its store. */
export interface RoutedFileDecision extends RoutedFile {
  routing: RoutingDecision;
}

export interface RoutingHistoryPage {
  /** The newest first. */
  items: RoutedFile[];
  /** The total number of files. */
  total: number;
  limit: number;
  offset: number;
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
  routedFile: {
    method: 'GET',
    path: '/v1/analytics/routing-history/{fileId}',
    auth: 'dashboard',
    repeat: 'safe',
  },
} as const satisfies Record<string, Route>;

/** Routed uploads, and what they save. */
export interface Analytics {
  summary(options?: CallOptions): Promise<AnalyticsSummary>;
  /** The last 12 UTC months. */
  monthly(options?: CallOptions): Promise<AnalyticsMonthly>;
  /** Your files and their stores. */
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
