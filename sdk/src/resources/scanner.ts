import { type PagedList, pagedList } from '../http/paged.ts';
import { poll } from '../http/polling.ts';
import type { CallOptions, PageOptions, Route, Transport } from '../http/transport.ts';
import type { Provider } from './files.ts';
import type { DecisionReport, Recommendation, ScanResult } from './scan-result.ts';

/** What a role for the service must trust. */
export interface ServiceIdentity {
  /** The service's own AWS account, 12 digits: the principal of the role's trust policy. */
  awsAccountId: string;
  /** The CloudFormation template of the role in a bucket; null where the operator has published none. */
  templateUrl: string | null;
}

/** The role through which the service reads a cloud account. */
export interface ConnectRequest {
  /** `arn:aws:iam::<account>:role/<name>` */
  roleArn: string;
  /** The external id in the role's trust policy. */
  externalId: string;
  /** 1 to 40; buckets in other regions are skipped. */
  regions: string[];
}

/** A connected cloud account. Times are RFC 3339. */
export interface Connection {
  connectionId: string;
  roleArn: string;
  externalId: string;
  regions: string[];
  bucketCount: number;
  warnings: string[];
  createdAt: string;
}

export interface StartedScan {
  scanId: string;
  connectionId: string;
  status: 'queued';
  startedAt: string;
}

export interface ScanLine {
  scanId: string;
  connectionId: string;
  status: ScanResult['status'];
  startedAt: string;
  completedAt: string | null;
  objects: number;
  bytes: number;
  /** USD; null where the scan has no result. */
  currentMonthlyCostUsd: number | null;
  monthlySavingsUsd: number | null;
  /** Null where the scan has no decision report. */
  verdict: DecisionReport['verdict'] | null;
  confidence: number | null;
}

/** A bucket in a running scan, with what is counted of it so far. */
export interface BucketProgress {
  name: string;
  state: 'reading' | 'done' | 'failed';
  objects: number;
  bytes: number;
  /** Why it could not be read. */
  error: string | null;
}

/** A recommendation with its scan. */
export interface ListedRecommendation extends Recommendation {
  scanId: string;
  connectionId: string;
}

/** A recommendation with what its figures rest on. */
export interface RecommendationDetail extends ListedRecommendation {
  /** Of the decision; null where the service makes no decision report. */
  horizonMonths: number | null;
  /** Of the whole scan. */
  assumptions: string[];
  /** Storage and reads of a month, in USD; the other monthly figures are storage alone. */
  readScenarios: {
    reads: 'none' | 'expected' | 'heavy';
    stayMonthlyUsd: number;
    /** In the order of `options`. */
    options: { provider: Provider; storageClass: string; monthlyUsd: number }[];
  }[];
}

/** Selects recommendations; all fields are optional. */
export interface RecommendationsOptions extends PageOptions {
  status?: Recommendation['status'] | undefined;
  connectionId?: string | undefined;
}

export interface RecommendationsPage {
  /** The largest savings first. */
  items: ListedRecommendation[];
  /** The number of all recommendations that were selected. */
  total: number;
  limit: number;
  offset: number;
}

export interface WaitOptions extends CallOptions {
  /** Polling interval in milliseconds; default 2,000. */
  pollMs?: number | undefined;
  /** Called with each state. An exception ends the polling. */
  onProgress?: ((scan: ScanResult) => void) | undefined;
}

/** Connect replaces, so it may be repeated; disconnect and start are repeated only where they had no effect. */
export const scannerRoutes = {
  serviceIdentity: {
    method: 'GET',
    path: '/v1/scanner/service-identity',
    auth: 'dashboard',
    repeat: 'safe',
  },
  connect: { method: 'POST', path: '/v1/scanner/connect', auth: 'dashboard', repeat: 'safe' },
  connections: {
    method: 'GET',
    path: '/v1/scanner/connections',
    auth: 'dashboard',
    repeat: 'safe',
  },
  disconnect: {
    method: 'DELETE',
    path: '/v1/scanner/connections/{connectionId}',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  start: { method: 'POST', path: '/v1/scanner/scan', auth: 'dashboard', repeat: 'unless_started' },
  results: {
    method: 'GET',
    path: '/v1/scanner/results/{scanId}',
    auth: 'dashboard',
    repeat: 'safe',
  },
  progress: {
    method: 'GET',
    path: '/v1/scanner/results/{scanId}/progress',
    auth: 'dashboard',
    repeat: 'safe',
  },
  report: {
    method: 'GET',
    path: '/v1/scanner/results/{scanId}/report',
    auth: 'dashboard',
    repeat: 'safe',
    media: 'text/markdown',
  },
  recommendations: {
    method: 'GET',
    path: '/v1/scanner/recommendations',
    auth: 'dashboard',
    repeat: 'safe',
  },
  recommendation: {
    method: 'GET',
    path: '/v1/scanner/recommendations/{recommendationId}',
    auth: 'dashboard',
    repeat: 'safe',
  },
  history: { method: 'GET', path: '/v1/scanner/history', auth: 'dashboard', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** The audit of your cloud accounts. */
export interface Scanner {
  /** The AWS account that the role of `connect` must trust. */
  serviceIdentity(options?: CallOptions): Promise<ServiceIdentity>;
  /** Assumes the role before it answers. */
  connect(request: ConnectRequest, options?: CallOptions): Promise<Connection>;
  connections(options?: CallOptions): Promise<{ items: Connection[] }>;
  disconnect(connectionId: string, options?: CallOptions): Promise<void>;
  start(connectionId: string, options?: CallOptions): Promise<StartedScan>;
  /** Live while the scan runs; the lists are empty until it has completed. */
  results(scanId: string, options?: CallOptions): Promise<ScanResult>;
  /** Of a running scan the latest 40 buckets, the newest first; empty once it has ended. */
  progress(scanId: string, options?: CallOptions): Promise<{ buckets: BucketProgress[] }>;
  /** Polls until the scan has completed or failed. */
  waitFor(scanId: string, options?: WaitOptions): Promise<ScanResult>;
  /** The result as Markdown for a reader. */
  report(scanId: string, options?: CallOptions): Promise<string>;
  /** The recommendations of all scans. */
  recommendations(options?: RecommendationsOptions): PagedList<RecommendationsPage>;
  /** One of them, with its costs in the three scenarios of reads. */
  recommendation(recommendationId: string, options?: CallOptions): Promise<RecommendationDetail>;
  /** The last 90 days, the newest first. */
  history(options?: CallOptions): Promise<{ items: ScanLine[] }>;
}

const POLL_MS = 2_000;

export function createScanner(transport: Transport): Scanner {
  const results: Scanner['results'] = (scanId, options = {}) =>
    transport.call(scannerRoutes.results, { ...options, parameters: { scanId } });

  return {
    serviceIdentity: (options = {}) => transport.call(scannerRoutes.serviceIdentity, options),
    connect: (request, options = {}) =>
      transport.call(scannerRoutes.connect, { ...options, body: request }),
    connections: (options = {}) => transport.call(scannerRoutes.connections, options),
    async disconnect(connectionId, options = {}) {
      await transport.call(scannerRoutes.disconnect, { ...options, parameters: { connectionId } });
    },
    start: (connectionId, options = {}) =>
      transport.call(scannerRoutes.start, { ...options, body: { connectionId } }),
    results,
    waitFor: (scanId, { pollMs = POLL_MS, onProgress, ...options } = {}) =>
      poll(transport.settings, {
        look: () => results(scanId, options),
        hasEnded: ({ status }) => status === 'completed' || status === 'failed',
        pollMs,
        onProgress,
        signal: options.signal,
      }),
    progress: (scanId, options = {}) =>
      transport.call(scannerRoutes.progress, { ...options, parameters: { scanId } }),
    report: (scanId, options = {}) =>
      transport.call(scannerRoutes.report, { ...options, parameters: { scanId } }),
    recommendations: ({ status, connectionId, ...options } = {}) =>
      pagedList<ListedRecommendation, RecommendationsPage>(
        ({ limit, offset }) =>
          transport.call(scannerRoutes.recommendations, {
            ...options,
            query: { status, connectionId, limit, offset },
          }),
        options,
        ({ recommendationId }) => recommendationId,
      ),
    recommendation: (recommendationId, options = {}) =>
      transport.call(scannerRoutes.recommendation, {
        ...options,
        parameters: { recommendationId },
      }),
    history: (options = {}) => transport.call(scannerRoutes.history, options),
  };
}
