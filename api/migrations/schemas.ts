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
  example,
  ids,
  KnownProvider,
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
} from '../http/schemas.ts';
import { BucketName } from '../providers/schemas.ts';
import { Bucket, QuoteView, Region, Savings, SelectorView } from '../recommendations/schemas.ts';

/** Requests and answers of migrations. */

/** Who approved a move, and when. */
const approval = {
  approvedBy: example(Type.String(), 'auth0|5e8f1c'),
  approvedByName: example(Type.String(), 'Ada Example'),
  approvedAt: example(Time, '2026-11-20T14:30:00.000Z'),
} as const;
/** Who started a round or a check. */
const starter = {
  startedBy: approval.approvedBy,
  startedByName: approval.approvedByName,
} as const;

/** The example of an object that was copied. */
const OBJECT = {
  key: 'videos/00001.mp4',
  bytes: 225_443_840,
  sha256: '3b7e72edd4bb2e1b9d4f1b0a4b5f7c0d2b7a6f0c1e9d8a7b6c5d4e3f2a1b0c9d',
};

const Started = example(Time, '2026-11-20T14:30:00.412Z');
const Completed = example(Time, '2026-11-20T15:44:10.020Z');

export const MigrationId = Type.Object({ migrationId: ids.migration }, closed);
export const ApproveRequest = Type.Object(
  {
    targetProvider: example(KnownProvider, 'b2'),
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
  examples: [100],
  minimum: 0,
  maximum: 100,
  description: 'by bytes; null before the manifest',
});

const Realised = nullable(
  Type.Object({
    state: oneOf(['copied_not_yet_released', 'released']),
    asOf: example(Time, '2026-11-21T12:00:00.000Z'),
    monthlyUsd: example(
      Type.Number({
        ...Usd,
        description:
          "the option's savings, in the proportion of the copied bytes; saved once the source holds no copied key in any version",
      }),
      14.624654,
    ),
  }),
);

const Round = Type.Integer({ minimum: 1, maximum: MAX_ROUNDS });

const NotCarried = Type.Object({
  what: example(oneOf(NOT_CARRIED), 'tags'),
  objects: example(Objects, 40),
});

export const ApprovalView = Type.Object({
  migrationId: ids.migration,
  recommendationId: ids.recommendation,
  targetProvider: example(Provider, 'b2'),
  status: Type.Literal('queued'),
  quote: QuoteView,
  ...approval,
});

export const RoundView = Type.Object({
  number: example(Round, 1),
  status: example(oneOf(MIGRATION_STATUSES), 'completed'),
  startedAt: nullable(Started),
  completedAt: nullable(Completed),
  objectsCopied: example(Objects, 1998),
  bytesCopied: example(Bytes, 450_436_792_320),
  objectsUnchanged: example(Objects, 0),
  objectsGone: example(Objects, 0),
  objectsReleased: example(Objects, 0),
  objectsRemoved: example(Objects, 0),
  objectsFailed: example(Objects, 0),
  costUsd: example(Usd, 37.793779),
  ...starter,
});

export const MigrationResult = Type.Object({
  migrationId: ids.migration,
  recommendationId: ids.recommendation,
  status: example(oneOf(MIGRATION_STATUSES), 'completed'),
  source: Type.Object({
    provider: example(Provider, 'aws'),
    bucket: Bucket,
    region: Region,
    selector: SelectorView,
  }),
  target: Type.Object({
    provider: example(Provider, 'b2'),
    bucketName: example(Type.String(), 'acme-archive'),
    keyPrefix: example(
      Type.String({
        description: 'a key at the target is this and the key at the source',
      }),
      'acme-media/',
    ),
  }),
  quote: QuoteView,
  ...approval,
  progress: Type.Object({
    objectsTotal: Objects,
    objectsCopied: example(Objects, 1998),
    objectsSkipped: example(Objects, 2),
    objectsFailed: example(Objects, 0),
    bytesTotal: Bytes,
    bytesCopied: example(
      Type.Integer({
        minimum: 0,
        description: 'confirmed by the target, parts of objects in flight included',
      }),
      450_436_792_320,
    ),
    percent: nullable(Percent),
    bytesPerSecond: example(Type.Integer({ minimum: 0 }), 104_857_600),
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
  round: example(Round, 1),
  rounds: Type.Array(RoundView, {
    description:
      "the first is the approval's copy; progress, failures and error are the last one's",
  }),
  startedAt: nullable(Started),
  updatedAt: Completed,
  completedAt: nullable(Completed),
  error: Problem,
});

export const RoundsRequest = Type.Object(
  {
    maxTotalUsd: example(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'the round copies nothing if it would cost more, by the rules of the quote',
      }),
      5,
    ),
    removeAtMost: Type.Optional(
      example(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000,
          default: 0,
          description:
            'copied objects that were deleted at the source are removed at the target if there are at most this many; 0: none are removed',
        }),
        0,
      ),
    ),
  },
  closed,
);

export const ReleaseView = Type.Object({
  status: example(oneOf(RELEASE_STATUSES), 'ready'),
  ...starter,
  checkedAt: nullable(example(Time, '2026-11-21T09:00:04.000Z')),
  validUntil: nullable(example(Time, '2026-11-22T09:00:04.000Z')),
  objects: Objects,
  bytes: Bytes,
  rootHash: nullable(
    example(
      Type.String({
        description:
          'of a Merkle tree (RFC 6962, SHA-256) over the objects in the order of their keys; a leaf is the JSON array of key, etag, sha256 and bytes',
      }),
      'f7c3bc1d808e04732adf679965ccc34ca7ae3441b4a2f6c8a5a1f7c3bc1d808e',
    ),
  ),
  differences: Type.Object({
    total: example(Objects, 0),
    items: Type.Array(Type.Object({ key: Type.String(), code: oneOf(RELEASE_DIFFERENCES) }), {
      maxItems: 100,
      description: 'the first ones in the order of their keys',
    }),
  }),
  monthlySavingsUsd: example(
    Type.Number({
      ...Usd,
      description: "the option's savings, in the proportion of the bytes",
    }),
    14.624654,
  ),
  versioned: nullable(example(Type.Boolean({ description: 'null: not known' }), false)),
  howTo: nullable(
    Type.Object({
      summary: example(
        Type.String(),
        'Deletes 2,000 objects (450.89 GB) from acme-media at AWS S3, each only if it still has the ETag that was checked.',
      ),
      commands: example(
        Type.Array(Type.String(), { description: 'for bash, with your own credentials' }),
        [
          'aws s3api delete-objects --endpoint-url https://s3.us-east-1.amazonaws.com --bucket acme-media --delete file://list.json',
        ],
      ),
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
  key: example(Type.String(), OBJECT.key),
  etag: example(Type.String(), '9b2cf535f27731c974343645a3985328-4'),
  bytes: example(Bytes, OBJECT.bytes),
  sha256: nullable(
    example(Type.String({ description: 'of the copied bytes, in lower-case hex' }), OBJECT.sha256),
  ),
});

export const MigrationsQuery = Type.Object(
  { status: Type.Optional(example(oneOf(MIGRATION_STATUSES), 'completed')), ...page },
  closed,
);

export const MigrationLineView = Type.Object({
  migrationId: ids.migration,
  recommendationId: ids.recommendation,
  bucket: Bucket,
  prefix: nullable(Type.String()),
  targetProvider: example(Provider, 'b2'),
  status: example(oneOf(MIGRATION_STATUSES), 'completed'),
  objectsTotal: Objects,
  bytesTotal: Bytes,
  percent: nullable(Percent),
  quoteTotalUsd: example(Usd, 37.793779),
  monthlySavingsUsd: Savings,
  ...approval,
  completedAt: nullable(Completed),
  realised: Realised,
});

export const MigrationsPage = Type.Object({
  items: Type.Array(MigrationLineView, {
    description:
      'by approvedAt, the newest first; of the same moment, by migrationId. Status and percent are the stored ones',
  }),
  ...pageView,
});

export const ReportedObject = Type.Object({
  key: example(Type.String(), OBJECT.key),
  targetKey: example(Type.String(), `acme-media/${OBJECT.key}`),
  bytes: example(Bytes, OBJECT.bytes),
  sourceEtag: example(Type.String(), '"9b2cf535f27731c974343645a3985328-4"'),
  sha256: nullable(
    example(Type.String({ description: 'of the copied bytes, in lower-case hex' }), OBJECT.sha256),
  ),
  targetEtag: nullable(example(Type.String(), '"5d41402abc4b2a76b9719d911017c592-4"')),
  outcome: example(oneOf(OBJECT_OUTCOMES), 'copied'),
  replaced: Type.Optional(
    Type.Literal(true, {
      description: 'it replaced an object that an earlier round or migration of this account wrote',
    }),
  ),
  code: Type.Optional(oneOf(OBJECT_FAILURES)),
  attempts: example(Type.Integer(), 1),
  round: example(Round, 1),
  at: example(Time, '2026-11-20T14:31:02.118Z'),
});

export const ReportedTotals = Type.Object({
  migrationId: ids.migration,
  status: example(oneOf(MIGRATION_STATUSES), 'completed'),
  objectsTotal: Objects,
  objectsCopied: example(Objects, 1998),
  objectsSkipped: example(Objects, 2),
  objectsFailed: example(Objects, 0),
  bytesTotal: Bytes,
  bytesCopied: example(Bytes, 450_436_792_320),
  notCarried: Type.Array(NotCarried),
  acls: oneOf(['none', 'not_carried', 'unknown']),
  startedAt: Started,
  completedAt: nullable(Completed),
});

/** A line of the migration report; the last line of an ended migration has the totals. */
export const MigrationReportLine = Type.Union([ReportedObject, ReportedTotals]);
