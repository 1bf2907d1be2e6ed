import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import { formatBytes, formatCount, formatMoney } from '../../shared/amounts.ts';
import { code } from '../../domain/common/format.ts';
import { latestRound } from '../../domain/migrations/rounds.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type MigrationInput,
  type MigrationOutcome,
  type MigrationView,
} from '../../messages/migration.ts';
import { MIGRATION_WORKFLOW, migrationWorkflowId } from '../../messages/names.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { Workflows, WorkflowStart } from './workflows.ts';

/** Starts, signals and queries the workflows of recommended moves. */
export type MigrationCommands = ReturnType<typeof createMigrationCommands>;

export function createMigrationCommands(workflows: Workflows, now: () => Date) {
  return {
    /** Starts the workflow, delayed until the recommendation expires. Does nothing if it exists. */
    async startMigration(recommendation: RecommendationRecord): Promise<void> {
      await workflows.start(toStart(recommendation), {
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        startDelay: Math.max(0, recommendation.expiresAt.getTime() - now().getTime()),
      });
    },

    /** Wakes the workflow of a superseded recommendation, so that it ends. */
    dismiss: (recommendation: RecommendationRecord) =>
      workflows.signal(toStart(recommendation), approveMigration, {
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
      }),

    /** Signals the approval; starts the workflow again if it is lost. */
    approve: (recommendation: RecommendationRecord) =>
      workflows.signal(toStart(recommendation), approveMigration),

    /** Cancels the migration's workflow; starts it again if it is lost, so that it ends. */
    async cancel(recommendation: RecommendationRecord): Promise<void> {
      await workflows.signal(toStart(recommendation), cancelMigration);
      // The signal cancels the migration; only with this request does Temporal show its run as
      // cancelled.
      await workflows.cancel(workflowIdOf(recommendation));
    },

    /** The state of the latest round while it runs; undefined if no worker answers. */
    view: (recommendation: RecommendationRecord): Promise<MigrationView | undefined> =>
      workflows.query(workflowIdOf(recommendation), migrationProgress),
    /** Whether no workflow of the latest round is open, and none has been for some seconds. */
    isLost: (recommendation: RecommendationRecord) =>
      workflows.isLost(workflowIdOf(recommendation), now()),
  };
}

function toStart(
  recommendation: RecommendationRecord,
): WorkflowStart<(input: MigrationInput) => Promise<MigrationOutcome>> {
  const { accountId, expiresAt, bucket, recommendedProvider } = recommendation;
  const round = roundOf(recommendation);
  return {
    type: MIGRATION_WORKFLOW,
    taskQueue: 'migrations',
    // A second run of an ended migration ends at once.
    workflowId: workflowIdOf(recommendation),
    input: { ...migrationKeyOf(recommendation), round },
    accountId,
    kind: 'migration',
    phase: 'waiting',
    provider: recommendedProvider,
    summary:
      round > 1
        ? `round ${round} of the move of ${bucket}`
        : `move of ${bucket} to ${recommendedProvider}; can be approved until ${expiresAt.toISOString()}`,
    details: describeMove(recommendation),
  };
}

function roundOf({ approval }: RecommendationRecord): number {
  return approval ? latestRound(approval) : 1;
}

function workflowIdOf(recommendation: RecommendationRecord): string {
  return migrationWorkflowId(recommendation.recommendationId, roundOf(recommendation));
}

/** What the run is for: a delayed run has no current details. */
function describeMove(recommendation: RecommendationRecord): string {
  const { bucket, selector, objects, bytes, recommendedProvider } = recommendation;
  return [
    `Move of ${code(`${bucket}/${keyPrefixOf(selector)}`)} to ${recommendedProvider}: ` +
      `${formatCount(objects, 'object')}, ${formatBytes(bytes)}; ` +
      `saves ${formatMoney(recommendation.monthlySavingsUsd)} a month.`,
    '',
    'The run waits, without a worker, until the move is approved or superseded by a newer scan, or until ' +
      `the recommendation expires at ${recommendation.expiresAt.toISOString()}. Then it has current details.`,
  ].join('\n');
}
