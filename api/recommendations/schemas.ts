import { SCENARIOS } from '../../domain/reads/scenarios.ts';
import { Type } from 'typebox';
import { RECOMMENDATION_KINDS, RISK_CODES } from '../../domain/decision/types.ts';
import { RECOMMENDATION_STATUSES } from '../../domain/recommendations/recommendation.ts';
import {
  Bytes,
  closed,
  Id,
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
  egressUsd: Usd,
  sourceRequestsUsd: Usd,
  retrievalUsd: Usd,
  earlyDeletionUsd: Usd,
  destinationRequestsUsd: Usd,
  transitionUsd: Usd,
  totalUsd: Usd,
  totalWithExitWaiverUsd: Usd,
});

const Blockers = Type.Array(
  Type.Object({ code: Type.String(), message: Type.String(), objects: Objects }),
);

export const OptionView = Type.Object({
  provider: Provider,
  storageClass: Type.String(),
  configured: Type.Boolean({ description: 'whether the account has credentials for it' }),
  monthlyCostUsd: Usd,
  monthlySavingsUsd: Usd,
  quote: QuoteView,
  breakEvenMonths: Months,
  breakEvenMonthsWithExitWaiver: Months,
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
  scenario: Reads,
  title: Type.String(),
  stayMonthlyUsd: Usd,
  thereMonthlyUsd: Usd,
});

export const RecommendationView = Type.Object({
  recommendationId: Id,
  kind: oneOf(RECOMMENDATION_KINDS),
  bucket: Type.String(),
  region: Type.String(),
  selector: SelectorView,
  objects: Objects,
  bytes: Bytes,
  currentMonthlyCostUsd: Usd,
  optimalMonthlyCostUsd: Usd,
  monthlySavingsUsd: Usd,
  recommendedProvider: nullable(Provider),
  recommendedStorageClass: nullable(Type.String()),
  options: Type.Array(OptionView),
  confidence: Confidence,
  scenarios: Type.Array(ScenarioView, {
    description:
      'what the advice withstands: its objects where they are, and at the recommended option',
  }),
  arrivals: nullable(
    Type.Object(
      { objectsPerMonth: Objects, bytesPerMonth: Bytes },
      { description: 'of a move: what arrives each month and is expected to follow it' },
    ),
  ),
  oneOffUsd: nullable(
    Type.Number({ ...Usd, description: 'of a clean-up; the other kinds have quotes' }),
  ),
  reasons: Type.Array(Type.String()),
  risks: Type.Array(Type.Object({ code: oneOf(RISK_CODES), message: Type.String() })),
  blockers: Blockers,
  howTo: nullable(HowToView),
  status: oneOf(RECOMMENDATION_STATUSES),
  expiresAt: Time,
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

export const ExampleKeyView = Type.Object({ key: nullable(Type.String()) });

export const DismissRequest = Type.Object(
  {
    days: Type.Integer({ minimum: 1, maximum: 365 }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  },
  closed,
);

export const RecommendationsQuery = Type.Object(
  {
    status: Type.Optional(oneOf(RECOMMENDATION_STATUSES)),
    connectionId: Type.Optional(Id),
    ...page,
  },
  closed,
);

export const ListedRecommendation = Type.Object({
  ...RecommendationView.properties,
  scanId: Id,
  connectionId: Id,
});

export const RecommendationsPage = Type.Object({
  items: Type.Array(ListedRecommendation, {
    description: 'the largest savings first; of the same savings, by recommendationId',
  }),
  ...pageView,
});

export const RecommendationId = Type.Object({ recommendationId: Id }, closed);

export const RecommendationDetail = Type.Object({
  ...ListedRecommendation.properties,
  horizonMonths: nullable(
    Type.Integer({ description: 'of the decision; null if its report is switched off' }),
  ),
  assumptions: Type.Array(Type.String(), { description: 'of the whole scan' }),
  readScenarios: Type.Array(
    Type.Object({
      reads: Reads,
      stayMonthlyUsd: Usd,
      options: Type.Array(
        Type.Object({ provider: Provider, storageClass: Type.String(), monthlyUsd: Usd }),
      ),
    }),
    {
      description:
        'storage, reads and writes of a month, where the objects are and at each option; the other monthly figures have the reads that are known',
    },
  ),
});
