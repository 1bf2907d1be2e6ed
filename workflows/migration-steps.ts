import {
  ActivityCancellationType,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { MigrationCopying } from '../activities/migration-copy.ts';
import type { MigrationEnding } from '../activities/migration-end.ts';
import type { MigrationPlanning } from '../activities/migration-plan.ts';
import type { RecommendationActivities } from '../activities/recommendations.ts';
import type { MigrationError } from '../domain/migration/migration.ts';
import type { StopCode } from '../domain/migration/stop.ts';

/** The activities of a migration, with their timeouts, and what their failures mean. */

/** A worker that dies, or an activity without progress, is noticed after this time. */
const HEARTBEAT_TIMEOUT = '30s';
/** A slice ends after the objects in flight, which may be terabytes. */
const LONGEST_SLICE = '7d';
/** With the intervals below, a store that is unavailable for over six hours ends the migration. */
const MAX_ATTEMPTS = 400;
/** A target that is unavailable for over an hour keeps incomplete uploads; they stay noted. */
const ABORT_ATTEMPTS = 70;

/** Failure types that end a migration with their own code. */
const STOP_CODES: readonly string[] = [
  'provider_error',
  'provider_not_configured',
  'quote_exceeded',
  'too_many_failures',
] satisfies StopCode[];

const RETRIED = {
  retry: {
    initialInterval: '500ms',
    backoffCoefficient: 1.5,
    maximumInterval: '1m',
    maximumAttempts: MAX_ATTEMPTS,
  },
  // The end is written after the last write: what runs is finished and counted.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} satisfies ActivityOptions;
/** Retried without end: the migration must reach a final status. */
const UNTIL_DONE = {
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
} satisfies ActivityOptions;

export const { expireRecommendation } = proxyActivities<RecommendationActivities>({
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  summary: 'Check whether the move was approved',
});
export const { openMigration } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '15s',
  summary: 'Store that the migration begins',
});
export const { tryStores } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '2m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Read at the source; write, read and delete at the target',
});
export const { buildManifest } = proxyActivities<MigrationPlanning>({
  ...RETRIED,
  startToCloseTimeout: '5m',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'List the objects to copy, and compare them with the quote',
});
export const { copyPages, verifyPages } = proxyActivities<MigrationCopying>({
  ...RETRIED,
  startToCloseTimeout: LONGEST_SLICE,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
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
  ...RETRIED,
  retry: { ...RETRIED.retry, maximumAttempts: ABORT_ATTEMPTS },
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Abort incomplete multipart uploads of this migration',
});
export const { endMigration } = proxyActivities<MigrationEnding>({
  ...UNTIL_DONE,
  startToCloseTimeout: '1h',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  summary: 'Store how the migration ended',
});

/** Why a migration failed, worded for its owner. */
export function toMigrationError(error: unknown): MigrationError {
  if (isCancellation(error)) {
    return { code: 'internal_error', message: 'The migration was cancelled by an operator.' };
  }
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof ApplicationFailure))
    return { code: 'internal_error', message: 'The migration took longer than it may.' };
  const { message } = cause;
  const type = cause.type ?? '';
  if (type === 'provider_unavailable') return { code: 'provider_error', message };
  return { code: STOP_CODES.includes(type) ? type : 'internal_error', message };
}
