import { Type } from 'typebox';
import {
  NOT_CARRIED,
  OBJECT_FAILURES,
  OBJECT_OUTCOMES,
} from '../../domain/migrations/object-ledger.ts';
import { MIGRATION_STATUSES } from '../../domain/migrations/migration.ts';
import { RELEASE_DIFFERENCES, RELEASE_STATUSES } from '../../domain/migrations/release.ts';
import { MAX_ROUNDS } from '../../domain/migrations/rounds.ts';
import {
  Bytes,
  closed,
  Id,
  nullable,
  Objects,
  oneOf,
  page,
  pageView,
  Problem,
  Provider,
  Time,
  Usd,
  WITHOUT_CONTROLS,
  KnownProvider,
} from '../http/schemas.ts';
import { BucketName } from '../providers/schemas.ts';
import { QuoteView, SelectorView } from '../recommendations/schemas.ts';

/** Requests and answers of migrations. */

export const MigrationId = Type.Object({ migrationId: Id }, closed);
export const ApproveRequest = Type.Object(
  {
    targetProvider: KnownProvider,
    target: Type.Optional(
      Type.Object(
        {
          bucketName: BucketName,
          keyPrefix: Type.String({
            maxLength: 1_000,
            pattern: WITHOUT_CONTROLS,
            description: 'what the keys at the target begin with; empty for the keys of the source',
          }),
        },
        closed,
      ),
    ),
  },
  closed,
);

const Percent = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'by bytes; null before the manifest',
});

const Realised = nullable(
  Type.Object({
    state: oneOf(['copied_not_yet_released', 'released']),
    asOf: Time,
    monthlyUsd: Type.Number({
      ...Usd,
      description:
        "the option's savings, in the proportion of the copied bytes; saved once the source holds no copied key in any version",
    }),
  }),
);

const Round = Type.Integer({ minimum: 1, maximum: MAX_ROUNDS });

const NotCarried = Type.Object({ what: oneOf(NOT_CARRIED), objects: Objects });

export const ApprovalView = Type.Object({
  migrationId: Id,
  recommendationId: Id,
  targetProvider: Provider,
  status: Type.Literal('queued'),
  quote: QuoteView,
  approvedBy: Type.String(),
  approvedByName: Type.String(),
  approvedAt: Time,
});

export const MigrationResult = Type.Object({
  migrationId: Id,
  recommendationId: Id,
  status: oneOf(MIGRATION_STATUSES),
  source: Type.Object({
    provider: Provider,
    bucket: Type.String(),
    region: Type.String(),
    selector: SelectorView,
  }),
  target: Type.Object({
    provider: Provider,
    bucketName: Type.String(),
    keyPrefix: Type.String({
      description: 'a key at the target is this and the key at the source',
    }),
  }),
  quote: QuoteView,
  approvedBy: Type.String(),
  approvedByName: Type.String(),
  approvedAt: Time,
  progress: Type.Object({
    objectsTotal: Objects,
    objectsCopied: Objects,
    objectsSkipped: Objects,
    objectsFailed: Objects,
    bytesTotal: Bytes,
    bytesCopied: Type.Integer({
      minimum: 0,
      description: 'confirmed by the target, parts of objects in flight included',
    }),
    percent: nullable(Percent),
    bytesPerSecond: Type.Integer({ minimum: 0 }),
    etaSeconds: nullable(Type.Integer({ minimum: 0 })),
  }),
  failures: Type.Array(
    Type.Object({
      key: Type.String(),
      code: oneOf(OBJECT_FAILURES),
      reason: Type.String(),
      attempts: Type.Integer(),
    }),
    { maxItems: 100, description: 'at most 100; the report has all of them' },
  ),
  notCarried: Type.Array(NotCarried),
  realised: Realised,
  round: Round,
  rounds: Type.Array(
    Type.Object({
      number: Round,
      status: oneOf(MIGRATION_STATUSES),
      startedAt: nullable(Time),
      completedAt: nullable(Time),
      objectsCopied: Objects,
      bytesCopied: Bytes,
      objectsUnchanged: Objects,
      objectsGone: Objects,
      objectsReleased: Objects,
      objectsRemoved: Objects,
      objectsFailed: Objects,
      costUsd: Usd,
      startedBy: Type.String(),
      startedByName: Type.String(),
    }),
    {
      description:
        "the first is the approval's copy; progress, failures and error are the last one's",
    },
  ),
  startedAt: nullable(Time),
  updatedAt: Time,
  completedAt: nullable(Time),
  error: Problem,
});

export const RoundsRequest = Type.Object(
  {
    maxTotalUsd: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description: 'the round copies nothing if it would cost more, by the rules of the quote',
    }),
    removeAtMost: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        default: 0,
        description:
          'copied objects that were deleted at the source are removed at the target if there are at most this many; 0: none are removed',
      }),
    ),
  },
  closed,
);

export const ReleaseView = Type.Object({
  status: oneOf(RELEASE_STATUSES),
  startedBy: Type.String(),
  startedByName: Type.String(),
  checkedAt: nullable(Time),
  validUntil: nullable(Time),
  objects: Objects,
  bytes: Bytes,
  rootHash: nullable(
    Type.String({
      description:
        'of a Merkle tree (RFC 6962, SHA-256) over the objects in the order of their keys; a leaf is the JSON array of key, etag, sha256 and bytes',
    }),
  ),
  differences: Type.Object({
    total: Objects,
    items: Type.Array(Type.Object({ key: Type.String(), code: oneOf(RELEASE_DIFFERENCES) }), {
      maxItems: 100,
      description: 'the first ones in the order of their keys',
    }),
  }),
  monthlySavingsUsd: Type.Number({
    ...Usd,
    description: "the option's savings, in the proportion of the bytes",
  }),
  versioned: nullable(Type.Boolean({ description: 'null: not known' })),
  howTo: nullable(
    Type.Object({
      summary: Type.String(),
      commands: Type.Array(Type.String(), { description: 'for bash, with your own credentials' }),
    }),
  ),
  error: Problem,
});

export const ReleaseStarted = Type.Object({ release: ReleaseView });

export const ReleasedObjectsQuery = Type.Object(
  { after: Type.Optional(Type.String({ maxLength: 1_024, description: 'a key' })) },
  closed,
);

/** An object that may be deleted at the source. */
export const ReleasedObject = Type.Object({
  key: Type.String(),
  etag: Type.String(),
  bytes: Bytes,
  sha256: nullable(Type.String({ description: 'of the copied bytes, in lower-case hex' })),
});

export const MigrationsQuery = Type.Object(
  { status: Type.Optional(oneOf(MIGRATION_STATUSES)), ...page },
  closed,
);

export const MigrationsPage = Type.Object({
  items: Type.Array(
    Type.Object({
      migrationId: Id,
      recommendationId: Id,
      bucket: Type.String(),
      prefix: nullable(Type.String()),
      targetProvider: Provider,
      status: oneOf(MIGRATION_STATUSES),
      objectsTotal: Objects,
      bytesTotal: Bytes,
      percent: nullable(Percent),
      quoteTotalUsd: Usd,
      monthlySavingsUsd: Usd,
      approvedBy: Type.String(),
      approvedByName: Type.String(),
      approvedAt: Time,
      completedAt: nullable(Time),
      realised: Realised,
    }),
    {
      description:
        'by approvedAt, the newest first; of the same moment, by migrationId. Status and percent are the stored ones',
    },
  ),
  ...pageView,
});

const ReportedObject = Type.Object({
  key: Type.String(),
  targetKey: Type.String(),
  bytes: Bytes,
  sourceEtag: Type.String(),
  sha256: nullable(Type.String({ description: 'of the copied bytes, in lower-case hex' })),
  targetEtag: nullable(Type.String()),
  outcome: oneOf(OBJECT_OUTCOMES),
  replaced: Type.Optional(
    Type.Literal(true, {
      description: 'it replaced an object that an earlier round or migration of this account wrote',
    }),
  ),
  code: Type.Optional(oneOf(OBJECT_FAILURES)),
  attempts: Type.Integer(),
  round: Round,
  at: Time,
});

const ReportedTotals = Type.Object({
  migrationId: Id,
  status: oneOf(MIGRATION_STATUSES),
  objectsTotal: Objects,
  objectsCopied: Objects,
  objectsSkipped: Objects,
  objectsFailed: Objects,
  bytesTotal: Bytes,
  bytesCopied: Bytes,
  notCarried: Type.Array(NotCarried),
  acls: oneOf(['none', 'not_carried', 'unknown']),
  startedAt: Time,
  completedAt: nullable(Time),
});

/** A line of the migration report; the last line of an ended migration has the totals. */
export const MigrationReportLine = Type.Union([ReportedObject, ReportedTotals]);
