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
  example,
  Id,
  ids,
  nullable,
  Objects,
  oneOf,
  Problem,
  Provider,
  Time,
  Usd,
} from '../http/schemas.ts';
import {
  Assumption,
  Bucket,
  Confidence,
  CurrentCost,
  Months,
  OptimalCost,
  RecommendationView,
  Region,
  Savings,
  SelectorView,
} from '../recommendations/schemas.ts';

/** Requests and answers of scans. */

export const ScanId = Type.Object({ scanId: ids.scan }, closed);

export const ScanStarted = Type.Object({
  scanId: ids.scan,
  connectionId: ids.connection,
  status: Type.Literal('queued'),
  startedAt: Time,
});

const FindingView = Type.Object({
  code: example(oneOf(FINDING_CODES), 'no_lifecycle_rule'),
  message: example(Type.String(), 'The bucket has no lifecycle rule.'),
  objects: example(Objects, 0),
  bytes: example(Bytes, 0),
  monthlyCostUsd: example(Usd, 0),
  migrationId: Type.Optional(
    Type.String({ description: 'of not_moved_yet: a round of this migration copies them' }),
  ),
});

const counts = { objects: Objects, bytes: Bytes } as const;

const ReadsView = Type.Object(
  {
    source: example(oneOf(READ_SOURCES), 'apportioned'),
    getsPerMonth: example(Type.Integer({ minimum: 0 }), 600),
    bytesPerMonth: example(Type.Integer({ minimum: 0 }), 193_273_528_320),
    internetBytesPerMonth: example(Type.Integer({ minimum: 0 }), 193_273_528_320),
  },
  { description: 'per 30 days, as expected; null for a bucket that could not be read' },
);

const PriceLineView = oneOf(PRICE_LINES);
const BilledClass = nullable(Type.String({ description: 'of storage, put, get and retrieval' }));

const BillView = Type.Object(
  {
    period: example(Type.String({ description: 'the calendar month, as `2026-10`' }), '2026-10'),
    estimated: example(Type.Boolean({ description: 'AWS may still change it' }), false),
    listUsd: example(Usd, 26.411748),
    netUsd: example(Usd, 26.411748),
    explainedShare: nullable(
      example(
        Type.Number({
          description: 'of the billed storage, by cost: what was listed; null: none was billed',
        }),
        0.9986,
      ),
    ),
    unexplainedUsd: example(
      Type.Number({
        ...Usd,
        description: 'of listUsd: what of the storage lines nothing listed explains',
      }),
      0.013297,
    ),
    unexplained: Type.Array(
      Type.Object({
        region: nullable(Region),
        usageType: example(Type.String(), 'TimedStorage-ByteHrs'),
        usd: example(Usd, 0.013297),
      }),
      { description: 'the largest first' },
    ),
    factors: Type.Array(
      Type.Object({
        region: Region,
        line: example(PriceLineView, 'storage'),
        storageClass: BilledClass,
        factor: Type.Number({ description: 'paid / list price, below 1' }),
      }),
    ),
    lines: Type.Array(
      Type.Object({
        region: nullable(
          example(Type.String({ description: 'null: one that is not known' }), 'us-east-1'),
        ),
        usageType: example(
          Type.String({ description: 'without the prefix of its region' }),
          'TimedStorage-ByteHrs',
        ),
        line: example(PriceLineView, 'storage'),
        storageClass: BilledClass,
        quantity: example(Type.Number(), 420.5),
        unit: example(Type.String(), 'GB-Month'),
        listUsd: example(Usd, 26.411748),
        netUsd: example(Usd, 26.411748),
        listedQuantity: nullable(
          example(Type.Number({ description: 'the GB of its class that were listed' }), 419.921875),
        ),
      }),
      { description: 'the most expensive first' },
    ),
  },
  { description: 'the S3 lines of the bill of the last closed month; null: not known' },
);

export const BucketView = Type.Object({
  name: Bucket,
  region: Region,
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: CurrentCost,
  optimalMonthlyCostUsd: OptimalCost,
  byStorageClass: Type.Array(
    Type.Object({ storageClass: example(Type.String(), 'STANDARD'), ...counts }),
  ),
  byAge: Type.Array(Type.Object({ band: example(oneOf(AGE_BANDS), '90-365'), ...counts })),
  bySize: Type.Array(Type.Object({ band: example(oneOf(SIZE_BANDS), '64MiB-5GiB'), ...counts })),
  byContent: Type.Array(Type.Object({ kind: example(oneOf(CONTENT_KINDS), 'video'), ...counts })),
  byPrefix: Type.Array(Type.Object({ prefix: example(Type.String(), 'videos/'), ...counts })),
  findings: Type.Array(FindingView),
  reads: nullable(ReadsView),
  error: Problem,
});

const Placed = Type.Object({
  provider: example(Provider, 'b2'),
  storageClass: nullable(example(Type.String(), 'STANDARD')),
});

const ReportView = Type.Object({
  workloadProfile: example(oneOf(WORKLOAD_PROFILES), 'cold'),
  verdict: example(oneOf(VERDICTS), 'migrate'),
  confidence: nullable(example(Type.Number({ description: 'null: no bucket could be read' }), 0.9)),
  leftAlone: Type.Array(
    Type.Object({
      bucket: Bucket,
      prefix: nullable(Type.String({ description: 'null: the whole bucket' })),
      code: oneOf(LEFT_ALONE_CODES),
      message: Type.String(),
      objects: Objects,
      bytes: Bytes,
      monthlyCostUsd: example(Usd, 3.133669),
    }),
    {
      description: `what could move and is not touched, the most expensive first, at most ${MAX_LEFT_ALONE}`,
    },
  ),
  reasons: example(Type.Array(Type.String()), [
    'Moving 451 GB of 451 GB pays off within the horizon.',
    '1 recommendation would save $14.62 of $25.86 a month.',
    'They cost $37.79 once, paid back after 2.6 months.',
  ]),
  risks: example(Type.Array(Type.String()), [
    '$37.79 of the cost that is paid once is egress, due even if the move is undone.',
  ]),
  assumptions: Type.Array(Assumption),
  horizonMonths: example(Type.Integer(), 12),
  priceBook: example(Type.String(), '2026-11-28'),
  currentMonthlyCostUsd: CurrentCost,
  optimalMonthlyCostUsd: OptimalCost,
  oneOffCostUsd: example(Usd, 37.793779),
  breakEvenMonths: example(Months, 2.6),
  savings12MonthsUsd: example(Usd, 137.702066),
  readScenarios: Type.Array(
    Type.Object({
      reads: example(oneOf(['none', 'expected']), 'expected'),
      title: example(Type.String(), 'As the bill shows'),
      stayMonthlyUsd: CurrentCost,
      optimalMonthlyUsd: example(Usd, 3.133669),
    }),
  ),
  exitScenario: nullable(
    Type.Object({
      provider: example(Provider, 'b2'),
      monthlyCostUsd: example(Usd, 3.133669),
      remainingMonthlyUsd: example(
        Type.Number({
          ...Usd,
          description:
            'what stays at the source: archived classes, what is left alone, old versions, parts of uploads',
        }),
        0,
      ),
      oneOffUsd: example(Usd, 37.793779),
      oneOffWithExitWaiverUsd: example(Usd, 0.00081),
      breakEvenMonths: example(Months, 2.6),
      breakEvenMonthsWithExitWaiver: example(Months, 0.1),
    }),
  ),
  placements: Type.Array(
    Type.Object({
      bucket: Bucket,
      selector: SelectorView,
      from: example(Placed, { provider: 'aws', storageClass: 'STANDARD' }),
      to: Placed,
      objects: Objects,
      bytes: Bytes,
      monthlySavingsUsd: Savings,
    }),
  ),
});

export const RevisionView = Type.Object({
  at: Time,
  priceBook: example(Type.String({ description: 'the version of the prices' }), '2026-11-28'),
  verdict: nullable(example(oneOf(VERDICTS), 'migrate')),
  currentMonthlyCostUsd: CurrentCost,
  monthlySavingsUsd: Savings,
});

export const ScanResult = Type.Object({
  scanId: ids.scan,
  connectionId: ids.connection,
  provider: example(Provider, 'aws'),
  status: example(oneOf(SCAN_STATUSES), 'completed'),
  source: example(oneOf(['live', 'stored']), 'stored'),
  progress: Type.Object({
    bucketsTotal: example(Type.Integer(), 1),
    bucketsDone: example(Type.Integer(), 1),
    objects: Objects,
    bytes: Bytes,
    percent: example(Type.Integer({ minimum: 0, maximum: 100 }), 100),
  }),
  requests: Type.Object(
    {
      list: example(Type.Integer(), 3),
      other: example(Type.Integer(), 8),
      costUsd: example(Usd, 0.000018),
    },
    { description: 'those that the scan sent to the account, and their cost' },
  ),
  startedAt: Time,
  completedAt: nullable(example(Time, '2026-11-20T12:00:01.897Z')),
  error: Problem,
  /** All zeros until it has completed. */
  summary: Type.Object({
    buckets: example(Type.Integer(), 1),
    objects: Objects,
    bytes: Bytes,
    currentMonthlyCostUsd: CurrentCost,
    optimalMonthlyCostUsd: OptimalCost,
    monthlySavingsUsd: Savings,
    workloadProfile: example(oneOf(WORKLOAD_PROFILES), 'cold'),
    findings: example(Type.Array(FindingView), []),
    coverage: Type.Array(
      Type.Object({
        bucket: nullable(
          example(Type.String({ description: 'null: the whole account' }), 'acme-media'),
        ),
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
      {
        scanId: ids.scan,
        at: example(Time, '2026-11-13T03:30:02.000Z'),
        priceBook: example(Type.String(), '2026-11-22'),
      },
      { description: 'the scan, or the decision of it, before this one; null: there is none' },
    ),
  ),
  costChangeUsd: nullable(example(Usd, 1.2)),
  causes: Type.Array(
    Type.Object({ code: example(oneOf(CHANGE_CAUSES), 'objects'), usd: example(Usd, 1.2) }),
    {
      description: 'they add up to `costChangeUsd`',
    },
  ),
  buckets: Type.Array(Type.Object({ name: Bucket, costChangeUsd: example(Usd, 1.2) }), {
    description: 'the 20 with the largest changes',
  }),
  recommendations: Type.Object({
    opened: RecommendationIds,
    gone: Type.Array(Id, { description: 'of the decision before' }),
    better: Type.Array(ids.recommendation, { description: 'that save more than before' }),
  }),
});

export const LatestBucketView = Type.Object({
  name: Bucket,
  state: example(oneOf(BUCKET_STATES), 'reading'),
  objects: Objects,
  bytes: Bytes,
  error: nullable(Type.String({ description: 'why it could not be read' })),
});

export const ScanBuckets = Type.Object({ buckets: Type.Array(LatestBucketView) });

export const ScanLineView = Type.Object({
  scanId: ids.scan,
  connectionId: ids.connection,
  status: example(oneOf(SCAN_STATUSES), 'completed'),
  startedAt: Time,
  completedAt: nullable(Time),
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: nullable(CurrentCost),
  monthlySavingsUsd: nullable(Savings),
  verdict: nullable(example(oneOf(VERDICTS), 'migrate')),
  confidence: nullable(example(Confidence, 0.9)),
});

export const ScanHistory = Type.Object({
  items: Type.Array(ScanLineView, {
    description: 'money, verdict and confidence are null until the scan has completed',
  }),
});
