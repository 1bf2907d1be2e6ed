import { createMethods, dashboard, ONCE } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Transport } from '../http/transport.ts';
import { isCompleted, poll, type PollOptions } from '../http/polling.ts';
import type {
  Api,
  BucketProgress,
  Connection,
  Recommendation,
  RecommendationDetail,
  RecommendationsPage,
  ScanChanges,
  ScanLine,
  ScanResult,
  Schedule,
  ServiceIdentity,
  StartedScan,
} from '../http/api-types.ts';

/**
 * A role of an AWS account and 1 to 40 regions: other buckets are skipped. Or another store whose
 * credentials are stored, and the buckets to read besides the provider's own; without `buckets`,
 * all that the credentials may list.
 */
export type ConnectRequest = Api['POST /v1/scanner/connect']['input'];

/** How often, and at which hour in UTC, 0 to 23. */
export type ScheduleRule = Api['PUT /v1/scanner/connections/{connectionId}/schedule']['input'];

/** Selects recommendations; all fields are optional. */
export interface RecommendationsOptions extends PageOptions {
  status?: Recommendation['status'] | undefined;
  connectionId?: string | undefined;
}

export type WaitOptions = PollOptions<ScanResult>;

export type ReportFormat = 'md' | 'html' | 'csv';

export interface ReportOptions extends CallOptions {
  /** Markdown by default. */
  format?: ReportFormat | undefined;
}

const REPORT_MEDIA = { md: 'text/markdown', html: 'text/html', csv: 'text/csv' } as const;

/** For how many days a recommendation is not to be shown, and why. */
export type DismissRequest =
  Api['POST /v1/scanner/recommendations/{recommendationId}/dismiss']['input'];

/** Connect replaces, so it may be repeated. */
export const scannerRoutes = {
  serviceIdentity: dashboard('GET', '/v1/scanner/service-identity'),
  connect: dashboard('POST', '/v1/scanner/connect'),
  connections: dashboard('GET', '/v1/scanner/connections'),
  disconnect: dashboard('DELETE', '/v1/scanner/connections/{connectionId}', ONCE),
  setSchedule: dashboard('PUT', '/v1/scanner/connections/{connectionId}/schedule'),
  removeSchedule: dashboard('DELETE', '/v1/scanner/connections/{connectionId}/schedule'),
  start: dashboard('POST', '/v1/scanner/scan', ONCE),
  results: dashboard('GET', '/v1/scanner/results/{scanId}'),
  progress: dashboard('GET', '/v1/scanner/results/{scanId}/progress'),
  changes: dashboard('GET', '/v1/scanner/results/{scanId}/changes'),
  report: dashboard('GET', '/v1/scanner/results/{scanId}/report', { media: 'text/markdown' }),
  recommendations: dashboard('GET', '/v1/scanner/recommendations'),
  recommendation: dashboard('GET', '/v1/scanner/recommendations/{recommendationId}'),
  exampleKey: dashboard('GET', '/v1/scanner/recommendations/{recommendationId}/example-key'),
  dismiss: dashboard('POST', '/v1/scanner/recommendations/{recommendationId}/dismiss'),
  restore: dashboard('DELETE', '/v1/scanner/recommendations/{recommendationId}/dismiss'),
  history: dashboard('GET', '/v1/scanner/history'),
} as const;

/** The audit of your cloud accounts and stores. */
export interface Scanner {
  /** The AWS account that the role of `connect` must trust, and a template of such a role. */
  serviceIdentity(options?: CallOptions): Promise<ServiceIdentity>;
  /**
   * Assumes the role, of the form `arn:aws:iam::<account>:role/<name>`, or lists with the stored
   * credentials of the store, before it answers. The same store again replaces its buckets and
   * keeps its id.
   */
  connect(request: ConnectRequest, options?: CallOptions): Promise<Connection>;
  connections(options?: CallOptions): Promise<{ items: Connection[] }>;
  /** Forgets the role; the stored credentials of a store stay. */
  disconnect(connectionId: string, options?: CallOptions): Promise<void>;
  /** Scans the account by itself from now on. The same rule again changes nothing. */
  setSchedule(connectionId: string, rule: ScheduleRule, options?: CallOptions): Promise<Schedule>;
  removeSchedule(connectionId: string, options?: CallOptions): Promise<void>;
  start(connectionId: string, options?: CallOptions): Promise<StartedScan>;
  /** Live while the scan runs; the lists are empty until it has completed. */
  results(scanId: string, options?: CallOptions): Promise<ScanResult>;
  /** The latest 40 buckets of a running scan, the newest first; empty once it has ended. */
  progress(scanId: string, options?: CallOptions): Promise<{ buckets: BucketProgress[] }>;
  /** What a completed scan says that is different from the decision before it, and why. */
  changes(scanId: string, options?: CallOptions): Promise<ScanChanges>;
  /** Polls until the scan has completed or failed. */
  waitFor(scanId: string, options?: WaitOptions): Promise<ScanResult>;
  /** As Markdown or as one printable file of HTML, or the recommendations as CSV. */
  report(scanId: string, options?: ReportOptions): Promise<string>;
  /** The recommendations of all scans. */
  recommendations(options?: RecommendationsOptions): PagedList<RecommendationsPage>;
  /** One of them, with its costs in the three scenarios of reads. */
  recommendation(recommendationId: string, options?: CallOptions): Promise<RecommendationDetail>;
  /** The first key that it selects, read from the source; null if there is none. */
  exampleKey(recommendationId: string, options?: CallOptions): Promise<{ key: string | null }>;
  /** It stays open; a later scan dismisses one for the same objects too. */
  dismiss(
    recommendationId: string,
    request: DismissRequest,
    options?: CallOptions,
  ): Promise<RecommendationDetail>;
  /** Ends a dismissal; no effect without one. */
  restore(recommendationId: string, options?: CallOptions): Promise<RecommendationDetail>;
  /** The last 90 days, the newest first. */
  history(options?: CallOptions): Promise<{ items: ScanLine[] }>;
}

export function createScanner(transport: Transport): Scanner {
  const { plain, byId, remove, withBody, byIdWithBody, paged } = createMethods(transport);
  const results = byId(scannerRoutes.results);
  const start = withBody(scannerRoutes.start);
  return {
    serviceIdentity: plain(scannerRoutes.serviceIdentity),
    connect: withBody(scannerRoutes.connect),
    connections: plain(scannerRoutes.connections),
    disconnect: remove(scannerRoutes.disconnect),
    setSchedule: byIdWithBody(scannerRoutes.setSchedule),
    removeSchedule: remove(scannerRoutes.removeSchedule),
    start: (connectionId, options) => start({ connectionId }, options),
    results,
    waitFor: (scanId, options = {}) =>
      poll(transport.settings, (callOptions) => results(scanId, callOptions), options, isCompleted),
    progress: byId(scannerRoutes.progress),
    changes: byId(scannerRoutes.changes),
    report: (scanId, { format = 'md', ...options } = {}) =>
      byId({ ...scannerRoutes.report, media: REPORT_MEDIA[format] })(scanId, options),
    recommendations: paged(
      scannerRoutes.recommendations,
      ({ recommendationId }) => recommendationId,
    ),
    recommendation: byId(scannerRoutes.recommendation),
    exampleKey: byId(scannerRoutes.exampleKey),
    dismiss: byIdWithBody(scannerRoutes.dismiss),
    restore: byId(scannerRoutes.restore),
    history: plain(scannerRoutes.history),
  };
}
