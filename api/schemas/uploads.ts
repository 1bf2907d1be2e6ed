import { Type } from 'typebox';
import { FILE_STATUSES } from '../../domain/file.ts';
import { MEDIA_TYPE_PATTERN } from '../../domain/media-type.ts';
import { PRIORITIES } from '../../domain/priority.ts';
import { closed, nullable, oneOf, Provider, Time, Usd, UUID } from './common.ts';

export const FileId = Type.Object({ fileId: Type.String({ pattern: UUID }) }, closed);

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
