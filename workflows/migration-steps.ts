import { proxyActivities } from '@temporalio/workflow';
import type { MigrationCopying } from '../activities/migrations/copy.ts';
import type { MigrationEnding } from '../activities/migrations/end.ts';
import type { MigrationPlanning } from '../activities/migrations/plan.ts';
import type { RecommendationActivities } from '../activities/migrations/lost-migrations.ts';
import type { MigrationError } from '../domain/migrations/migration.ts';
import { INTERVALS } from '../domain/common/intervals.ts';
import type { StopCode } from '../domain/migrations/stop.ts';
import { RETRIED, toFailureReason, UNTIL_DONE, WATCHED } from './failures.ts';

/** A slice ends after the objects in flight, which may be terabytes. */
const LONGEST_SLICE = '7d';
/** If the target is unavailable for over an hour, its incomplete uploads stay recorded. */
const ABORT_ATTEMPTS = 70;

/** Failures that end a migration with their own code. */
const STOP_CODES = [
  'migration_too_large',
  'provider_error',
  'provider_not_configured',
  'quote_exceeded',
  'too_many_failures',
] as const satisfies StopCode[];

export const { expireRecommendation } = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  summary: 'Check whether the move was approved',
});
/** Without it, no migration exists that could be stored as failed. */
export const { openMigration } = proxyActivities<MigrationPlanning>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store that the migration begins',
});
export const { tryStores } = proxyActivities<MigrationPlanning>({
  ...WATCHED,
  startToCloseTimeout: '2m',
  summary: 'Read at the source; write, read and delete at the target',
});
export const { buildManifest } = proxyActivities<MigrationPlanning>({
  ...WATCHED,
  startToCloseTimeout: '5m',
  summary: 'List the objects to copy, and compare them with the quote',
});
export const { copyPages, verifyPages } = proxyActivities<MigrationCopying>({
  ...WATCHED,
  startToCloseTimeout: LONGEST_SLICE,
});
export const { beginVerifying } = proxyActivities<MigrationEnding>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Store that all objects are copied',
});
export const { beginCancelling } = proxyActivities<MigrationEnding>({
  ...UNTIL_DONE,
  startToCloseTimeout: '15s',
  summary: 'Store that the migration is being cancelled',
});
export const { abortUploads } = proxyActivities<MigrationEnding>({
  ...WATCHED,
  retry: { ...WATCHED.retry, maximumAttempts: ABORT_ATTEMPTS },
  startToCloseTimeout: '1h',
  summary: 'Abort incomplete multipart uploads of this migration',
});
export const { endMigration } = proxyActivities<MigrationEnding>({
  ...UNTIL_DONE,
  startToCloseTimeout: '1h',
  heartbeatTimeout: INTERVALS.heartbeatTimeoutMs,
  summary: 'Store how the migration ended',
});

/** Why a migration failed, worded for its owner. */
export const toMigrationError = (error: unknown): MigrationError =>
  toFailureReason('migration', STOP_CODES, error);
