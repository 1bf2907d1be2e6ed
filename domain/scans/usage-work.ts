import type { AccountUsage, Bill, BucketMetrics } from '../bill/bill.ts';
import type { ScanGap, ScanRequests } from './scan.ts';

/** What a scan has read of the bill and of metrics so far. */
export interface UsageWork {
  /** Incremented by every write; guards against two workers on one scan. */
  readonly revision: number;
  readonly isBillRead: boolean;
  readonly bill: Bill | null;
  /** CloudWatch was asked about the buckets of these; of none more once it refuses. */
  readonly regions: readonly string[];
  readonly isCloudWatchRefused: boolean;
  readonly metrics: readonly (BucketMetrics & { readonly bucket: string })[];
  readonly gaps: readonly ScanGap[];
  readonly requests: ScanRequests;
}

/** Before its first part. */
export const NO_USAGE_WORK: UsageWork = {
  revision: 0,
  isBillRead: false,
  bill: null,
  regions: [],
  isCloudWatchRefused: false,
  metrics: [],
  gaps: [],
  requests: { list: 0, other: 0, costUsd: 0 },
};

/** What a scan's decision takes of it. */
export function toAccountUsage({ bill, metrics }: UsageWork): AccountUsage {
  return { bill, metrics: new Map(metrics.map(({ bucket, ...of }) => [bucket, of])) };
}
