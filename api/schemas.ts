import { Type, type Static, type TSchema } from 'typebox';
import { PROVIDER_NAMES } from '../domain/catalogue.ts';
import { FILE_STATUSES } from '../domain/file.ts';
import { MEDIA_TYPE_PATTERN } from '../domain/media-type.ts';
import { PLAN_NAMES } from '../domain/plan.ts';
import { PRIORITIES } from '../domain/priority.ts';

/** The shapes that requests are checked against and answers are described by. */

export const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
/** S3's rules for a bucket's name: it ends up in a host name or a path, so no other character. */
const BUCKET = '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$';
/** An account id becomes a label of a host name, and nothing more than that. */
const HOST_LABEL = '^[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?$';
/** Printable ASCII without spaces: what every provider's keys are made of. */
const CREDENTIAL = '^[!-~]+$';

export const closed = { additionalProperties: false } as const;
export const oneOf = <T extends string>(names: readonly T[]) =>
  Type.Unsafe<T>(Type.String({ enum: [...names] }));
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Time = Type.String({
  description: 'RFC 3339, UTC, milliseconds',
  examples: ['2026-11-20T12:00:00.000Z'],
});
export const Usd = Type.Number({ description: 'USD with at most 6 decimals' });
export const Provider = oneOf(PROVIDER_NAMES);

export const Empty = Type.Object({}, closed);
export const FileId = Type.Object({ fileId: Type.String({ pattern: UUID }) }, closed);
export const ProviderParam = Type.Object({ provider: Provider }, closed);

export const InitRequest = Type.Object(
  {
    fileName: Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
    contentType: Type.String({ maxLength: 255, pattern: MEDIA_TYPE_PATTERN }),
    fileSizeBytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    priority: Type.Optional(oneOf(PRIORITIES)),
  },
  closed,
);

export const InitReply = Type.Object({
  fileId: Type.String({ pattern: UUID }),
  presignedUrl: Type.String(),
  provider: Provider,
  savedVsAws: Usd,
  routingWarning: Type.Optional(Type.String()),
  requiredHeaders: Type.Record(Type.String(), Type.String()),
  expiresAt: Time,
});

export const CompleteReply = Type.Object({
  fileId: Type.String(),
  status: Type.Literal('active'),
  provider: Provider,
  fileSizeBytes: Type.Integer(),
  completedAt: Time,
});

const RoutingView = Type.Object({
  provider: Provider,
  preferredProvider: Provider,
  priority: oneOf(PRIORITIES),
  reason: Type.String(),
  costs: Type.Array(Type.Object({ provider: Provider, monthlyCostUsd: Usd })),
  priceBook: Type.String(),
  warning: Type.Optional(Type.String()),
});

export const FileView = Type.Object({
  fileId: Type.String(),
  status: oneOf(FILE_STATUSES),
  fileName: Type.String(),
  contentType: Type.String(),
  fileSizeBytes: Type.Integer(),
  priority: oneOf(PRIORITIES),
  provider: Provider,
  createdAt: Time,
  completedAt: nullable(Time),
  routing: RoutingView,
  downloadUrl: nullable(Type.String()),
  expiresAt: nullable(Time),
});

export const DeletedReply = Type.Object({
  fileId: Type.String(),
  status: Type.Literal('deleted'),
  deletedAt: Time,
});

export const DeletingReply = Type.Object({
  fileId: Type.String(),
  status: Type.Literal('deleting'),
});

export const MeView = Type.Object({
  accountId: Type.String(),
  plan: oneOf(PLAN_NAMES),
  keyMode: oneOf(['live', 'test']),
  providers: Type.Array(Provider),
  usage: Type.Object({
    period: Type.String({ examples: ['2026-11'] }),
    gbRouted: Type.Number(),
    uploads: Type.Integer(),
    gbBooked: Type.Number(),
    uploadsBooked: Type.Integer(),
    gbQuota: Type.Union([Type.Number(), Type.Null()]),
    uploadQuota: Type.Union([Type.Integer(), Type.Null()]),
  }),
});

export const ProviderRequest = Type.Object(
  {
    provider: Provider,
    accessKeyId: Type.String({ minLength: 1, maxLength: 256, pattern: CREDENTIAL }),
    secretAccessKey: Type.String({ minLength: 1, maxLength: 512, pattern: CREDENTIAL }),
    bucketName: Type.String({ minLength: 3, maxLength: 63, pattern: BUCKET }),
    region: Type.String({ minLength: 1, maxLength: 32 }),
    accountId: Type.Optional(Type.String({ pattern: HOST_LABEL })),
  },
  closed,
);
export type ProviderRequest = Static<typeof ProviderRequest>;

export const ProviderView = Type.Object({
  provider: Provider,
  bucketName: Type.String(),
  region: Type.String(),
  accountId: Type.Optional(Type.String()),
  accessKeyIdMasked: Type.String(),
  createdAt: Time,
  updatedAt: Time,
});

export const ProviderList = Type.Object({ items: Type.Array(ProviderView) });

export const ProviderTestView = Type.Object({
  provider: Provider,
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: oneOf(['write', 'head', 'read', 'delete']),
      ok: Type.Boolean(),
      latencyMs: Type.Number(),
      error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    }),
  ),
});

export const ApiKeyView = Type.Object({
  apiKey: Type.Union([
    Type.Object({ masked: Type.String(), createdAt: Time, lastUsedAt: nullable(Time) }),
    Type.Null(),
  ]),
});

export const NewApiKeyView = Type.Object({ apiKey: Type.String(), createdAt: Time });
export const RotationView = Type.Object({ newApiKey: Type.String(), rotatedAt: Time });

const Dependency = oneOf(['up', 'down']);
export const HealthView = Type.Object({
  status: oneOf(['ok', 'degraded']),
  version: Type.String(),
  architecture: Type.String(),
  dependencies: Type.Object({ mongodb: Dependency, temporal: Dependency }),
});

export const ErrorView = Type.Object({
  error: Type.String({ description: 'for a person' }),
  code: Type.String({ description: 'for a machine' }),
  details: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
});

export const NoContent = Type.Null();
/** A text for a person, whose media type the route names. */
export const Text = Type.String();
/** A document whose own specification describes it. */
export const Document = Type.Object({});
