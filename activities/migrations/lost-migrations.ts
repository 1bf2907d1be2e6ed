import {
  migrationKeyOf,
  recommendationKeyOf,
} from '../../domain/recommendations/recommendation.ts';
import type { DueRun } from '../../adapters/mongo/relocations/runs-at-places.ts';
import type { DrillRecord } from '../../domain/drills/drill.ts';
import {
  namesOf,
  type RelocationRecord,
  type RelocationStop,
} from '../../domain/relocations/relocation.ts';
import type { DueRelease } from '../../adapters/mongo/migrations/releases.ts';
import type { DueRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { MigrationRoundKey, PendingApproval } from '../../messages/migration.ts';
import { isEnded, type Approval } from '../../domain/migrations/migration.ts';
import { latestRound } from '../../domain/migrations/rounds.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';
import {
  afterBackoff,
  afterWaiting,
  interruptedError,
  MAX_RESTARTS,
} from '../../domain/common/sweep.ts';
import { startDueDrill } from './due-drills.ts';
import type { MigrationEnding } from './end.ts';
import type { MigrationPlanning } from './plan.ts';
import { addSwept, sweepDue, type Swept } from '../common/sweep.ts';
import type { MigrationContext } from '../contexts.ts';

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

export function createRecommendationActivities({ recommendations }: MigrationContext) {
  return {
    /** open → expired if `expiresAt` has passed. Returns the status after that. */
    async expireRecommendation(key: MigrationRoundKey, at: string): Promise<PendingApproval> {
      const move = recommendationKeyOf(key);
      await recommendations.expire(move.recommendationId, new Date(at));
      const stored = await recommendations.findRecommendation(move);
      return { status: stored?.status ?? 'missing' };
    },
  };
}

type Ends = Pick<MigrationPlanning, 'openMigration'> &
  Pick<MigrationEnding, 'abortUploads' | 'endMigration'>;

export type LostMigrationActivities = ReturnType<typeof createLostMigrationActivities>;

const OUTCOMES = [
  'running',
  'signalled',
  'restarted',
  'ended',
  'expired',
  'scheduled',
  'waiting',
  'failed',
] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The sweep over recommended moves whose workflow is lost, or has not received its signal. */
export function createLostMigrationActivities(context: MigrationContext, ends: Ends) {
  const { recommendations, releases, relocations, drills, drillSchedules, progress, now } = context;
  const sweep = { now, outcomes: OUTCOMES, progress };
  return {
    /**
     * Repeats approvals and cancellations that had no effect, restarts lost migrations, which
     * continue from the manifest and the ledger, and expires recommendations whose workflow did
     * not. The time between restarts doubles; after `MAX_RESTARTS` the migration fails. The same
     * for release checks, relocations and drills. Then starts the drills that are due.
     */
    async sweepMigrations(): Promise<Swept<Outcome>> {
      const moves = await sweepDue({
        ...sweep,
        due: recommendations.due,
        continueWork: (due) => continueMigration(context, ends, due).catch(() => 'failed' as const),
      });
      const checks = await sweepDue({
        ...sweep,
        due: releases.due,
        continueWork: (due) => continueRelease(context, due).catch(() => 'failed' as const),
      });
      const moving = await sweepDue({
        ...sweep,
        due: relocations.due,
        continueWork: (due) => continueRelocation(context, due).catch(() => 'failed' as const),
      });
      const trying = await sweepDue({
        ...sweep,
        due: drills.due,
        continueWork: (due) => continueDrill(context, due).catch(() => 'failed' as const),
      });
      const scheduled = await sweepDue({
        ...sweep,
        due: drillSchedules.due,
        continueWork: (due) => startDueDrill(context, due).catch(() => 'failed' as const),
      });
      return [checks, moving, trying, scheduled].reduce(addSwept, moves);
    },
  };
}

async function continueMigration(
  context: MigrationContext,
  ends: Ends,
  due: DueRecommendation,
): Promise<Outcome> {
  const { recommendationId, approval } = due.recommendation;
  if (!approval) {
    await context.recommendations.expire(recommendationId, context.now());
    return 'expired';
  }
  if (!(await context.migrationCommands.isLost(due.recommendation)))
    return await signalAgain(context, due, approval);
  if (due.attempts >= MAX_RESTARTS) {
    await endLost(ends, due.recommendation);
    return 'ended';
  }
  try {
    const { approve, cancel } = context.migrationCommands;
    const restart = approval.cancelRequestedAt === undefined ? approve : cancel;
    await restart(due.recommendation);
    return 'restarted';
  } finally {
    await context.recommendations.due.postpone(due, afterBackoff(due.attempts, context.now()));
  }
}

/** Signals an open workflow again whose migration shows no effect of the first signal. */
async function signalAgain(
  { recommendations, migrations, migrationCommands, now }: MigrationContext,
  due: DueRecommendation,
  approval: Approval,
): Promise<Outcome> {
  const { approvedAt, cancelRequestedAt, rounds = [] } = approval;
  const { recommendation } = due;
  const stored = await migrations.findMigration(migrationKeyOf(recommendation));
  const record = stored?.round === latestRound(approval) ? stored : undefined;
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

async function endLost(
  { openMigration, abortUploads, endMigration }: Ends,
  recommendation: RecommendationRecord,
): Promise<void> {
  const { approval } = recommendation;
  const round = approval ? latestRound(approval) : 1;
  const key = { ...migrationKeyOf(recommendation), round };
  await openMigration(key);
  const reason = { isCancelled: false, error: interruptedError('migration') };
  // If the target refuses or does not answer, the record of these uploads stays.
  await abortUploads(key, reason).catch(() => undefined);
  await endMigration(key, reason);
}

/** Starts a lost release check again, which goes on where it was; after `MAX_RESTARTS` it fails. */
async function continueRelease(
  { releases, releaseCommands, now }: MigrationContext,
  due: DueRelease,
): Promise<Outcome> {
  const { release, attempts } = due;
  const isLost = await releaseCommands.isLost(release);
  if (isLost && attempts >= MAX_RESTARTS) {
    const error = interruptedError('release check');
    await releases.end(release.releaseId, { status: 'failed', versioned: null, error }, now());
    return 'ended';
  }
  try {
    if (!isLost) return 'running';
    await releaseCommands.startRelease(release);
    return 'restarted';
  } finally {
    await releases.due.postpone(due, afterBackoff(attempts, now()), isLost);
  }
}

function continueRelocation(
  { relocations, relocationCommands, now }: MigrationContext,
  due: DueRun<RelocationRecord>,
): Promise<Outcome> {
  const { run } = due;
  return continueRun('relocation', due, now(), {
    isLost: () => relocationCommands.isLost(run),
    stop: (stopping) => relocations.stop(run, stopping),
    start: () => relocationCommands.startRelocation(run, namesOf(run)),
    postpone: relocations.due.postpone,
  });
}

function continueDrill(
  { drills, drillCommands, now }: MigrationContext,
  due: DueRun<DrillRecord>,
): Promise<Outcome> {
  const { run } = due;
  return continueRun('exit drill', due, now(), {
    isLost: () => drillCommands.isLost(run),
    stop: (stopping) => drills.stop(run, stopping),
    start: () => drillCommands.startDrill(run, namesOf(run)),
    postpone: drills.due.postpone,
  });
}

interface LostRun {
  isLost(): Promise<boolean>;
  stop(stopping: RelocationStop): Promise<void>;
  start(): Promise<unknown>;
  postpone(due: DueRun<unknown>, nextAttemptAt: Date, isCounted: boolean): Promise<void>;
}

/** Starts a lost run again; one that copies and is lost too often is ended as failed. */
async function continueRun(
  what: 'relocation' | 'exit drill',
  due: DueRun<unknown>,
  now: Date,
  run: LostRun,
): Promise<Outcome> {
  const isLost = await run.isLost();
  try {
    if (!isLost) return 'running';
    if (due.attempts >= MAX_RESTARTS)
      await run.stop({ status: 'failed', error: interruptedError(what) });
    await run.start();
    return 'restarted';
  } finally {
    await run.postpone(due, afterBackoff(due.attempts, now), isLost);
  }
}
