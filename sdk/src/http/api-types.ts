// Written by `npm run sdk:types` from the service's OpenAPI description; a test compares the two.
// Ids are UUIDs. Times are RFC 3339, in UTC, with milliseconds. Amounts are US dollars with at most six decimals.

/** The answer of `GET /v1/me`. */
export interface Me {
  accountId: string;
  plan: 'free' | 'starter' | 'growth' | 'enterprise';
  keyMode: 'live' | 'test';
  providers: Provider[];
  usage: {
    period: string;
    gbRouted: number;
    uploads: number;
    /** Counted against the quota, uploads under way too. */
    gbBooked: number;
    uploadsBooked: number;
    /** Null: unlimited. */
    gbQuota: number | null;
    /** Null: unlimited. */
    uploadQuota: number | null;
  };
}

/** A part of {@link Me}: `providers[]`. */
export type Provider = string;

/** The answer of `GET /health`. */
export interface Health {
  status: 'ok' | 'degraded';
  version: string;
  architecture: string;
  dependencies: { mongodb: 'up' | 'down'; temporal: 'up' | 'down' };
  clock: 'ok' | 'skewed';
}

/** The answer of `GET /v1/account/person`. */
export interface Person {
  subject: string;
  name: string;
  /** Whether the role allows calls that change something. */
  mayChange: boolean;
  /** Of which one is needed for them, if the operator has named a claim of roles. */
  changingRoles: string[];
}

/** The answer of `GET /v1/account/activity`. */
export interface ActivityPage {
  items: Activity[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** A part of {@link ActivityPage}: `items[]`. */
export interface Activity {
  at: string;
  /** The `sub` of the person's token. */
  subject: string;
  /** Its `name`, or else `email`, or else `sub`. */
  name: string;
  action:
    | 'provider.saved'
    | 'provider.deleted'
    | 'key.issued'
    | 'key.rotated'
    | 'connection.saved'
    | 'connection.deleted'
    | 'schedule.saved'
    | 'schedule.deleted'
    | 'scan.started'
    | 'migration.approved'
    | 'migration.cancelled'
    | 'migration.round_started'
    | 'release.checked'
    | 'relocation.started'
    | 'relocation.cancelled'
    | 'drill.started'
    | 'drill.cancelled'
    | 'drill.completed'
    | 'recommendation.dismissed'
    | 'recommendation.restored'
    | 'webhook.added'
    | 'webhook.removed'
    | 'webhook.rotated'
    | 'webhook.enabled'
    | 'checkout.opened';
  /** The id of what was changed. */
  on: string;
  requestId: string;
  /** The SHA-256 of the certificate of `drill.completed`, as JSON. */
  certificateSha256?: string;
}

/** The answer of `POST /v1/upload/complete`. */
export interface CompleteResult {
  fileId: string;
  status: 'active';
  provider: Provider;
  fileSizeBytes: number;
  completedAt: string;
}

/** The answer of `GET /v1/file/{fileId}`. */
export interface FileInfo {
  fileId: string;
  status: 'pending' | 'active' | 'expired' | 'deleting' | 'deleted';
  fileName: string;
  contentType: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  createdAt: string;
  completedAt: string | null;
  routing: RoutingDecision;
  downloadUrl: string | null;
  expiresAt: string | null;
  /** Why the delete of a `deleting` file has stopped; missing otherwise. */
  error?: { code: string; message: string };
}

/** A part of {@link FileInfo}: `priority`. */
export type Priority = 'hot' | 'archive' | 'cold';

/** A part of {@link FileInfo}: `routing`. */
export interface RoutingDecision {
  provider: Provider;
  preferredProvider: Provider;
  priority: Priority;
  reason: string;
  costs: { provider: Provider; monthlyCostUsd: number }[];
  priceBook: string;
  warning?: string;
}

/** The answer of `POST /v1/upload/parts`. */
export interface PartUrlsResult {
  parts: PartUrl[];
  expiresAt: string;
}

/** A part of {@link PartUrlsResult}: `parts[]`. */
export interface PartUrl {
  partNumber: number;
  sizeBytes: number;
  presignedUrl: string;
}

/** A part of the answer of `GET /v1/upload/parts/{fileId}`: `items[]`. */
export interface HeldPart {
  partNumber: number;
  sizeBytes: number;
  etag: string;
}

/** The answer of `POST /v1/upload/url`. */
export interface UploadUrlResult {
  fileId: string;
  presignedUrl: string;
  requiredHeaders: Record<string, string>;
  expiresAt: string;
}

/** A part of the answer of `GET /v1/providers/api-key`: `apiKey`. */
export interface ApiKeyInfo {
  masked: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** The answer of `POST /v1/providers/api-key/regenerate`. */
export interface RegeneratedApiKey {
  apiKey: string;
  createdAt: string;
}

/** The answer of `POST /v1/keys/rotate`. */
export interface RotatedApiKey {
  newApiKey: string;
  rotatedAt: string;
}

/** The answer of `POST /v1/providers`. */
export interface SavedProvider {
  provider: Provider;
  bucketName: string;
  region: string;
  accountId?: string;
  jurisdiction?: 'eu' | 'fedramp';
  accessKeyIdMasked: string;
  createdAt: string;
  updatedAt: string;
}

/** A part of the answer of `GET /v1/providers`: `items[]`. */
export interface ProviderInfo {
  provider: Provider;
  bucketName: string;
  region: string;
  accountId?: string;
  jurisdiction?: 'eu' | 'fedramp';
  accessKeyIdMasked: string;
  createdAt: string;
  updatedAt: string;
  /** Set while the store refuses the work on files to these credentials: one attempt an hour is made, and a call of yours still tries. */
  paused: {
    since: string;
    /** What the store said last. */
    code: string;
  } | null;
  /** Places that were replaced, and that files, connections or migrations still need. */
  formerPlaces: FormerPlace[];
}

/** A part of {@link ProviderInfo}: `formerPlaces[]`. */
export interface FormerPlace {
  bucketName: string;
  region: string;
  accountId?: string;
  jurisdiction?: 'eu' | 'fedramp';
  accessKeyIdMasked: string;
  /** Active and pending ones. */
  files: number;
  bytes: number;
  since: string;
}

/** A part of the answer of `GET /v1/providers/catalogue`: `items[]`. */
export interface ProviderDescription {
  provider: Provider;
  /** For a person. */
  title: string;
  kind: 'hyperscaler' | 'edge' | 'archive' | 'general';
  /** A regular expression that a region matches. */
  regionPattern: string;
  regionExample: string;
  /** Whether `accountId` is required, or refused. */
  needsAccountId: boolean;
  /** The values of `jurisdiction`; empty if the store has none. */
  jurisdictions: string[];
  limits: { singlePutBytes: number; objectBytes: number; parts: number };
  /** The page of the provider about its keys. */
  documentation: string | null;
}

/** The answer of `POST /v1/providers/test`. */
export interface ProviderTest {
  provider: Provider;
  ok: boolean;
  checks: {
    name:
      | 'write'
      | 'head'
      | 'read'
      | 'delete'
      | 'missing_object'
      | 'conditional_put'
      | 'conditional_delete'
      | 'content_md5'
      | 'list_order'
      | 'conditional_overwrite'
      | 'conditional_complete'
      | 'key_and_folder'
      | 'object_lock'
      | 'cors';
    ok: boolean;
    latencyMs: number;
    /** Of what some stores lack: whether this one has it. */
    supported?: boolean;
    error?: { code: string; message: string };
    /** Of a failed check of CORS: the rules in the format of the store. */
    corsRule?: Record<string, unknown>[];
  }[];
}

/** The answer of `GET /v1/scanner/service-identity`. */
export interface ServiceIdentity {
  awsAccountId: string;
  templateUrl: string | null;
}

/** The answer of `POST /v1/scanner/connect`. */
export interface Connection {
  connectionId: string;
  /** Of an AWS account. */
  roleArn?: string;
  /** Masked for a person who may only read. */
  externalId?: string;
  regions?: string[];
  provider?: Provider;
  /** Null: all that may be listed. */
  buckets?: string[] | null;
  bucketCount: number;
  warnings: string[];
  createdAt: string;
  schedule: Schedule | null;
}

/** The answer of `PUT /v1/scanner/connections/{connectionId}/schedule`. */
export interface Schedule {
  every: 'day' | 'week' | 'month';
  hourUtc: number;
  nextAt: string;
  /** What became of the last time; null until the first. */
  last: {
    at: string;
    scanId: string | null;
    outcome: 'started' | 'scan_already_running' | 'plan_limit' | 'failed';
  } | null;
}

/** The answer of `POST /v1/scanner/scan`. */
export interface StartedScan {
  scanId: string;
  connectionId: string;
  status: 'queued';
  startedAt: string;
}

/** The answer of `GET /v1/scanner/results/{scanId}`. */
export interface ScanResult {
  scanId: string;
  connectionId: string;
  provider: Provider;
  status: 'queued' | 'running' | 'completed' | 'failed';
  source: 'live' | 'stored';
  progress: {
    bucketsTotal: number;
    bucketsDone: number;
    objects: number;
    bytes: number;
    percent: number;
  };
  /** Those that the scan sent to the account, and their cost. */
  requests: { list: number; other: number; costUsd: number };
  startedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
  summary: {
    buckets: number;
    objects: number;
    bytes: number;
    currentMonthlyCostUsd: number;
    optimalMonthlyCostUsd: number;
    monthlySavingsUsd: number;
    workloadProfile: 'active' | 'cold' | 'archive' | 'mixed';
    findings: Finding[];
    coverage: {
      /** Null: the whole account. */
      bucket: string | null;
      /** The permission, or `cost_explorer`. */
      missing: string;
      effect: string;
    }[];
    /** The S3 lines of the bill of the last closed month; null: not known. */
    bill: {
      /** The calendar month, as `2026-10`. */
      period: string;
      /** AWS may still change it. */
      estimated: boolean;
      listUsd: number;
      netUsd: number;
      /** Of the billed storage, by cost: what was listed; null: none was billed. */
      explainedShare: number | null;
      /** Of listUsd: what of the storage lines nothing listed explains. */
      unexplainedUsd: number;
      /** The largest first. */
      unexplained: { region: string | null; usageType: string; usd: number }[];
      factors: {
        region: string;
        line: 'storage' | 'put' | 'get' | 'retrieval' | 'egress' | 'monitoring' | 'other';
        /** Of storage, put, get and retrieval. */
        storageClass: string | null;
        /** Paid / list price, below 1. */
        factor: number;
      }[];
      /** The most expensive first. */
      lines: {
        /** Null: one that is not known. */
        region: string | null;
        /** Without the prefix of its region. */
        usageType: string;
        line: 'storage' | 'put' | 'get' | 'retrieval' | 'egress' | 'monitoring' | 'other';
        /** Of storage, put, get and retrieval. */
        storageClass: string | null;
        quantity: number;
        unit: string;
        listUsd: number;
        netUsd: number;
        /** The GB of its class that were listed. */
        listedQuantity: number | null;
      }[];
    } | null;
  };
  buckets: ScannedBucket[];
  recommendations: Recommendation[];
  decisionReport: DecisionReport | null;
  /** What was decided: as the scan completed, and again with each new price book. */
  revisions: {
    at: string;
    /** The version of the prices. */
    priceBook: string;
    verdict: 'migrate' | 'migrate_partly' | 'optimize_in_place' | 'stay' | 'nothing_read' | null;
    currentMonthlyCostUsd: number;
    monthlySavingsUsd: number;
  }[];
}

/** A part of {@link ScanResult}: `summary.findings[]`. */
export interface Finding {
  code:
    | 'needs_restore'
    | 'incomplete_multipart_uploads'
    | 'old_versions'
    | 'no_abort_multipart_rule'
    | 'no_lifecycle_rule'
    | 'small_objects'
    | 'empty_bucket'
    | 'copied_not_yet_released'
    | 'not_moved_yet'
    | 'below_minimum'
    | 'no_selector'
    | 'measure_reads'
    | 'more_recommendations';
  message: string;
  objects: number;
  bytes: number;
  monthlyCostUsd: number;
  /** Of not_moved_yet: a round of this migration copies them. */
  migrationId?: string;
}

/** A part of {@link ScanResult}: `buckets[]`. */
export interface ScannedBucket {
  name: string;
  region: string;
  objects: number;
  bytes: number;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  byStorageClass: { storageClass: string; objects: number; bytes: number }[];
  byAge: { band: '0-30' | '30-90' | '90-365' | '365+'; objects: number; bytes: number }[];
  bySize: {
    band: '<128KiB' | '128KiB-1MiB' | '1MiB-64MiB' | '64MiB-5GiB' | '>5GiB';
    objects: number;
    bytes: number;
  }[];
  byContent: {
    kind:
      'image' | 'video' | 'audio' | 'document' | 'archive' | 'log' | 'data' | 'backup' | 'other';
    objects: number;
    bytes: number;
  }[];
  byPrefix: { prefix: string; objects: number; bytes: number }[];
  findings: Finding[];
  /** Per 30 days, as expected; null for a bucket that could not be read. */
  reads: {
    source: 'measured' | 'apportioned' | 'assumed';
    getsPerMonth: number;
    bytesPerMonth: number;
    internetBytesPerMonth: number;
  } | null;
  error: { code: string; message: string } | null;
}

/** A part of {@link ScanResult}: `recommendations[]`. */
export interface Recommendation {
  recommendationId: string;
  kind: 'move' | 'change_class' | 'abort_multipart_uploads' | 'expire_old_versions';
  bucket: string;
  region: string;
  selector: Selector;
  objects: number;
  bytes: number;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  monthlySavingsUsd: number;
  recommendedProvider: Provider | null;
  recommendedStorageClass: string | null;
  options: PlacementOption[];
  confidence: number;
  /** What the advice withstands: its objects where they are, and at the recommended option. */
  scenarios: {
    scenario: 'none' | 'expected' | 'heavy' | 'inside';
    title: string;
    stayMonthlyUsd: number;
    thereMonthlyUsd: number;
  }[];
  /** Of a move: what arrives each month and is expected to follow it. */
  arrivals: { objectsPerMonth: number; bytesPerMonth: number } | null;
  /** Of a clean-up; the other kinds have quotes. */
  oneOffUsd: number | null;
  reasons: string[];
  risks: {
    code:
      | 'young_bucket'
      | 'expiry_not_carried'
      | 'events'
      | 'website'
      | 'commitment'
      | 'readers_inside'
      | 'restore_takes_longer';
    message: string;
  }[];
  blockers: { code: string; message: string; objects: number }[];
  /** How to carry it out in the own account; null for a move. */
  howTo: HowTo | null;
  status: 'open' | 'approved' | 'expired' | 'superseded';
  expiresAt: string;
  migrationId: string | null;
  /** The newest recommendation of the same connection, bucket, kind and selector, if this one is no longer open. */
  supersededBy: string | null;
  /** Who does not want to see this answer until then, and why. */
  dismissed: { until: string; reason: string; by: string; byName: string; at: string } | null;
}

/** A part of {@link Recommendation}: `selector`. */
export interface Selector {
  prefix: string | null;
  storageClass: string | null;
  minAgeDays: number | null;
  maxAgeDays: number | null;
  minSizeBytes: number | null;
}

/** A part of {@link Recommendation}: `options[]`. */
export interface PlacementOption {
  provider: Provider;
  storageClass: string;
  /** Whether the account has credentials for it. */
  configured: boolean;
  monthlyCostUsd: number;
  monthlySavingsUsd: number;
  quote: Quote;
  /** Months, rounded up to one decimal. */
  breakEvenMonths: number | null;
  /** Months, rounded up to one decimal. */
  breakEvenMonthsWithExitWaiver: number | null;
  /** What it saves to wait for the day from which the law forbids to charge customers for switching; the quote stays what is due today. */
  waiting: Waiting | null;
  blockers: { code: string; message: string; objects: number }[];
}

/** A part of {@link PlacementOption}: `quote`. */
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

/** A part of {@link PlacementOption}: `waiting`. */
export interface Waiting {
  until: string;
  savesUsd: number;
}

/** A part of {@link Recommendation}: `howTo`. */
export interface HowTo {
  summary: string;
  /** What the commands add to the lifecycle configuration of the bucket. */
  lifecycleRule: {
    ID: string;
    Status: 'Enabled';
    Filter: {
      Prefix?: string;
      ObjectSizeGreaterThan?: number;
      And?: {
        Prefix?: string;
        ObjectSizeGreaterThan?: number;
        Tags?: { Key: string; Value: string }[];
      };
    };
    Transitions?: { Days: number; StorageClass: string }[];
    Expiration?: { ExpiredObjectDeleteMarker: true };
    NoncurrentVersionExpiration?: { NoncurrentDays: number };
    AbortIncompleteMultipartUpload?: { DaysAfterInitiation: number };
  } | null;
  /** For bash with the AWS CLI, in this order; they keep the rules that are there. */
  commands: string[];
  /** The whole lifecycle configuration of the bucket with the rule, as a resource of Terraform; commands before the last one are still needed. */
  terraform: string | null;
}

/** A part of {@link ScanResult}: `decisionReport`. */
export interface DecisionReport {
  workloadProfile: 'active' | 'cold' | 'archive' | 'mixed';
  verdict: 'migrate' | 'migrate_partly' | 'optimize_in_place' | 'stay' | 'nothing_read';
  /** Null: no bucket could be read. */
  confidence: number | null;
  /** What could move and is not touched, the most expensive first, at most 200. */
  leftAlone: LeftAlone[];
  reasons: string[];
  risks: string[];
  assumptions: string[];
  horizonMonths: number;
  priceBook: string;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  oneOffCostUsd: number;
  /** Months, rounded up to one decimal. */
  breakEvenMonths: number | null;
  savings12MonthsUsd: number;
  readScenarios: {
    reads: 'none' | 'expected';
    title: string;
    stayMonthlyUsd: number;
    optimalMonthlyUsd: number;
  }[];
  exitScenario: {
    provider: Provider;
    monthlyCostUsd: number;
    /** What stays at the source: archived classes, what is left alone, old versions, parts of uploads. */
    remainingMonthlyUsd: number;
    oneOffUsd: number;
    oneOffWithExitWaiverUsd: number;
    /** Months, rounded up to one decimal. */
    breakEvenMonths: number | null;
    /** Months, rounded up to one decimal. */
    breakEvenMonthsWithExitWaiver: number | null;
  } | null;
  placements: {
    bucket: string;
    selector: Selector;
    from: { provider: Provider; storageClass: string | null };
    to: { provider: Provider; storageClass: string | null };
    objects: number;
    bytes: number;
    monthlySavingsUsd: number;
  }[];
}

/** A part of {@link DecisionReport}: `leftAlone[]`. */
export interface LeftAlone {
  bucket: string;
  /** Null: the whole bucket. */
  prefix: string | null;
  code:
    | 'routed'
    | 'kept'
    | 'locked'
    | 'replicated'
    | 'tool'
    | 'aws_logs'
    | 'state'
    | 'table'
    | 'expires'
    | 'short_lived';
  message: string;
  objects: number;
  bytes: number;
  monthlyCostUsd: number;
}

/** A part of the answer of `GET /v1/scanner/results/{scanId}/progress`: `buckets[]`. */
export interface BucketProgress {
  name: string;
  state: 'reading' | 'done' | 'failed';
  objects: number;
  bytes: number;
  /** Why it could not be read. */
  error: string | null;
}

/** The answer of `GET /v1/scanner/results/{scanId}/changes`. */
export interface ScanChanges {
  /** The scan, or the decision of it, before this one; null: there is none. */
  since: { scanId: string; at: string; priceBook: string } | null;
  costChangeUsd: number | null;
  /** They add up to `costChangeUsd`. */
  causes: { code: 'new_bucket' | 'gone_bucket' | 'objects' | 'reads' | 'prices'; usd: number }[];
  /** The 20 with the largest changes. */
  buckets: { name: string; costChangeUsd: number }[];
  recommendations: {
    opened: string[];
    /** Of the decision before. */
    gone: string[];
    /** That save more than before. */
    better: string[];
  };
}

/** A part of the answer of `GET /v1/scanner/history`: `items[]`. */
export interface ScanLine {
  scanId: string;
  connectionId: string;
  status: 'queued' | 'running' | 'completed' | 'failed';
  startedAt: string;
  completedAt: string | null;
  objects: number;
  bytes: number;
  currentMonthlyCostUsd: number | null;
  monthlySavingsUsd: number | null;
  verdict: 'migrate' | 'migrate_partly' | 'optimize_in_place' | 'stay' | 'nothing_read' | null;
  confidence: number | null;
}

/** The answer of `GET /v1/scanner/recommendations`. */
export interface RecommendationsPage {
  /** The largest savings first; of the same savings, by recommendationId. */
  items: ListedRecommendation[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** A part of {@link RecommendationsPage}: `items[]`. */
export interface ListedRecommendation {
  recommendationId: string;
  kind: 'move' | 'change_class' | 'abort_multipart_uploads' | 'expire_old_versions';
  bucket: string;
  region: string;
  selector: Selector;
  objects: number;
  bytes: number;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  monthlySavingsUsd: number;
  recommendedProvider: Provider | null;
  recommendedStorageClass: string | null;
  options: PlacementOption[];
  confidence: number;
  /** What the advice withstands: its objects where they are, and at the recommended option. */
  scenarios: {
    scenario: 'none' | 'expected' | 'heavy' | 'inside';
    title: string;
    stayMonthlyUsd: number;
    thereMonthlyUsd: number;
  }[];
  /** Of a move: what arrives each month and is expected to follow it. */
  arrivals: { objectsPerMonth: number; bytesPerMonth: number } | null;
  /** Of a clean-up; the other kinds have quotes. */
  oneOffUsd: number | null;
  reasons: string[];
  risks: {
    code:
      | 'young_bucket'
      | 'expiry_not_carried'
      | 'events'
      | 'website'
      | 'commitment'
      | 'readers_inside'
      | 'restore_takes_longer';
    message: string;
  }[];
  blockers: { code: string; message: string; objects: number }[];
  /** How to carry it out in the own account; null for a move. */
  howTo: HowTo | null;
  status: 'open' | 'approved' | 'expired' | 'superseded';
  expiresAt: string;
  migrationId: string | null;
  /** The newest recommendation of the same connection, bucket, kind and selector, if this one is no longer open. */
  supersededBy: string | null;
  /** Who does not want to see this answer until then, and why. */
  dismissed: { until: string; reason: string; by: string; byName: string; at: string } | null;
  scanId: string;
  connectionId: string;
}

/** The answer of `GET /v1/scanner/recommendations/{recommendationId}`. */
export interface RecommendationDetail {
  recommendationId: string;
  kind: 'move' | 'change_class' | 'abort_multipart_uploads' | 'expire_old_versions';
  bucket: string;
  region: string;
  selector: Selector;
  objects: number;
  bytes: number;
  currentMonthlyCostUsd: number;
  optimalMonthlyCostUsd: number;
  monthlySavingsUsd: number;
  recommendedProvider: Provider | null;
  recommendedStorageClass: string | null;
  options: PlacementOption[];
  confidence: number;
  /** What the advice withstands: its objects where they are, and at the recommended option. */
  scenarios: {
    scenario: 'none' | 'expected' | 'heavy' | 'inside';
    title: string;
    stayMonthlyUsd: number;
    thereMonthlyUsd: number;
  }[];
  /** Of a move: what arrives each month and is expected to follow it. */
  arrivals: { objectsPerMonth: number; bytesPerMonth: number } | null;
  /** Of a clean-up; the other kinds have quotes. */
  oneOffUsd: number | null;
  reasons: string[];
  risks: {
    code:
      | 'young_bucket'
      | 'expiry_not_carried'
      | 'events'
      | 'website'
      | 'commitment'
      | 'readers_inside'
      | 'restore_takes_longer';
    message: string;
  }[];
  blockers: { code: string; message: string; objects: number }[];
  /** How to carry it out in the own account; null for a move. */
  howTo: HowTo | null;
  status: 'open' | 'approved' | 'expired' | 'superseded';
  expiresAt: string;
  migrationId: string | null;
  /** The newest recommendation of the same connection, bucket, kind and selector, if this one is no longer open. */
  supersededBy: string | null;
  /** Who does not want to see this answer until then, and why. */
  dismissed: { until: string; reason: string; by: string; byName: string; at: string } | null;
  scanId: string;
  connectionId: string;
  /** Of the decision; null if its report is switched off. */
  horizonMonths: number | null;
  /** Of the whole scan. */
  assumptions: string[];
  /** Storage, reads and writes of a month, where the objects are and at each option; the other monthly figures have the reads that are known. */
  readScenarios: {
    reads: 'none' | 'expected' | 'heavy' | 'inside';
    stayMonthlyUsd: number;
    options: { provider: Provider; storageClass: string; monthlyUsd: number }[];
  }[];
}

/** The answer of `POST /v1/webhooks`. */
export interface AddedWebhook {
  webhookId: string;
  /** Masked for format `slack`, except in the answer to the call that adds it. */
  url: string;
  events: (
    | 'scan.completed'
    | 'scan.failed'
    | 'verdict.changed'
    | 'recommendation.opened'
    | 'migration.approved'
    | 'migration.ended'
    | 'release.ready'
    | 'provider.failing'
    | 'file.settled'
    | 'relocation.completed'
    | 'drill.completed'
  )[];
  format: 'standard' | 'slack';
  createdAt: string;
  /** Set if the receiver answered 410, or no attempt succeeded for five days. */
  disabledAt: string | null;
  /** A Standard Webhooks secret: `whsec_` and base64; shown once. */
  secret: string;
}

/** A part of the answer of `GET /v1/webhooks`: `items[]`. */
export interface Webhook {
  webhookId: string;
  /** Masked for format `slack`, except in the answer to the call that adds it. */
  url: string;
  events: (
    | 'scan.completed'
    | 'scan.failed'
    | 'verdict.changed'
    | 'recommendation.opened'
    | 'migration.approved'
    | 'migration.ended'
    | 'release.ready'
    | 'provider.failing'
    | 'file.settled'
    | 'relocation.completed'
    | 'drill.completed'
  )[];
  format: 'standard' | 'slack';
  createdAt: string;
  /** Set if the receiver answered 410, or no attempt succeeded for five days. */
  disabledAt: string | null;
}

/** A part of the answer of `GET /v1/webhooks/{webhookId}/deliveries`: `items[]`. */
export interface WebhookDelivery {
  eventId: string;
  type: string;
  status: 'delivered' | 'retrying' | 'failed';
  attempts: number;
  /** Status of the last answer; null: there was none. */
  lastStatus: number | null;
  /** Why there was no answer. */
  lastError: string | null;
  createdAt: string;
  nextAttemptAt: string | null;
}

/** The answer of `POST /v1/scanner/recommendations/{recommendationId}/approve`. */
export interface ApprovedMigration {
  migrationId: string;
  recommendationId: string;
  targetProvider: Provider;
  status: 'queued';
  quote: Quote;
  approvedBy: string;
  approvedByName: string;
  approvedAt: string;
}

/** The answer of `GET /v1/scanner/migration/{migrationId}`. */
export interface Migration {
  migrationId: string;
  recommendationId: string;
  status: MigrationStatus;
  source: { provider: Provider; bucket: string; region: string; selector: Selector };
  target: {
    provider: Provider;
    bucketName: string;
    /** A key at the target is this and the key at the source. */
    keyPrefix: string;
  };
  quote: Quote;
  approvedBy: string;
  approvedByName: string;
  approvedAt: string;
  progress: {
    objectsTotal: number;
    objectsCopied: number;
    objectsSkipped: number;
    objectsFailed: number;
    bytesTotal: number;
    /** Confirmed by the target, parts of objects in flight included. */
    bytesCopied: number;
    /** By bytes; null before the manifest. */
    percent: number | null;
    bytesPerSecond: number;
    etaSeconds: number | null;
  };
  /** At most 100; the report has all of them. */
  failures: {
    key: string;
    code:
      | 'needs_restore'
      | 'class_without_price'
      | 'key_too_long'
      | 'object_too_large'
      | 'key_conflict'
      | 'quote_exceeded'
      | 'source_missing'
      | 'source_changing'
      | 'source_incomplete'
      | 'source_refused'
      | 'source_unavailable'
      | 'target_refused'
      | 'target_rejected'
      | 'target_unavailable'
      | 'target_differs'
      | 'target_occupied'
      | 'object_changed'
      | 'old_object_waits'
      | 'old_object_changed'
      | 'old_object_refused'
      | 'file_deleted'
      | 'file_moved';
    reason: string;
    attempts: number;
  }[];
  notCarried: NotCarried[];
  realised: {
    state: 'copied_not_yet_released' | 'released';
    asOf: string;
    /** The option's savings, in the proportion of the copied bytes; saved once the source holds no copied key in any version. */
    monthlyUsd: number;
  } | null;
  round: number;
  /** The first is the approval's copy; progress, failures and error are the last one's. */
  rounds: MigrationRound[];
  startedAt: string | null;
  updatedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
}

/** A part of {@link Migration}: `status`. */
export type MigrationStatus =
  | 'queued'
  | 'planning'
  | 'copying'
  | 'verifying'
  | 'cancelling'
  | 'completed'
  | 'completed_with_failures'
  | 'failed'
  | 'cancelled';

/** A part of {@link Migration}: `notCarried[]`. */
export interface NotCarried {
  what: 'tags' | 'lock' | 'redirect' | 'metadata';
  objects: number;
}

/** The answer of `GET /v1/scanner/migrations`. */
export interface MigrationsPage {
  /** By approvedAt, the newest first; of the same moment, by migrationId. Status and percent are the stored ones. */
  items: ListedMigration[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** A part of {@link MigrationsPage}: `items[]`. */
export interface ListedMigration {
  migrationId: string;
  recommendationId: string;
  bucket: string;
  prefix: string | null;
  targetProvider: Provider;
  status: MigrationStatus;
  objectsTotal: number;
  bytesTotal: number;
  /** By bytes; null before the manifest. */
  percent: number | null;
  quoteTotalUsd: number;
  monthlySavingsUsd: number;
  approvedBy: string;
  approvedByName: string;
  approvedAt: string;
  completedAt: string | null;
  realised: {
    state: 'copied_not_yet_released' | 'released';
    asOf: string;
    /** The option's savings, in the proportion of the copied bytes; saved once the source holds no copied key in any version. */
    monthlyUsd: number;
  } | null;
}

/** A part of the answer of `GET /v1/scanner/migration/{migrationId}/report`: `0`. */
export interface ReportedObject {
  key: string;
  targetKey: string;
  bytes: number;
  sourceEtag: string;
  /** Of the copied bytes, in lower-case hex. */
  sha256: string | null;
  targetEtag: string | null;
  outcome: 'copied' | 'skipped' | 'failed' | 'removed';
  /** It replaced an object that an earlier round or migration of this account wrote. */
  replaced?: true;
  code?:
    | 'needs_restore'
    | 'class_without_price'
    | 'key_too_long'
    | 'object_too_large'
    | 'key_conflict'
    | 'quote_exceeded'
    | 'source_missing'
    | 'source_changing'
    | 'source_incomplete'
    | 'source_refused'
    | 'source_unavailable'
    | 'target_refused'
    | 'target_rejected'
    | 'target_unavailable'
    | 'target_differs'
    | 'target_occupied'
    | 'object_changed'
    | 'old_object_waits'
    | 'old_object_changed'
    | 'old_object_refused'
    | 'file_deleted'
    | 'file_moved';
  attempts: number;
  round: number;
  at: string;
}

/** A part of the answer of `GET /v1/scanner/migration/{migrationId}/report`: `1`. */
export interface MigrationSummary {
  migrationId: string;
  status: MigrationStatus;
  objectsTotal: number;
  objectsCopied: number;
  objectsSkipped: number;
  objectsFailed: number;
  bytesTotal: number;
  bytesCopied: number;
  notCarried: NotCarried[];
  acls: 'none' | 'not_carried' | 'unknown';
  startedAt: string;
  completedAt: string | null;
}

/** A part of {@link Migration}: `rounds[]`. */
export interface MigrationRound {
  number: number;
  status: MigrationStatus;
  startedAt: string | null;
  completedAt: string | null;
  objectsCopied: number;
  bytesCopied: number;
  objectsUnchanged: number;
  objectsGone: number;
  objectsReleased: number;
  objectsRemoved: number;
  objectsFailed: number;
  costUsd: number;
  startedBy: string;
  startedByName: string;
}

/** The answer of `GET /v1/scanner/migration/{migrationId}/release`. */
export interface Release {
  status: 'checking' | 'ready' | 'not_ready' | 'failed';
  startedBy: string;
  startedByName: string;
  checkedAt: string | null;
  validUntil: string | null;
  objects: number;
  bytes: number;
  /** Of a Merkle tree (RFC 6962, SHA-256) over the objects in the order of their keys; a leaf is the JSON array of key, etag, sha256 and bytes. */
  rootHash: string | null;
  differences: {
    total: number;
    /** The first ones in the order of their keys. */
    items: {
      key: string;
      code: 'new' | 'changed' | 'not_copied' | 'target_missing' | 'target_differs';
    }[];
  };
  /** The option's savings, in the proportion of the bytes. */
  monthlySavingsUsd: number;
  /** Null: not known. */
  versioned: boolean | null;
  howTo: {
    summary: string;
    /** For bash, with your own credentials. */
    commands: string[];
  } | null;
  error: { code: string; message: string } | null;
}

/** The answer of `GET /v1/scanner/migration/{migrationId}/release/objects`. */
export interface ReleasedObject {
  key: string;
  etag: string;
  bytes: number;
  /** Of the copied bytes, in lower-case hex. */
  sha256: string | null;
}

/** The answer of `POST /v1/relocations`. */
export interface RelocationEstimate {
  files: number;
  bytes: number;
  quote: Quote;
  monthlyBeforeUsd: number;
  monthlyAfterUsd: number;
}

/** A part of the answer of `GET /v1/relocations/{relocationId}`: `from`. */
export interface Place {
  provider: Provider;
  /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
  bucketName: string;
  region: string;
  accountId?: string;
  jurisdiction?: 'eu' | 'fedramp';
}

/** The answer of `GET /v1/relocations/{relocationId}`. */
export interface Relocation {
  relocationId: string;
  status:
    | 'planning'
    | 'copying'
    | 'draining'
    | 'completed'
    | 'completed_with_failures'
    | 'cancelled'
    | 'failed';
  from: Place;
  to: Place;
  quote: Quote;
  progress: {
    filesTotal: number;
    filesMoved: number;
    filesSkipped: number;
    filesFailed: number;
    bytesTotal: number;
    bytesMoved: number;
    percent: number;
    bytesPerSecond: number;
    etaSeconds: number | null;
  };
  costUsd: number;
  /** The first 100; `progress.filesFailed` counts all. */
  failures: {
    fileId: string;
    code:
      | 'needs_restore'
      | 'class_without_price'
      | 'key_too_long'
      | 'object_too_large'
      | 'key_conflict'
      | 'quote_exceeded'
      | 'source_missing'
      | 'source_changing'
      | 'source_incomplete'
      | 'source_refused'
      | 'source_unavailable'
      | 'target_refused'
      | 'target_rejected'
      | 'target_unavailable'
      | 'target_differs'
      | 'target_occupied'
      | 'object_changed'
      | 'old_object_waits'
      | 'old_object_changed'
      | 'old_object_refused'
      | 'file_deleted'
      | 'file_moved';
    reason: string;
  }[];
  startedBy: string;
  startedByName: string;
  startedAt: string;
  movedAt: string | null;
  completedAt: string | null;
  error: { code: string; message: string } | null;
}

/** The answer of `GET /v1/relocations`. */
export interface RelocationsPage {
  /** The newest first. */
  items: Relocation[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** The answer of `POST /v1/drills`. */
export interface DrillEstimate {
  files: number;
  /** The bytes of the largest sample to be expected. */
  bytes: number;
  quote: Quote;
  monthlyBeforeUsd: number;
  monthlyAfterUsd: number;
  /** Requests and egress at the target, to read the copies back. */
  readBackUsd: number;
  /** What `maxTotalUsd` is compared with. */
  totalUsd: number;
}

/** The answer of `GET /v1/drills/{drillId}`. */
export interface Drill {
  drillId: string;
  status: 'sampling' | 'copying' | 'reading' | 'removing' | 'completed' | 'failed' | 'cancelled';
  from: DrillSource;
  to: Place;
  seed: string;
  sample: DrillSample;
  results: DrillResults;
  whole: DrillWhole;
  notTried: string[];
  /** Nothing of it is left at the target. */
  removed: boolean;
  /** Keys that the target has kept, the first 100. */
  left: string[];
  costUsd: number;
  startedBy: string;
  startedByName: string;
  startedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
  /** The SHA-256 of the certificate as JSON. */
  certificateSha256: string | null;
}

/** A part of {@link Drill}: `sample`. */
export interface DrillSample {
  files: number;
  bytes: number;
  /** What is in the sample of each stratum, and of how much. */
  strata: { what: string; files: number; bytes: number; ofFiles: number; ofBytes: number }[];
}

/** A part of {@link Drill}: `results`. */
export interface DrillResults {
  copied: number;
  readBack: number;
  equal: number;
  failed: number;
  /** The first 100; `failed` counts all. */
  failures: {
    key: string;
    code:
      | 'needs_restore'
      | 'class_without_price'
      | 'key_too_long'
      | 'object_too_large'
      | 'key_conflict'
      | 'quote_exceeded'
      | 'source_missing'
      | 'source_changing'
      | 'source_incomplete'
      | 'source_refused'
      | 'source_unavailable'
      | 'target_refused'
      | 'target_rejected'
      | 'target_unavailable'
      | 'target_differs'
      | 'target_occupied'
      | 'object_changed'
      | 'old_object_waits'
      | 'old_object_changed'
      | 'old_object_refused'
      | 'file_deleted'
      | 'file_moved';
    reason: string;
  }[];
  /** All that failed, by their codes. */
  byCode: {
    code:
      | 'needs_restore'
      | 'class_without_price'
      | 'key_too_long'
      | 'object_too_large'
      | 'key_conflict'
      | 'quote_exceeded'
      | 'source_missing'
      | 'source_changing'
      | 'source_incomplete'
      | 'source_refused'
      | 'source_unavailable'
      | 'target_refused'
      | 'target_rejected'
      | 'target_unavailable'
      | 'target_differs'
      | 'target_occupied'
      | 'object_changed'
      | 'old_object_waits'
      | 'old_object_changed'
      | 'old_object_refused'
      | 'file_deleted'
      | 'file_moved';
    files: number;
  }[];
  bytesPerSecond: number;
  requests: number;
  retries: number;
  /** The root of the tree over the proven objects. */
  rootHash: string | null;
}

/** A part of {@link Drill}: `whole`. */
export interface DrillWhole {
  files: number;
  bytes: number;
  hoursFrom: number | null;
  hoursTo: number | null;
  onceUsd: number;
  monthlyUsd: number;
}

/** A part of {@link Drill}: `from`. */
export interface DrillSource {
  provider: Provider;
  /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
  bucketName: string;
  region: string;
  accountId?: string;
  jurisdiction?: 'eu' | 'fedramp';
  connectionId?: string;
}

/** The answer of `GET /v1/drills`. */
export interface DrillsPage {
  /** The newest first. */
  items: Drill[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** The answer of `PUT /v1/drills/schedule`. */
export interface DrillSchedule {
  every: 'month' | 'quarter';
  hourUtc: number;
  drill: {
    /** A current or former place of the account. */
    from:
      | {
          /** The id of a store of `GET /v1/providers/catalogue`. */
          provider: string;
          /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
          bucketName: string;
          region?: string;
          accountId?: string;
          jurisdiction?: 'eu' | 'fedramp';
        }
      | {
          connectionId: string;
          /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
          bucketName: string;
        };
    /** The provider whose current place is meant. */
    to: string;
    /** How many files, or files of how many bytes. */
    sample: { files: number } | { bytes: number };
    maxTotalUsd: number;
  };
  nextAt: string;
  /** What became of the last time; null until the first. */
  last: {
    at: string;
    drillId: string | null;
    outcome: 'started' | 'drill_running' | 'plan_limit' | 'quote_exceeded' | 'failed';
  } | null;
}

/** The answer of `GET /v1/drills/{drillId}/certificate`. */
export interface DrillCertificate {
  format: string;
  drillId: string;
  status: 'sampling' | 'copying' | 'reading' | 'removing' | 'completed' | 'failed' | 'cancelled';
  from: DrillSource;
  to: Place;
  seed: string;
  sample: DrillSample;
  results: DrillResults;
  whole: DrillWhole;
  notTried: string[];
  /** Nothing of it is left at the target. */
  removed: boolean;
  /** Keys that the target has kept, the first 100. */
  left: string[];
  costUsd: number;
  startedBy: string;
  startedByName: string;
  startedAt: string;
  completedAt: string | null;
  error: { code: string; message: string } | null;
  method: string[];
  /** The leaves of the tree under `rootHash`, in the order of their keys. */
  objects: {
    key: string;
    etag: string;
    bytes: number;
    /** The SHA-256 of the copied bytes, in lower-case hex. */
    sha256: string | null;
  }[];
}

/** The answer of `GET /v1/analytics/summary`. */
export interface AnalyticsSummary {
  files: {
    pending: number;
    active: number;
    /** Those whose delete is under way too. */
    deleted: number;
    expired: number;
  };
  /** Bytes / 10^9, unrounded. */
  gbRouted: number;
  savedVsAwsUsd: number;
  /** Those that something was routed to, in the order of the catalogue. */
  byProvider: ProviderFigures[];
  currentMonth: MonthFigures;
}

/** A part of {@link AnalyticsSummary}: `byProvider[]`. */
export interface ProviderFigures {
  provider: Provider;
  /** Completed uploads, also those deleted since. */
  files: number;
  /** Bytes / 10^9, unrounded. */
  gbRouted: number;
  savedVsAwsUsd: number;
}

/** A part of {@link AnalyticsSummary}: `currentMonth`. */
export interface MonthFigures {
  /** A UTC month. */
  month: string;
  /** Completed uploads, also those deleted since. */
  uploads: number;
  /** Bytes / 10^9, unrounded. */
  gbRouted: number;
  savedVsAwsUsd: number;
}

/** The answer of `GET /v1/analytics/monthly`. */
export interface AnalyticsMonthly {
  /** The last 12 months, the oldest first, empty ones as zeros. */
  months: {
    /** A UTC month. */
    month: string;
    /** Completed uploads, also those deleted since. */
    uploads: number;
    /** Bytes / 10^9, unrounded. */
    gbRouted: number;
    savedVsAwsUsd: number;
    /** Those that something was routed to, in the order of the catalogue. */
    byProvider: ProviderFigures[];
  }[];
}

/** The answer of `GET /v1/analytics/routing-history`. */
export interface RoutingHistoryPage {
  /** The newest first; of the same moment, by fileId. */
  items: RoutedFile[];
  /** Items in the whole list. */
  total: number;
  limit: number;
  offset: number;
}

/** A part of {@link RoutingHistoryPage}: `items[]`. */
export interface RoutedFile {
  fileId: string;
  fileName: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  preferredProvider: Provider;
  status: 'pending' | 'active' | 'expired' | 'deleting' | 'deleted';
  savedVsAwsUsd: number;
  routingWarning: string | null;
  createdAt: string;
}

/** The answer of `GET /v1/analytics/routing-history/{fileId}`. */
export interface RoutedFileDecision {
  fileId: string;
  fileName: string;
  fileSizeBytes: number;
  priority: Priority;
  provider: Provider;
  preferredProvider: Provider;
  status: 'pending' | 'active' | 'expired' | 'deleting' | 'deleted';
  savedVsAwsUsd: number;
  routingWarning: string | null;
  createdAt: string;
  routing: RoutingDecision;
}

/** A part of the answer of `GET /v1/billing/subscription`: `subscription`. */
export interface Subscription {
  status:
    | 'trialing'
    | 'active'
    | 'past_due'
    | 'unpaid'
    | 'paused'
    | 'incomplete'
    | 'canceled'
    | 'incomplete_expired';
  plan: 'starter' | 'growth' | null;
}

/** The answer of `POST /v1/billing/checkout`. */
export interface Checkout {
  url: string;
  sessionId: string;
}

/** The input and the answer of each call. */
export interface Api {
  'GET /v1/me': {
    reply: Me;
  };
  'GET /v1/account': {
    reply: Me;
  };
  'GET /v1/account/person': {
    reply: Person;
  };
  'GET /v1/account/activity': {
    input: { limit?: number; offset?: number };
    reply: ActivityPage;
  };
  'GET /health': {
    reply: Health;
  };
  'POST /v1/upload/init': {
    input: {
      /** A name without control characters. */
      fileName: string;
      /** A media type, such as image/png or video/webm;codecs=vp9,opus. */
      contentType: string;
      fileSizeBytes: number;
      priority?: Priority;
      multipart?: boolean;
      /** 16 bytes in base64. */
      contentMd5?: string;
    };
    reply: {
      fileId: string;
      presignedUrl?: string;
      provider: Provider;
      savedVsAws: number;
      routingWarning?: string;
      multipart?: { partSizeBytes: number; partCount: number };
      requiredHeaders: Record<string, string>;
      expiresAt: string;
    };
  };
  'POST /v1/upload/complete': {
    input: { fileId: string };
    reply: CompleteResult;
  };
  'GET /v1/file/{fileId}': {
    reply: FileInfo;
  };
  'DELETE /v1/file/{fileId}': {
    reply:
      | { fileId: string; status: 'deleted'; deletedAt: string }
      | { fileId: string; status: 'deleting' };
  };
  'POST /v1/upload/parts': {
    input: { fileId: string; partNumbers: number[] };
    reply: PartUrlsResult;
  };
  'GET /v1/upload/parts/{fileId}': {
    input: { after?: number };
    reply: { items: HeldPart[]; next: number | null };
  };
  'POST /v1/upload/url': {
    input: { fileId: string };
    reply: UploadUrlResult;
  };
  'GET /v1/providers/api-key': {
    reply: { apiKey: ApiKeyInfo | null };
  };
  'POST /v1/providers/api-key/regenerate': {
    input: Record<string, unknown>;
    reply: RegeneratedApiKey;
  };
  'POST /v1/keys/rotate': {
    input: Record<string, unknown>;
    reply: RotatedApiKey;
  };
  'POST /v1/providers': {
    input: {
      /** The id of a store of `GET /v1/providers/catalogue`. */
      provider: string;
      /** Printable ASCII characters without spaces. */
      accessKeyId: string;
      /** Printable ASCII characters without spaces. */
      secretAccessKey: string;
      /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
      bucketName: string;
      region: string;
      /** The account id at the provider: letters, digits and hyphens. */
      accountId?: string;
      jurisdiction?: 'eu' | 'fedramp';
      /** The keys are new ones of a former place, which the other fields name. */
      place?: 'former';
    };
    reply: SavedProvider;
  };
  'GET /v1/providers': {
    reply: { items: ProviderInfo[] };
  };
  'GET /v1/providers/catalogue': {
    reply: { items: ProviderDescription[] };
  };
  'DELETE /v1/providers/{provider}': {
    reply: undefined;
  };
  'POST /v1/providers/test': {
    input: {
      /** The id of a store of `GET /v1/providers/catalogue`. */
      provider: string;
      /** An origin without a path: https, or http://localhost with a port. */
      origin?: string;
    };
    reply: ProviderTest;
  };
  'GET /v1/scanner/service-identity': {
    reply: ServiceIdentity;
  };
  'POST /v1/scanner/connect': {
    input:
      | {
          /** The ARN of a role, such as arn:aws:iam::111122223333:role/Name. */
          roleArn: string;
          /** 16 to 1,224 letters, digits and characters of _+=,.@:/-; a connection that has a shorter one keeps it. */
          externalId: string;
          regions: string[];
        }
      | {
          /** The id of a store of `GET /v1/providers/catalogue`. */
          provider: string;
          /** To read besides the provider's own; null: all that the stored credentials may list. */
          buckets?: string[] | null;
        };
    reply: Connection;
  };
  'GET /v1/scanner/connections': {
    reply: { items: Connection[] };
  };
  'DELETE /v1/scanner/connections/{connectionId}': {
    reply: undefined;
  };
  'PUT /v1/scanner/connections/{connectionId}/schedule': {
    input: { every: 'day' | 'week' | 'month'; hourUtc: number };
    reply: Schedule;
  };
  'DELETE /v1/scanner/connections/{connectionId}/schedule': {
    reply: undefined;
  };
  'POST /v1/scanner/scan': {
    input: { connectionId: string };
    reply: StartedScan;
  };
  'GET /v1/scanner/results/{scanId}': {
    reply: ScanResult;
  };
  'GET /v1/scanner/results/{scanId}/progress': {
    reply: { buckets: BucketProgress[] };
  };
  'GET /v1/scanner/results/{scanId}/changes': {
    reply: ScanChanges;
  };
  'GET /v1/scanner/results/{scanId}/report': {
    reply: string;
  };
  'GET /v1/scanner/recommendations': {
    input: {
      status?: 'open' | 'approved' | 'expired' | 'superseded';
      connectionId?: string;
      limit?: number;
      offset?: number;
    };
    reply: RecommendationsPage;
  };
  'GET /v1/scanner/recommendations/{recommendationId}': {
    reply: RecommendationDetail;
  };
  'GET /v1/scanner/recommendations/{recommendationId}/example-key': {
    reply: { key: string | null };
  };
  'POST /v1/scanner/recommendations/{recommendationId}/dismiss': {
    input: { days: number; reason: string };
    reply: RecommendationDetail;
  };
  'DELETE /v1/scanner/recommendations/{recommendationId}/dismiss': {
    reply: RecommendationDetail;
  };
  'GET /v1/scanner/history': {
    reply: {
      /** Money, verdict and confidence are null until the scan has completed. */
      items: ScanLine[];
    };
  };
  'POST /v1/scanner/recommendations/{recommendationId}/approve': {
    input: {
      /** The id of a store of `GET /v1/providers/catalogue`. */
      targetProvider: string;
      target?: {
        /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
        bucketName: string;
        /** What the keys at the target begin with; empty for the keys of the source. */
        keyPrefix: string;
      };
    };
    reply: ApprovedMigration;
  };
  'GET /v1/scanner/migrations': {
    input: { status?: MigrationStatus; limit?: number; offset?: number };
    reply: MigrationsPage;
  };
  'GET /v1/scanner/migration/{migrationId}': {
    reply: Migration;
  };
  'GET /v1/scanner/migration/{migrationId}/report': {
    line: ReportedObject | MigrationSummary;
  };
  'POST /v1/scanner/migration/{migrationId}/cancel': {
    input: Record<string, unknown>;
    reply: Migration;
  };
  'POST /v1/scanner/migration/{migrationId}/release': {
    input: Record<string, unknown>;
    reply: { release: Release };
  };
  'GET /v1/scanner/migration/{migrationId}/release': {
    reply: Release;
  };
  'GET /v1/scanner/migration/{migrationId}/release/objects': {
    input: {
      /** A key. */
      after?: string;
    };
    line: ReleasedObject;
  };
  'POST /v1/scanner/migration/{migrationId}/rounds': {
    input: {
      /** The round copies nothing if it would cost more, by the rules of the quote. */
      maxTotalUsd: number;
      /** Copied objects that were deleted at the source are removed at the target if there are at most this many; 0: none are removed. */
      removeAtMost?: number;
    };
    reply: Migration;
  };
  'POST /v1/relocations': {
    input: {
      /** A current or former place of the account. */
      from: {
        /** The id of a store of `GET /v1/providers/catalogue`. */
        provider: string;
        /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
        bucketName: string;
        region?: string;
        accountId?: string;
        jurisdiction?: 'eu' | 'fedramp';
      };
      /** The provider whose current place is meant. */
      to: string;
      /** Which of the active files there; all by default. */
      select?: { priority?: Priority; minAgeDays?: number; fileIds?: string[] };
      /** Answers with the estimate alone. */
      dryRun?: boolean;
      /** Required unless `dryRun`; refused where the estimate is above. */
      maxTotalUsd?: number;
    };
    reply: RelocationEstimate | Relocation;
  };
  'GET /v1/relocations': {
    input: { limit?: number; offset?: number };
    reply: RelocationsPage;
  };
  'GET /v1/relocations/{relocationId}': {
    reply: Relocation;
  };
  'POST /v1/relocations/{relocationId}/cancel': {
    input: Record<string, unknown>;
    reply: Relocation;
  };
  'GET /v1/relocations/{relocationId}/report': {
    line:
      | {
          fileId: string;
          bytes: number;
          /** The SHA-256 of the copied bytes, in lower-case hex. */
          sha256: string | null;
          from: Place;
          to: Place;
          outcome: 'moved' | 'skipped' | 'failed';
          code?:
            | 'needs_restore'
            | 'class_without_price'
            | 'key_too_long'
            | 'object_too_large'
            | 'key_conflict'
            | 'quote_exceeded'
            | 'source_missing'
            | 'source_changing'
            | 'source_incomplete'
            | 'source_refused'
            | 'source_unavailable'
            | 'target_refused'
            | 'target_rejected'
            | 'target_unavailable'
            | 'target_differs'
            | 'target_occupied'
            | 'object_changed'
            | 'old_object_waits'
            | 'old_object_changed'
            | 'old_object_refused'
            | 'file_deleted'
            | 'file_moved';
          movedAt: string | null;
          sourceDeletedAt: string | null;
        }
      | {
          relocationId: string;
          status:
            | 'planning'
            | 'copying'
            | 'draining'
            | 'completed'
            | 'completed_with_failures'
            | 'cancelled'
            | 'failed';
          filesMoved: number;
          filesSkipped: number;
          filesFailed: number;
          bytesMoved: number;
        };
  };
  'POST /v1/drills': {
    input: {
      /** A current or former place of the account. */
      from:
        | {
            /** The id of a store of `GET /v1/providers/catalogue`. */
            provider: string;
            /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
            bucketName: string;
            region?: string;
            accountId?: string;
            jurisdiction?: 'eu' | 'fedramp';
          }
        | {
            connectionId: string;
            /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
            bucketName: string;
          };
      /** The provider whose current place is meant. */
      to: string;
      /** How many files, or files of how many bytes. */
      sample: { files: number } | { bytes: number };
      /** Answers with the estimate alone. */
      dryRun?: boolean;
      /** Required unless `dryRun`; refused where the estimate is above. */
      maxTotalUsd?: number;
    };
    reply: DrillEstimate | Drill;
  };
  'GET /v1/drills': {
    input: { limit?: number; offset?: number };
    reply: DrillsPage;
  };
  'GET /v1/drills/schedule': {
    reply: DrillSchedule;
  };
  'PUT /v1/drills/schedule': {
    input: {
      every: 'month' | 'quarter';
      hourUtc: number;
      drill: {
        /** A current or former place of the account. */
        from:
          | {
              /** The id of a store of `GET /v1/providers/catalogue`. */
              provider: string;
              /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
              bucketName: string;
              region?: string;
              accountId?: string;
              jurisdiction?: 'eu' | 'fedramp';
            }
          | {
              connectionId: string;
              /** Lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends. */
              bucketName: string;
            };
        /** The provider whose current place is meant. */
        to: string;
        /** How many files, or files of how many bytes. */
        sample: { files: number } | { bytes: number };
        maxTotalUsd: number;
      };
    };
    reply: DrillSchedule;
  };
  'DELETE /v1/drills/schedule': {
    reply: undefined;
  };
  'GET /v1/drills/{drillId}': {
    reply: Drill;
  };
  'POST /v1/drills/{drillId}/cancel': {
    input: Record<string, unknown>;
    reply: Drill;
  };
  'GET /v1/drills/{drillId}/certificate': {
    reply: DrillCertificate;
  };
  'GET /v1/analytics/summary': {
    reply: AnalyticsSummary;
  };
  'GET /v1/analytics/monthly': {
    reply: AnalyticsMonthly;
  };
  'GET /v1/analytics/routing-history': {
    input: { limit?: number; offset?: number };
    reply: RoutingHistoryPage;
  };
  'GET /v1/analytics/routing-history/{fileId}': {
    reply: RoutedFileDecision;
  };
  'GET /v1/billing/subscription': {
    reply: { subscription: Subscription | null };
  };
  'POST /v1/billing/checkout': {
    input: { plan: 'starter' | 'growth' };
    reply: Checkout;
  };
  'POST /v1/billing/portal': {
    input: Record<string, unknown>;
    reply: { url: string };
  };
  'POST /v1/webhooks': {
    input: {
      /** Https, without a user name; the host must have public addresses only. */
      url: string;
      events: (
        | 'scan.completed'
        | 'scan.failed'
        | 'verdict.changed'
        | 'recommendation.opened'
        | 'migration.approved'
        | 'migration.ended'
        | 'release.ready'
        | 'provider.failing'
        | 'file.settled'
        | 'relocation.completed'
        | 'drill.completed'
      )[];
      format?: 'standard' | 'slack';
    };
    reply: AddedWebhook;
  };
  'GET /v1/webhooks': {
    reply: { items: Webhook[] };
  };
  'DELETE /v1/webhooks/{webhookId}': {
    reply: undefined;
  };
  'GET /v1/webhooks/{webhookId}/deliveries': {
    reply: { items: WebhookDelivery[] };
  };
  'POST /v1/webhooks/{webhookId}/test': {
    input: Record<string, unknown>;
    reply: { eventId: string };
  };
  'POST /v1/webhooks/{webhookId}/rotate': {
    input: Record<string, unknown>;
    reply: {
      /** A Standard Webhooks secret: `whsec_` and base64; shown once. */
      secret: string;
    };
  };
  'POST /v1/webhooks/{webhookId}/enable': {
    input: Record<string, unknown>;
    reply: Webhook;
  };
}

/** The error codes of the service. */
export type ServiceErrorCode =
  | 'billing_not_configured'
  | 'connection_not_found'
  | 'drill_not_found'
  | 'drill_running'
  | 'file_already_active'
  | 'file_deleted'
  | 'file_expired'
  | 'file_incomplete'
  | 'file_is_multipart'
  | 'file_not_found'
  | 'file_not_multipart'
  | 'file_not_on_provider'
  | 'file_size_mismatch'
  | 'file_too_large'
  | 'forbidden'
  | 'internal_error'
  | 'invalid_request'
  | 'method_not_allowed'
  | 'migration_not_found'
  | 'migration_running'
  | 'migration_too_large'
  | 'no_providers_configured'
  | 'no_subscription'
  | 'not_found'
  | 'payload_too_large'
  | 'plan_limit'
  | 'provider_error'
  | 'provider_in_use'
  | 'provider_not_configured'
  | 'provider_not_usable'
  | 'quote_exceeded'
  | 'rate_limited'
  | 'recommendation_not_approvable'
  | 'recommendation_not_found'
  | 'recommendation_not_open'
  | 'release_not_found'
  | 'release_not_ready'
  | 'relocation_not_found'
  | 'relocation_running'
  | 'role_already_connected'
  | 'role_not_assumable'
  | 'scan_already_running'
  | 'scan_not_completed'
  | 'scan_not_found'
  | 'target_prefix_taken'
  | 'too_many_places'
  | 'too_many_rounds'
  | 'too_many_webhooks'
  | 'unauthorized'
  | 'unavailable'
  | 'unsupported_media_type'
  | 'webhook_not_found';

export const PRIORITIES = ['hot', 'archive', 'cold'] as const;

export const PAID_PLANS = ['starter', 'growth'] as const;

export const MIGRATION_STATUSES = [
  'queued',
  'planning',
  'copying',
  'verifying',
  'cancelling',
  'completed',
  'completed_with_failures',
  'failed',
  'cancelled',
] as const;

export const WEBHOOK_EVENTS = [
  'scan.completed',
  'scan.failed',
  'verdict.changed',
  'recommendation.opened',
  'migration.approved',
  'migration.ended',
  'release.ready',
  'provider.failing',
  'file.settled',
  'relocation.completed',
  'drill.completed',
] as const;

export const RECOMMENDATION_STATUSES = ['open', 'approved', 'expired', 'superseded'] as const;
