import { Type } from 'typebox';
import { FILE_STATUSES, MEDIA_TYPE_PATTERN } from '../../domain/uploads/file.ts';
import { PRIORITIES } from '../../domain/providers/catalogue.ts';
import {
  closed,
  Id,
  nullable,
  oneOf,
  Provider,
  Time,
  Usd,
  WITHOUT_CONTROLS,
} from '../http/schemas.ts';

export const FileId = Type.Object({ fileId: Id }, closed);

export const InitRequest = Type.Object(
  {
    fileName: Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: WITHOUT_CONTROLS,
      description: 'a name without control characters',
    }),
    contentType: Type.String({
      maxLength: 255,
      pattern: MEDIA_TYPE_PATTERN,
      description: 'a media type, such as image/png or video/webm;codecs=vp9,opus',
    }),
    fileSizeBytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    priority: Type.Optional(oneOf(PRIORITIES)),
    multipart: Type.Optional(Type.Boolean()),
    /** Base64 of 16 bytes: the last of 22 characters carries two bits. */
    contentMd5: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9+/]{21}[AQgw]==$', description: '16 bytes in base64' }),
    ),
  },
  closed,
);

const PartNumber = Type.Integer({ minimum: 1, maximum: 10_000 });

export const PartsRequest = Type.Object(
  {
    fileId: Id,
    partNumbers: Type.Array(PartNumber, { minItems: 1, maxItems: 100 }),
  },
  closed,
);

export const PartsReply = Type.Object({
  parts: Type.Array(
    Type.Object({
      partNumber: PartNumber,
      sizeBytes: Type.Integer(),
      presignedUrl: Type.String(),
    }),
  ),
  expiresAt: Time,
});

export const PartsQuery = Type.Object(
  { after: Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }) },
  closed,
);

export const PartsPageReply = Type.Object({
  items: Type.Array(
    Type.Object({ partNumber: PartNumber, sizeBytes: Type.Integer(), etag: Type.String() }),
  ),
  /** The `after` of the next page. */
  next: nullable(PartNumber),
});

export const UrlReply = Type.Object({
  fileId: Id,
  presignedUrl: Type.String(),
  requiredHeaders: Type.Record(Type.String(), Type.String()),
  expiresAt: Time,
});

export const InitReply = Type.Object({
  fileId: Id,
  /** Missing if the file is uploaded in parts. */
  presignedUrl: Type.Optional(Type.String()),
  provider: Provider,
  savedVsAws: Usd,
  routingWarning: Type.Optional(Type.String()),
  multipart: Type.Optional(
    Type.Object({ partSizeBytes: Type.Integer(), partCount: Type.Integer() }),
  ),
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

const STOPPED_DELETE = {
  code: 'provider_error',
  message: 'Cloudflare R2 (r2): it refused the credentials, or they do not permit this.',
};

export const RoutingView = Type.Object({
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
  /** Only of a file whose delete has stopped: it is `deleting`, and a DELETE resumes it. */
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      {
        description: 'why the delete of a `deleting` file has stopped; missing otherwise',
        examples: [STOPPED_DELETE],
      },
    ),
  ),
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
