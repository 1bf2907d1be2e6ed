import type {
  Recommendations,
  DueRecommendation,
} from '../../adapters/mongo/recommendations/recommendations.ts';
import type { MigrationRoundKey, PendingApproval } from '../../messages/migration.ts';
import type { Releases } from '../../adapters/mongo/migrations/releases.ts';
import type { Migrations } from '../../adapters/mongo/migrations/migrations.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { isEnded, type Approval } from '../../domain/migrations/migration.ts';
import { latestRound } from '../../domain/migrations/rounds.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';
import {
  afterBackoff,
  afterWaiting,
  interruptedError,
  MAX_RESTARTS,
} from '../../domain/common/sweep.ts';
import type { MigrationEnding } from './end.ts';
import type { MigrationPlanning } from './plan.ts';
import type { Progress } from '../common/progress.ts';
import { addSwept, sweepDue, type Swept } from '../common/sweep.ts';
import { continueRelease, type LostReleaseDeps } from './lost-releases.ts';

export interface RecommendationActivityDeps {
  readonly recommendations: Pick<Recommendations, 'expire' | 'findRecommendation'>;
}

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

/** The expiry of recommendations. */
export function createRecommendationActivities({ recommendations }: RecommendationActivityDeps) {
  return {
    /** open → expired if `expiresAt` has passed. Returns the status after that. */
    async expireRecommendation(
      { migrationId: recommendationId, accountId }: MigrationRoundKey,
      at: string,
    ): Promise<PendingApproval> {
      await recommendations.expire(recommendationId, new Date(at));
      const found = await recommendations.findRecommendation({ recommendationId, accountId });
      return { status: found?.status ?? 'missing' };
    },
  };
}

export interface LostMigrationDeps
  extends
    Pick<MigrationPlanning, 'openMigration'>,
    Pick<MigrationEnding, 'abortUploads' | 'endMigration'>,
    Omit<LostReleaseDeps, 'releases'> {
  readonly releases: Pick<Releases, 'due' | 'end'>;
  readonly recommendations: Pick<Recommendations, 'due' | 'expire'>;
  readonly migrations: Pick<Migrations, 'findMigration'>;
  readonly migrationCommands: Pick<MigrationCommands, 'isLost' | 'approve' | 'cancel'>;
  readonly now: () => Date;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

export type LostMigrationActivities = ReturnType<typeof createLostMigrationActivities>;

const OUTCOMES = ['running', 'signalled', 'restarted', 'ended', 'expired', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The sweep over recommended moves whose workflow is lost, or has not received its signal. */
export function createLostMigrationActivities(deps: LostMigrationDeps) {
  const { recommendations, now } = deps;
  return {
    /**
     * Repeats approvals and cancellations that had no effect, restarts lost migrations, which continue
     * from the manifest and the ledger, and expires recommendations whose workflow did not. The time
     * between restarts doubles; after `MAX_RESTARTS` the migration fails. The same for release checks.
     */
    async sweepMigrations(): Promise<Swept<Outcome>> {
      const { progress } = deps;
      const moves = await sweepDue({
        now,
        outcomes: OUTCOMES,
        due: recommendations.due,
        continueWork: (due) => continueMigration(deps, due).catch(() => 'failed' as const),
        progress,
      });
      const releases = await sweepDue({
        now,
        outcomes: OUTCOMES,
        due: deps.releases.due,
        continueWork: (due) => continueRelease(deps, due).catch(() => 'failed' as const),
        progress,
      });
      return addSwept(moves, releases);
    },
  };
}

async function continueMigration(
  deps: LostMigrationDeps,
  due: DueRecommendation,
): Promise<Outcome> {
  const { recommendationId, approval } = due.recommendation;
  if (!approval) {
    await deps.recommendations.expire(recommendationId, deps.now());
    return 'expired';
  }
  if (!(await deps.migrationCommands.isLost(due.recommendation)))
    return await signalAgain(deps, due, approval);
  if (due.attempts >= MAX_RESTARTS) {
    await endLost(deps, due.recommendation);
    return 'ended';
  }
  try {
    const { approve, cancel } = deps.migrationCommands;
    const restart = approval.cancelRequestedAt === undefined ? approve : cancel;
    await restart(due.recommendation);
    return 'restarted';
  } finally {
    await deps.recommendations.due.postpone(due, afterBackoff(due.attempts, deps.now()));
  }
}

/** Signals an open workflow again whose migration shows no effect of the first signal. */
async function signalAgain(
  { recommendations, migrations, migrationCommands, now }: LostMigrationDeps,
  due: DueRecommendation,
  approval: Approval,
): Promise<Outcome> {
  const { approvedAt, cancelRequestedAt, rounds = [] } = approval;
  const { recommendation } = due;
  const { recommendationId: migrationId, accountId } = recommendation;
  const found = await migrations.findMigration({ migrationId, accountId });
  const record = found?.round === latestRound(approval) ? found : undefined;
  // One that has ended leaves the due ones a moment later: a signal would start it again.
  const isHeeded = record && (isEnded(record.status) || record.status === 'cancelling');
  const isUncancelled = cancelRequestedAt !== undefined && !isHeeded;
  if (record && !isUncancelled) return 'running';
  if (isUncancelled) await migrationCommands.cancel(recommendation);
  else await migrationCommands.approve(recommendation);
  // A workflow without a worker shows no effect either, and keeps every signal.
  const nextAttemptAt = afterWaiting(
    cancelRequestedAt ?? rounds.at(-1)?.requestedAt ?? approvedAt,
    now(),
  );
  await recommendations.due.postpone(due, nextAttemptAt, false);
  return 'signalled';
}

/** Ends a migration whose workflow is lost for good. */
async function endLost(
  { openMigration, abortUploads, endMigration }: LostMigrationDeps,
  recommendation: RecommendationRecord,
): Promise<void> {
  const { recommendationId: migrationId, accountId, approval } = recommendation;
  const key = { migrationId, accountId, round: approval ? latestRound(approval) : 1 };
  await openMigration(key);
  const reason = { isCancelled: false, error: interruptedError('migration') };
  // If the target refuses or does not answer, the record of these uploads stays.
  await abortUploads(key, reason).catch(() => undefined);
  await endMigration(key, reason);
}
