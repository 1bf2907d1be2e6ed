import { Type } from 'typebox';
import {
  NOT_CARRIED,
  OBJECT_FAILURES,
  OBJECT_OUTCOMES,
} from '../../domain/migration/object-ledger.ts';
import { MIGRATION_STATUSES } from '../../domain/migration/migration.ts';
import { Bytes, Id, Objects, Problem, QuoteView, SelectorView } from './scanner.ts';
import { closed, nullable, oneOf, Provider, Time, Usd } from './common.ts';

/** Requests and answers of migrations. */

export const RecommendationId = Type.Object({ recommendationId: Id }, closed);
export const MigrationId = Type.Object({ migrationId: Id }, closed);
export const ApproveRequest = Type.Object({ targetProvider: Provider }, closed);

export const ApprovalView = Type.Object({
  migrationId: Id,
  recommendationId: Id,
  targetProvider: Provider,
  status: Type.Literal('queued'),
  quote: QuoteView,
  approvedBy: Type.String(),
  approvedAt: Time,
});

export const MigrationResult = Type.Object({
  migrationId: Id,
  recommendationId: Id,
  status: oneOf(MIGRATION_STATUSES),
  source: Type.Object({ bucket: Type.String(), region: Type.String(), selector: SelectorView }),
  target: Type.Object({
    provider: Provider,
    bucketName: Type.String(),
    keyPrefix: Type.String(),
  }),
  quote: QuoteView,
  approvedBy: Type.String(),
  approvedAt: Time,
  progress: Type.Object({
    objectsTotal: Objects,
    objectsCopied: Objects,
    objectsSkipped: Objects,
    objectsFailed: Objects,
    bytesTotal: Bytes,
    bytesCopied: Bytes,
    percent: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: 'by bytes; null before the manifest' }),
    ),
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
    { maxItems: 100 },
  ),
  notCarried: Type.Array(Type.Object({ what: oneOf(NOT_CARRIED), objects: Objects })),
  realised: nullable(
    Type.Object({
      state: oneOf(['copied_not_yet_saved', 'saved']),
      asOf: Time,
      monthlyUsd: Usd,
    }),
  ),
  startedAt: nullable(Time),
  updatedAt: Time,
  completedAt: nullable(Time),
  error: Problem,
});

/** A line of the migration report; the last line of an ended migration has the totals. */
export const MigrationReportLine = Type.Object({
  key: Type.String(),
  targetKey: Type.String(),
  bytes: Bytes,
  sourceEtag: Type.String(),
  sha256: nullable(Type.String()),
  targetEtag: nullable(Type.String()),
  outcome: oneOf(OBJECT_OUTCOMES),
  replaced: Type.Optional(
    Type.Literal(true, {
      description: 'it replaced an object that an earlier migration of this account wrote',
    }),
  ),
  code: Type.Optional(oneOf(OBJECT_FAILURES)),
  attempts: Type.Integer(),
  at: Time,
});
