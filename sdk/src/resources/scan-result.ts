import type { Provider } from './files.ts';

/** Types of scan results. Money is in USD, with at most six decimals; times are RFC 3339. */

interface Counted {
  objects: number;
  bytes: number;
}

export interface Finding extends Counted {
  code: string;
  message: string;
  monthlyCostUsd: number;
}

export interface ScannedBucket extends Counted {
  name: string;
  region: string;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  byStorageClass: (Counted & { storageClass: string })[];
  byAge: (Counted & { band: string })[];
  bySize: (Counted & { band: string })[];
  byContent: (Counted & { kind: string })[];
  byPrefix: (Counted & { prefix: string })[];
  findings: Finding[];
  /** Why the bucket could not be read. */
  error: { code: string; message: string } | null;
}

/** Selects objects of a bucket; null fields match everything. */
export interface Selector {
  prefix: string | null;
  storageClass: string | null;
  minAgeDays: number | null;
  maxAgeDays: number | null;
  minSizeBytes: number | null;
}

/** One-time costs of a move. */
export interface Quote {
  egressUsd: number;
  sourceRequestsUsd: number;
  retrievalUsd: number;
  earlyDeletionUsd: number;
  destinationRequestsUsd: number;
  transitionUsd: number;
  totalUsd: number;
  totalWithExitWaiverUsd: number;
}

/** A day, as `2027-01-12`, from which the law forbids to charge for switching, and what waiting for it saves. */
export interface Waiting {
  until: string;
  savesUsd: number;
}

export interface PlacementOption {
  provider: Provider;
  storageClass: string;
  /** Whether the account has credentials for the store. */
  configured: boolean;
  monthlyCostUsd: number;
  monthlySavingsUsd: number;
  quote: Quote;
  breakEvenMonths: number | null;
  breakEvenMonthsWithExitWaiver: number | null;
  /** Null where waiting saves nothing. The quote is what is due today. */
  waiting: Waiting | null;
}

/** How to carry out a recommendation that is not a move in your own account. */
export interface HowTo {
  summary: string;
  /** What the commands add to the bucket's lifecycle configuration, in the names of the S3 API. */
  lifecycleRule: Record<string, unknown> | null;
  /** For bash with the AWS CLI, in this order. They keep the rules that are there. */
  commands: string[];
}

export interface Recommendation extends Counted {
  recommendationId: string;
  kind: 'move' | 'change_class' | 'abort_multipart_uploads' | 'expire_old_versions';
  bucket: string;
  region: string;
  selector: Selector;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  monthlySavingsUsd: number;
  recommendedProvider: Provider | null;
  recommendedStorageClass: string | null;
  options: PlacementOption[];
  confidence: number;
  reasons: string[];
  blockers: { code: string; message: string; objects: number }[];
  /** Null for a move, which the service carries out. */
  howTo: HowTo | null;
  status: 'open' | 'approved' | 'expired' | 'superseded';
  expiresAt: string;
  migrationId: string | null;
}

export interface DecisionReport {
  workloadProfile: 'active' | 'cold' | 'archive' | 'mixed';
  verdict: 'migrate' | 'migrate_partly' | 'optimize_in_place' | 'stay';
  confidence: number;
  reasons: string[];
  risks: string[];
  assumptions: string[];
  horizonMonths: number;
  priceBook: string;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  oneOffCostUsd: number;
  breakEvenMonths: number | null;
  savings12MonthsUsd: number;
  readScenarios: {
    reads: 'none' | 'expected' | 'heavy';
    stayMonthlyUsd: number;
    optimalMonthlyUsd: number;
  }[];
  exitScenario: {
    provider: Provider;
    monthlyCostUsd: number;
    oneOffUsd: number;
    oneOffWithExitWaiverUsd: number;
    breakEvenMonths: number | null;
    breakEvenMonthsWithExitWaiver: number | null;
  } | null;
  placements: (Counted & {
    bucket: string;
    selector: Selector;
    from: { provider: Provider; storageClass: string | null };
    to: { provider: Provider; storageClass: string };
    monthlySavingsUsd: number;
  })[];
}

export interface ScanResult {
  scanId: string;
  connectionId: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  /** `live`: from the running workflow. */
  source: 'live' | 'stored';
  progress: Counted & { bucketsTotal: number; bucketsDone: number; percent: number };
  /** The requests that the scan sent to your account, and their cost. */
  requests: { list: number; other: number; costUsd: number };
  startedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
  /** Zeros until the scan has completed. */
  summary: Counted & {
    buckets: number;
    currentMonthlyCostUsd: number;
    optimalMonthlyCostUsd: number;
    monthlySavingsUsd: number;
    workloadProfile: DecisionReport['workloadProfile'];
    findings: Finding[];
    coverage: { bucket: string; missing: string; effect: string }[];
  };
  buckets: ScannedBucket[];
  recommendations: Recommendation[];
  decisionReport: DecisionReport | null;
}
