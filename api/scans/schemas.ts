import { READ_SOURCES } from '../../domain/reads/reads.ts';
import { Type } from 'typebox';
import { PRICE_LINES } from '../../domain/bill/usage-types.ts';
import {
  LEFT_ALONE_CODES,
  MAX_LEFT_ALONE,
  VERDICTS,
  WORKLOAD_PROFILES,
} from '../../domain/decision/types.ts';
import { FINDING_CODES } from '../../domain/inventory/finding.ts';
import { AGE_BANDS, CONTENT_KINDS, SIZE_BANDS } from '../../domain/inventory/bands.ts';
import { CHANGE_CAUSES } from '../../domain/scans/changes.ts';
import { BUCKET_STATES, SCAN_STATUSES } from '../../domain/scans/scan.ts';
import {
  Bytes,
  closed,
  Id,
  nullable,
  Objects,
  oneOf,
  Problem,
  Provider,
  Time,
  Usd,
} from '../http/schemas.ts';
import {
  Confidence,
  Months,
  RecommendationView,
  SelectorView,
} from '../recommendations/schemas.ts';

/** Requests and answers of scans. */

export const ScanId = Type.Object({ scanId: Id }, closed);

export const ScanStarted = Type.Object({
  scanId: Id,
  connectionId: Id,
  status: Type.Literal('queued'),
  startedAt: Time,
});

const FindingView = Type.Object({
  code: oneOf(FINDING_CODES),
  message: Type.String(),
  objects: Objects,
  bytes: Bytes,
  monthlyCostUsd: Usd,
  migrationId: Type.Optional(
    Type.String({ description: 'of not_moved_yet: a round of this migration copies them' }),
  ),
});

const counts = { objects: Objects, bytes: Bytes } as const;

const ReadsView = Type.Object(
  {
    source: oneOf(READ_SOURCES),
    getsPerMonth: Type.Integer({ minimum: 0 }),
    bytesPerMonth: Type.Integer({ minimum: 0 }),
    internetBytesPerMonth: Type.Integer({ minimum: 0 }),
  },
  { description: 'per 30 days, as expected; null for a bucket that could not be read' },
);

const PriceLineView = oneOf(PRICE_LINES);
const BilledClass = nullable(Type.String({ description: 'of storage, put, get and retrieval' }));

const BillView = Type.Object(
  {
    period: Type.String({ description: 'the calendar month, as `2026-10`' }),
    estimated: Type.Boolean({ description: 'AWS may still change it' }),
    listUsd: Usd,
    netUsd: Usd,
    explainedShare: nullable(
      Type.Number({
        description: 'of the billed storage, by cost: what was listed; null: none was billed',
      }),
    ),
    unexplainedUsd: Type.Number({
      ...Usd,
      description: 'of listUsd: what of the storage lines nothing listed explains',
    }),
    unexplained: Type.Array(
      Type.Object({ region: nullable(Type.String()), usageType: Type.String(), usd: Usd }),
      { description: 'the largest first' },
    ),
    factors: Type.Array(
      Type.Object({
        region: Type.String(),
        line: PriceLineView,
        storageClass: BilledClass,
        factor: Type.Number({ description: 'paid / list price, below 1' }),
      }),
    ),
    lines: Type.Array(
      Type.Object({
        region: nullable(Type.String({ description: 'null: one that is not known' })),
        usageType: Type.String({ description: 'without the prefix of its region' }),
        line: PriceLineView,
        storageClass: BilledClass,
        quantity: Type.Number(),
        unit: Type.String(),
        listUsd: Usd,
        netUsd: Usd,
        listedQuantity: nullable(
          Type.Number({ description: 'the GB of its class that were listed' }),
        ),
      }),
      { description: 'the most expensive first' },
    ),
  },
  { description: 'the S3 lines of the bill of the last closed month; null: not known' },
);

export const BucketView = Type.Object({
  name: Type.String(),
  region: Type.String(),
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: Usd,
  optimalMonthlyCostUsd: Usd,
  byStorageClass: Type.Array(Type.Object({ storageClass: Type.String(), ...counts })),
  byAge: Type.Array(Type.Object({ band: oneOf(AGE_BANDS), ...counts })),
  bySize: Type.Array(Type.Object({ band: oneOf(SIZE_BANDS), ...counts })),
  byContent: Type.Array(Type.Object({ kind: oneOf(CONTENT_KINDS), ...counts })),
  byPrefix: Type.Array(Type.Object({ prefix: Type.String(), ...counts })),
  findings: Type.Array(FindingView),
  reads: nullable(ReadsView),
  error: Problem,
});

const Placed = Type.Object({ provider: Provider, storageClass: nullable(Type.String()) });

const ReportView = Type.Object({
  workloadProfile: oneOf(WORKLOAD_PROFILES),
  verdict: oneOf(VERDICTS),
  confidence: nullable(Type.Number({ description: 'null: no bucket could be read' })),
  leftAlone: Type.Array(
    Type.Object({
      bucket: Type.String(),
      prefix: nullable(Type.String({ description: 'null: the whole bucket' })),
      code: oneOf(LEFT_ALONE_CODES),
      message: Type.String(),
      objects: Objects,
      bytes: Bytes,
      monthlyCostUsd: Usd,
    }),
    {
      description: `what could move and is not touched, the most expensive first, at most ${MAX_LEFT_ALONE}`,
    },
  ),
  reasons: Type.Array(Type.String()),
  risks: Type.Array(Type.String()),
  assumptions: Type.Array(Type.String()),
  horizonMonths: Type.Integer(),
  priceBook: Type.String(),
  currentMonthlyCostUsd: Usd,
  optimalMonthlyCostUsd: Usd,
  oneOffCostUsd: Usd,
  breakEvenMonths: Months,
  savings12MonthsUsd: Usd,
  readScenarios: Type.Array(
    Type.Object({
      reads: oneOf(['none', 'expected']),
      title: Type.String(),
      stayMonthlyUsd: Usd,
      optimalMonthlyUsd: Usd,
    }),
  ),
  exitScenario: nullable(
    Type.Object({
      provider: Provider,
      monthlyCostUsd: Usd,
      remainingMonthlyUsd: Type.Number({
        ...Usd,
        description:
          'what stays at the source: archived classes, what is left alone, old versions, parts of uploads',
      }),
      oneOffUsd: Usd,
      oneOffWithExitWaiverUsd: Usd,
      breakEvenMonths: Months,
      breakEvenMonthsWithExitWaiver: Months,
    }),
  ),
  placements: Type.Array(
    Type.Object({
      bucket: Type.String(),
      selector: SelectorView,
      from: Placed,
      to: Placed,
      objects: Objects,
      bytes: Bytes,
      monthlySavingsUsd: Usd,
    }),
  ),
});

export const RevisionView = Type.Object({
  at: Time,
  priceBook: Type.String({ description: 'the version of the prices' }),
  verdict: nullable(oneOf(VERDICTS)),
  currentMonthlyCostUsd: Usd,
  monthlySavingsUsd: Usd,
});

export const ScanResult = Type.Object({
  scanId: Id,
  connectionId: Id,
  provider: Provider,
  status: oneOf(SCAN_STATUSES),
  source: oneOf(['live', 'stored']),
  progress: Type.Object({
    bucketsTotal: Type.Integer(),
    bucketsDone: Type.Integer(),
    objects: Objects,
    bytes: Bytes,
    percent: Type.Integer({ minimum: 0, maximum: 100 }),
  }),
  requests: Type.Object(
    { list: Type.Integer(), other: Type.Integer(), costUsd: Usd },
    { description: 'those that the scan sent to the account, and their cost' },
  ),
  startedAt: Time,
  completedAt: nullable(Time),
  error: Problem,
  /** All zeros until it has completed. */
  summary: Type.Object({
    buckets: Type.Integer(),
    objects: Objects,
    bytes: Bytes,
    currentMonthlyCostUsd: Usd,
    optimalMonthlyCostUsd: Usd,
    monthlySavingsUsd: Usd,
    workloadProfile: oneOf(WORKLOAD_PROFILES),
    findings: Type.Array(FindingView),
    coverage: Type.Array(
      Type.Object({
        bucket: nullable(Type.String({ description: 'null: the whole account' })),
        missing: Type.String({ description: 'the permission, or `cost_explorer`' }),
        effect: Type.String(),
      }),
    ),
    bill: nullable(BillView),
  }),
  buckets: Type.Array(BucketView),
  recommendations: Type.Array(RecommendationView),
  decisionReport: nullable(ReportView),
  revisions: Type.Array(RevisionView, {
    description: 'what was decided: as the scan completed, and again with each new price book',
  }),
});

const RecommendationIds = Type.Array(Id);

export const ScanChangesView = Type.Object({
  since: nullable(
    Type.Object(
      { scanId: Id, at: Time, priceBook: Type.String() },
      { description: 'the scan, or the decision of it, before this one; null: there is none' },
    ),
  ),
  costChangeUsd: nullable(Usd),
  causes: Type.Array(Type.Object({ code: oneOf(CHANGE_CAUSES), usd: Usd }), {
    description: 'they add up to `costChangeUsd`',
  }),
  buckets: Type.Array(Type.Object({ name: Type.String(), costChangeUsd: Usd }), {
    description: 'the 20 with the largest changes',
  }),
  recommendations: Type.Object({
    opened: RecommendationIds,
    gone: Type.Array(Id, { description: 'of the decision before' }),
    better: Type.Array(Id, { description: 'that save more than before' }),
  }),
});

export const LatestBucketView = Type.Object({
  name: Type.String(),
  state: oneOf(BUCKET_STATES),
  objects: Objects,
  bytes: Bytes,
  error: nullable(Type.String({ description: 'why it could not be read' })),
});

export const ScanBuckets = Type.Object({ buckets: Type.Array(LatestBucketView) });

export const ScanLineView = Type.Object({
  scanId: Id,
  connectionId: Id,
  status: oneOf(SCAN_STATUSES),
  startedAt: Time,
  completedAt: nullable(Time),
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: nullable(Usd),
  monthlySavingsUsd: nullable(Usd),
  verdict: nullable(oneOf(VERDICTS)),
  confidence: nullable(Confidence),
});

export const ScanHistory = Type.Object({
  items: Type.Array(ScanLineView, {
    description: 'money, verdict and confidence are null until the scan has completed',
  }),
});
