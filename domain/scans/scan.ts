import type { BillSummary } from '../decision/types.ts';
import type { ScanChanges } from './changes.ts';
import type {
  BucketDecision,
  DecisionReport,
  Verdict,
  WorkloadProfile,
} from '../decision/types.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import type { Finding } from '../inventory/finding.ts';
import type { BucketInventory, CoverageGap } from '../inventory/inventory.ts';

export const SCAN_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

/** The state of a bucket in a running scan. */
export const BUCKET_STATES = ['reading', 'done', 'failed'] as const;
export type BucketState = (typeof BUCKET_STATES)[number];

/** The progress of a scan. Objects and bytes are current ones only. */
export interface ScanProgress {
  readonly bucketsTotal: number;
  readonly bucketsDone: number;
  readonly objects: number;
  readonly bytes: number;
}

/** The requests of a scan to the customer's account, and their cost to the customer. */
export interface ScanRequests {
  readonly list: number;
  readonly other: number;
  /** Unrounded. */
  readonly costUsd: number;
}

export interface ScanFailure {
  readonly code: string;
  readonly message: string;
}

/** A read that the role may not make, with its bucket; null: of the whole account. */
export interface ScanGap extends CoverageGap {
  readonly bucket: string | null;
}

/** The result of a completed scan for the whole account. Money in USD, rounded. */
export interface ScanSummary {
  readonly buckets: number;
  readonly objects: number;
  readonly bytes: number;
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
  readonly workloadProfile: WorkloadProfile;
  readonly findings: readonly Finding[];
  readonly coverage: readonly ScanGap[];
  /** Null if there is none, and in scans that were made before it was asked for. */
  readonly bill?: BillSummary | null;
}

export interface ScanRecord {
  readonly scanId: string;
  readonly accountId: string;
  readonly connectionId: string;
  /** The store that was read. */
  readonly provider: ProviderName;
  readonly status: ScanStatus;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly error: ScanFailure | null;
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
  /** Null until it has completed. */
  readonly summary: ScanSummary | null;
  /** Null until it has completed, and if the report is switched off. */
  readonly decisionReport: DecisionReport | null;
  /** What was decided as the scan completed, then again with each new price book. */
  readonly revisions: readonly ScanRevision[];
  /** Since the decision before; null until it has completed. */
  readonly changes: ScanChanges | null;
  /** The edition of the price book that decided it; undefined until then. */
  readonly edition?: string;
}

export interface ScanRevision {
  readonly at: Date;
  /** The version. */
  readonly priceBook: string;
  /** Null without a decision report. */
  readonly verdict: Verdict | null;
  readonly currentMonthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
}

/** The decision of a scan, by its number. */
export interface DecisionKey {
  readonly scanId: string;
  readonly revision: number;
}

/** The result of a completed scan. */
export interface ScanOutcome {
  readonly progress: ScanProgress;
  readonly requests: ScanRequests;
  readonly summary: ScanSummary;
  readonly decisionReport: DecisionReport | null;
  /** The decision that completes it, and those after it. */
  readonly revisions: readonly ScanRevision[];
  readonly changes: ScanChanges;
  readonly edition: string;
}

/** What a later decision changes of a completed scan. */
export type ScanRevise = Omit<ScanOutcome, 'progress' | 'requests'>;

/** The number of a scan's decision that is in force: 0 is the one that completed it. */
export function currentRevision({ revisions }: Pick<ScanRecord, 'revisions'>): number {
  return Math.max(0, revisions.length - 1);
}

/** An entry of the bucket list that a scan works through. */
export interface ListedBucket {
  readonly name: string;
  readonly region: string;
  /** Null if the store does not say it. */
  readonly createdAt: Date | null;
}

/** The result of a completed scan for one bucket. */
export interface ScannedBucket {
  readonly inventory: BucketInventory;
  readonly decision: BucketDecision;
}

/** A scan's counts of one bucket so far. */
export interface BucketProgress extends ScanRequests {
  readonly objects: number;
  readonly bytes: number;
}

export const NOTHING_YET: BucketProgress = {
  objects: 0,
  bytes: 0,
  list: 0,
  other: 0,
  costUsd: 0,
};

export function addRequests(a: ScanRequests, b: ScanRequests): ScanRequests {
  return { list: a.list + b.list, other: a.other + b.other, costUsd: a.costUsd + b.costUsd };
}

export function addProgress(a: BucketProgress, b: BucketProgress): BucketProgress {
  return { objects: a.objects + b.objects, bytes: a.bytes + b.bytes, ...addRequests(a, b) };
}
