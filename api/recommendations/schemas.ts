import { SCENARIOS } from '../../domain/reads/scenarios.ts';
import { Type } from 'typebox';
import { RECOMMENDATION_KINDS } from '../../shared/recommendations.ts';
import { RISK_CODES } from '../../domain/decision/types.ts';
import { RECOMMENDATION_STATUSES } from '../../domain/recommendations/recommendation.ts';
import {
  Bytes,
  closed,
  example,
  Id,
  ids,
  nullable,
  Objects,
  oneOf,
  page,
  pageView,
  Provider,
  Time,
  Usd,
} from '../http/schemas.ts';

/** A recommendation, in the result of a scan and in the list. */

/** The place of what is recommended, and its costs. */
export const CurrentCost = example(Usd, 25.858443);
export const OptimalCost = example(Usd, 11.233789);
export const Savings = example(Usd, 14.624654);
export const Bucket = example(Type.String(), 'acme-media');
export const Region = example(Type.String(), 'us-east-1');

export const SelectorView = Type.Object({
  prefix: nullable(Type.String()),
  storageClass: nullable(Type.String()),
  minAgeDays: nullable(Type.Integer()),
  maxAgeDays: nullable(Type.Integer()),
  minSizeBytes: nullable(Type.Integer()),
});

export const Months = nullable(Type.Number({ description: 'months, rounded up to one decimal' }));

const Reads = oneOf(SCENARIOS);

export const QuoteView = Type.Object({
  egressUsd: example(Usd, 37.792969),
  sourceRequestsUsd: example(Usd, 0.00081),
  retrievalUsd: example(Usd, 0),
  earlyDeletionUsd: example(Usd, 0),
  destinationRequestsUsd: example(Usd, 0),
  transitionUsd: example(Usd, 0),
  totalUsd: example(Usd, 37.793779),
  totalWithExitWaiverUsd: example(Usd, 0.00081),
});

const Blockers = Type.Array(
  Type.Object({ code: Type.String(), message: Type.String(), objects: Objects }),
);

export const OptionView = Type.Object({
  provider: example(Provider, 'b2'),
  storageClass: example(Type.String(), 'STANDARD'),
  configured: example(
    Type.Boolean({ description: 'whether the account has credentials for it' }),
    true,
  ),
  monthlyCostUsd: example(Usd, 3.133669),
  monthlySavingsUsd: Savings,
  quote: QuoteView,
  breakEvenMonths: example(Months, 2.6),
  breakEvenMonthsWithExitWaiver: example(Months, 0.1),
  waiting: nullable(
    Type.Object(
      { until: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), savesUsd: Usd },
      {
        description:
          'what it saves to wait for the day from which the law forbids to charge customers for switching; the quote stays what is due today',
      },
    ),
  ),
  blockers: Blockers,
});

export const Assumption = Type.String({
  examples: ['Free tiers and credits are left out; a month has 30 days.'],
});

export const Confidence = Type.Number({ minimum: 0.1, maximum: 0.9 });

const Days = Type.Integer({ minimum: 0 });
const conditions = {
  Prefix: Type.Optional(Type.String()),
  ObjectSizeGreaterThan: Type.Optional(Bytes),
};
const LifecycleRuleView = Type.Object(
  {
    ID: Type.String(),
    Status: Type.Literal('Enabled'),
    Filter: Type.Object({
      ...conditions,
      And: Type.Optional(
        Type.Object({
          ...conditions,
          Tags: Type.Optional(
            Type.Array(Type.Object({ Key: Type.String(), Value: Type.String() })),
          ),
        }),
      ),
    }),
    Transitions: Type.Optional(
      Type.Array(Type.Object({ Days, StorageClass: Type.String() }), { minItems: 1 }),
    ),
    Expiration: Type.Optional(Type.Object({ ExpiredObjectDeleteMarker: Type.Literal(true) })),
    NoncurrentVersionExpiration: Type.Optional(Type.Object({ NoncurrentDays: Days })),
    AbortIncompleteMultipartUpload: Type.Optional(Type.Object({ DaysAfterInitiation: Days })),
  },
  { description: 'what the commands add to the lifecycle configuration of the bucket' },
);

const HowToView = Type.Object(
  {
    summary: Type.String(),
    lifecycleRule: nullable(LifecycleRuleView),
    commands: Type.Array(Type.String(), {
      description: 'for bash with the AWS CLI, in this order; they keep the rules that are there',
    }),
    terraform: nullable(
      Type.String({
        description:
          'the whole lifecycle configuration of the bucket with the rule, as a resource of Terraform; commands before the last one are still needed',
      }),
    ),
  },
  { description: 'how to carry it out in the own account; null for a move' },
);

const ScenarioView = Type.Object({
  scenario: example(Reads, 'expected'),
  title: example(Type.String(), 'As the bill shows'),
  stayMonthlyUsd: CurrentCost,
  thereMonthlyUsd: example(Usd, 3.133669),
});

export const RecommendationView = Type.Object({
  recommendationId: ids.recommendation,
  kind: example(oneOf(RECOMMENDATION_KINDS), 'move'),
  bucket: Bucket,
  region: Region,
  selector: SelectorView,
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: CurrentCost,
  optimalMonthlyCostUsd: OptimalCost,
  monthlySavingsUsd: Savings,
  recommendedProvider: nullable(example(Provider, 'b2')),
  recommendedStorageClass: nullable(example(Type.String(), 'STANDARD')),
  options: Type.Array(OptionView),
  confidence: example(Confidence, 0.9),
  scenarios: Type.Array(ScenarioView, {
    description:
      'what the advice withstands: its objects where they are, and at the recommended option',
  }),
  arrivals: nullable(
    Type.Object(
      { objectsPerMonth: example(Objects, 0), bytesPerMonth: example(Bytes, 0) },
      { description: 'of a move: what arrives each month and is expected to follow it' },
    ),
  ),
  oneOffUsd: nullable(
    Type.Number({ ...Usd, description: 'of a clean-up; the other kinds have quotes' }),
  ),
  reasons: example(Type.Array(Type.String()), [
    'Backblaze B2 stores it, its known reads included, for $3.13 a month instead of $25.86.',
    'Moving costs $37.79 once, $37.79 of it egress; paid back after 2.6 months.',
    'It is the cheapest answer in all four scenarios.',
  ]),
  risks: Type.Array(Type.Object({ code: oneOf(RISK_CODES), message: Type.String() })),
  blockers: Blockers,
  howTo: nullable(HowToView),
  status: example(oneOf(RECOMMENDATION_STATUSES), 'open'),
  expiresAt: example(Time, '2026-12-20T12:00:01.897Z'),
  migrationId: nullable(Id),
  supersededBy: nullable(
    Type.String({
      description:
        'the newest recommendation of the same connection, bucket, kind and selector, if this one is no longer open',
    }),
  ),
  dismissed: nullable(
    Type.Object(
      { until: Time, reason: Type.String(), by: Type.String(), byName: Type.String(), at: Time },
      { description: 'who does not want to see this answer until then, and why' },
    ),
  ),
});

export const ExampleKeyView = Type.Object({
  key: nullable(example(Type.String(), 'raw/2026/interview-17.mov')),
});

export const DismissRequest = Type.Object(
  {
    days: example(Type.Integer({ minimum: 1, maximum: 365 }), 90),
    reason: example(
      Type.String({ minLength: 1, maxLength: 500 }),
      'The archive is read again in spring.',
    ),
  },
  closed,
);

export const RecommendationsQuery = Type.Object(
  {
    status: Type.Optional(example(oneOf(RECOMMENDATION_STATUSES), 'open')),
    connectionId: Type.Optional(ids.connection),
    ...page,
  },
  closed,
);

export const ListedRecommendation = Type.Object({
  ...RecommendationView.properties,
  scanId: ids.scan,
  connectionId: ids.connection,
});

export const RecommendationsPage = Type.Object({
  items: Type.Array(ListedRecommendation, {
    description: 'the largest savings first; of the same savings, by recommendationId',
  }),
  ...pageView,
});

export const RecommendationId = Type.Object({ recommendationId: ids.recommendation }, closed);

export const RecommendationDetail = Type.Object({
  ...ListedRecommendation.properties,
  horizonMonths: nullable(
    example(
      Type.Integer({ description: 'of the decision; null if its report is switched off' }),
      12,
    ),
  ),
  assumptions: Type.Array(Assumption, { description: 'of the whole scan' }),
  readScenarios: Type.Array(
    Type.Object({
      reads: example(Reads, 'expected'),
      stayMonthlyUsd: CurrentCost,
      options: Type.Array(
        Type.Object({
          provider: example(Provider, 'b2'),
          storageClass: example(Type.String(), 'STANDARD'),
          monthlyUsd: example(Usd, 3.133669),
        }),
      ),
    }),
    {
      description:
        'storage, reads and writes of a month, where the objects are and at each option; the other monthly figures have the reads that are known',
    },
  ),
});
