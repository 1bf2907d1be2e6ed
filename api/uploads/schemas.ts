import { Type } from 'typebox';
import { FILE_STATUSES, MEDIA_TYPE_PATTERN } from '../../domain/uploads/file.ts';
import { PRIORITIES } from '../../domain/providers/catalogue.ts';
import {
  closed,
  example,
  FILE_ID,
  ids,
  nullable,
  oneOf,
  Provider,
  Time,
  Usd,
  WITHOUT_CONTROLS,
} from '../http/schemas.ts';

/** The example of an object's presigned URLs. */
const OBJECT = `https://0f1e2d3c4b5a69788796a5b4c3d2e1f0.r2.cloudflarestorage.com/acme-hot/uploads/${FILE_ID}/chart.png`;
const QUERY =
  'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=…&X-Amz-Date=20261120T120000Z&X-Amz-Expires=3600&X-Amz-Signature=…';
const PUT_URL = `${OBJECT}?${QUERY}&X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost`;
const PART_URL = `${OBJECT}?partNumber=1&uploadId=…&${QUERY}&X-Amz-SignedHeaders=content-length%3Bhost`;
const GET_URL = `${OBJECT}?response-content-disposition=attachment%3B%20filename%3D%22chart.png%22&${QUERY}&X-Amz-SignedHeaders=host`;

const Later = example(Time, '2026-11-20T13:00:00.000Z');

const RequiredHeaders = example(Type.Record(Type.String(), Type.String()), {
  'Content-Type': 'image/png',
});

export const FileKey = example(Type.String(), FILE_ID);
export const FileName = example(Type.String(), 'chart.png');
export const FileSize = example(Type.Integer(), 48_213);
export const FilePriority = example(oneOf(PRIORITIES), 'hot');
export const FileStatusView = example(oneOf(FILE_STATUSES), 'active');
export const Saved = example(Usd, 0.000005);

export const FileId = Type.Object({ fileId: ids.file }, closed);

export const InitRequest = Type.Object(
  {
    fileName: example(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: WITHOUT_CONTROLS,
        description: 'a name without control characters',
      }),
      'chart.png',
    ),
    contentType: example(
      Type.String({
        maxLength: 255,
        pattern: MEDIA_TYPE_PATTERN,
        description: 'a media type, such as image/png or video/webm;codecs=vp9,opus',
      }),
      'image/png',
    ),
    fileSizeBytes: example(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 48_213),
    priority: Type.Optional(FilePriority),
    multipart: Type.Optional(Type.Boolean()),
    /** Base64 of 16 bytes: the last of 22 characters carries two bits. */
    contentMd5: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9+/]{21}[AQgw]==$', description: '16 bytes in base64' }),
    ),
  },
  closed,
);

const PartNumber = Type.Integer({ minimum: 1, maximum: 10_000, examples: [1] });

export const PartsRequest = Type.Object(
  {
    fileId: ids.file,
    partNumbers: example(Type.Array(PartNumber, { minItems: 1, maxItems: 100 }), [1, 2]),
  },
  closed,
);

export const PartsReply = Type.Object({
  parts: Type.Array(
    Type.Object({
      partNumber: PartNumber,
      sizeBytes: example(Type.Integer(), 8_388_608),
      presignedUrl: example(Type.String(), PART_URL),
    }),
  ),
  expiresAt: Later,
});

export const PartsQuery = Type.Object(
  { after: Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }) },
  closed,
);

export const PartsPageReply = Type.Object({
  items: Type.Array(
    Type.Object({
      partNumber: PartNumber,
      sizeBytes: example(Type.Integer(), 8_388_608),
      etag: example(Type.String(), '9b2cf535f27731c974343645a3985328'),
    }),
  ),
  /** The `after` of the next page. */
  next: example(nullable(PartNumber), null),
});

export const UrlReply = Type.Object({
  fileId: ids.file,
  presignedUrl: example(Type.String(), PUT_URL),
  requiredHeaders: RequiredHeaders,
  expiresAt: Later,
});

export const InitReply = Type.Object({
  fileId: ids.file,
  /** Missing if the file is uploaded in parts. */
  presignedUrl: Type.Optional(example(Type.String(), PUT_URL)),
  provider: example(Provider, 'r2'),
  savedVsAws: Saved,
  routingWarning: Type.Optional(Type.String()),
  multipart: Type.Optional(
    Type.Object({ partSizeBytes: Type.Integer(), partCount: Type.Integer() }),
  ),
  requiredHeaders: RequiredHeaders,
  expiresAt: Later,
});

export const CompleteReply = Type.Object({
  fileId: FileKey,
  status: Type.Literal('active'),
  provider: example(Provider, 'r2'),
  fileSizeBytes: FileSize,
  completedAt: Time,
});

export const RoutingView = Type.Object({
  provider: example(Provider, 'r2'),
  preferredProvider: example(Provider, 'r2'),
  priority: FilePriority,
  reason: example(Type.String(), 'Cloudflare R2 is the first choice for hot files.'),
  costs: Type.Array(
    Type.Object({ provider: example(Provider, 'r2'), monthlyCostUsd: example(Usd, 0.000006) }),
  ),
  priceBook: example(Type.String(), '2026-11-28'),
  warning: Type.Optional(Type.String()),
});

export const FileView = Type.Object({
  fileId: FileKey,
  status: FileStatusView,
  fileName: FileName,
  contentType: example(Type.String(), 'image/png'),
  fileSizeBytes: FileSize,
  priority: FilePriority,
  provider: example(Provider, 'r2'),
  createdAt: Time,
  completedAt: nullable(Time),
  routing: RoutingView,
  downloadUrl: nullable(example(Type.String(), GET_URL)),
  expiresAt: nullable(Later),
  /** Only of a file whose delete has stopped: it is `deleting`, and a DELETE resumes it. */
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      {
        description: 'why the delete of a `deleting` file has stopped; missing otherwise',
      },
    ),
  ),
});

export const DeletedReply = Type.Object({
  fileId: FileKey,
  status: Type.Literal('deleted'),
  deletedAt: Later,
});

export const DeletingReply = Type.Object({
  fileId: FileKey,
  status: Type.Literal('deleting'),
});
