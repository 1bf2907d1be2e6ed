import { Type } from 'typebox';
import { OBJECT_FAILURES } from '../../domain/migrations/object-ledger.ts';
import { JURISDICTIONS } from '../../domain/providers/catalogue.ts';
import { RELOCATION_STATUSES } from '../../domain/relocations/relocation.ts';
import {
  Bytes,
  closed,
  example,
  Id,
  ids,
  KnownProvider,
  nullable,
  oneOf,
  page,
  pageView,
  Problem,
  Provider,
  Time,
  Usd,
} from '../http/schemas.ts';
import { BucketName } from '../providers/schemas.ts';
import { QuoteView } from '../recommendations/schemas.ts';
import { FilePriority } from '../uploads/schemas.ts';

/** Requests and answers of relocations. */

export const Files = example(Type.Integer({ minimum: 0 }), 1204);
export const NoFiles = example(Type.Integer({ minimum: 0 }), 0);
const FILE_FAILURES = example(oneOf(OBJECT_FAILURES), 'object_changed');
export const Sha256 = example(
  Type.String({ description: 'the SHA-256 of the copied bytes, in lower-case hex' }),
  '3b7e72edd4bb2e1b9d4f1b0a4b5f7c0d2b7a6f0c1e9d8a7b6c5d4e3f2a1b0c9d',
);
const place = {
  region: Type.Optional(example(Type.String({ minLength: 1, maxLength: 64 }), 'eu-central-1')),
  accountId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  jurisdiction: Type.Optional(example(oneOf(JURISDICTIONS), 'eu')),
} as const;

export const RelocationId = Type.Object({ relocationId: ids.relocation }, closed);
export const RelocationsQuery = Type.Object({ ...page }, closed);

export const NamedPlace = Type.Object(
  {
    provider: example(KnownProvider, 'aws'),
    bucketName: example(BucketName, 'acme-files'),
    ...place,
  },
  { ...closed, description: 'a current or former place of the account' },
);

export const ToProvider = {
  ...example(KnownProvider, 'r2'),
  description: 'the provider whose current place is meant',
};

/** What it may cost, or only what it would. */
export const MaxTotalUsd = example(Type.Number({ minimum: 0, maximum: 1_000_000 }), 5);
export const spending = {
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'answers with the estimate alone' }),
  ),
  maxTotalUsd: Type.Optional({
    ...MaxTotalUsd,
    description: 'required unless `dryRun`; refused where the estimate is above',
  }),
} as const;

export const RelocationRequest = Type.Object(
  {
    from: NamedPlace,
    to: ToProvider,
    select: Type.Optional(
      Type.Object(
        {
          priority: Type.Optional(FilePriority),
          minAgeDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
          fileIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 1_000 })),
        },
        { ...closed, description: 'which of the active files there; all by default' },
      ),
    ),
    ...spending,
  },
  closed,
);

export const EstimateView = Type.Object({
  files: Files,
  bytes: Bytes,
  quote: QuoteView,
  monthlyBeforeUsd: example(Usd, 10.35),
  monthlyAfterUsd: example(Usd, 6.75),
});

export const PlaceView = Type.Object({
  provider: example(Provider, 'aws'),
  bucketName: example(BucketName, 'acme-files'),
  region: example(Type.String(), 'eu-central-1'),
  accountId: Type.Optional(Type.String()),
  jurisdiction: Type.Optional(oneOf(JURISDICTIONS)),
});

export const RelocationView = Type.Object({
  relocationId: ids.relocation,
  status: example(oneOf(RELOCATION_STATUSES), 'draining'),
  from: PlaceView,
  to: PlaceView,
  quote: QuoteView,
  progress: Type.Object({
    filesTotal: Files,
    filesMoved: Files,
    filesSkipped: NoFiles,
    filesFailed: NoFiles,
    bytesTotal: Bytes,
    bytesMoved: Bytes,
    percent: example(Type.Integer({ minimum: 0, maximum: 100 }), 100),
    bytesPerSecond: example(Bytes, 0),
    etaSeconds: nullable(Type.Integer({ minimum: 0 })),
  }),
  costUsd: example(Usd, 40.58),
  failures: Type.Array(
    Type.Object({
      fileId: ids.file,
      code: FILE_FAILURES,
      reason: example(Type.String(), 'it changed while it was copied'),
    }),
    { description: 'the first 100; `progress.filesFailed` counts all' },
  ),
  startedBy: example(Type.String(), 'auth0|5e8f1c'),
  startedByName: example(Type.String(), 'Ada Example'),
  startedAt: Time,
  movedAt: nullable(Time),
  completedAt: nullable(Time),
  error: Problem,
});

export const RelocationsPage = Type.Object({
  items: Type.Array(RelocationView, { description: 'the newest first' }),
  ...pageView,
});

export const RelocatedFile = Type.Object({
  fileId: ids.file,
  bytes: Bytes,
  sha256: nullable(Sha256),
  from: PlaceView,
  to: PlaceView,
  outcome: oneOf(['moved', 'skipped', 'failed']),
  code: Type.Optional(oneOf(OBJECT_FAILURES)),
  movedAt: nullable(Time),
  sourceDeletedAt: nullable(Time),
});

export const RelocationSum = Type.Object({
  relocationId: ids.relocation,
  status: oneOf(RELOCATION_STATUSES),
  filesMoved: Files,
  filesSkipped: NoFiles,
  filesFailed: NoFiles,
  bytesMoved: Bytes,
});

export const RelocationReportLine = Type.Union([RelocatedFile, RelocationSum]);
