import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
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
import {
  MIGRATION_WORKFLOW,
  SEARCH_ATTRIBUTES,
  migrationWorkflowId,
} from '../../messages/names.ts';
import type { Deadline } from '../deadline.ts';
import type { SearchAttributeUse } from './search-attributes.ts';
import { createBounded, ignoreMissing, isLost, priorityFor } from './workflow-calls.ts';

const CALL_TIMEOUT_MS = 5_000;
/** A running worker answers within milliseconds; without one the stored state is shown. */
const QUERY_TIMEOUT_MS = 700;

/** Starts, signals and queries the workflows of recommended moves. */
export interface MigrationCommands {
  /** Starts the workflow, delayed until the recommendation expires. Does nothing if it exists. */
  startMigration(recommendation: RecommendationRecord): Promise<void>;
  /** Wakes the workflow of a superseded recommendation, so that it ends. */
  dismiss(recommendation: RecommendationRecord): Promise<void>;
  /** Signals the approval; starts the workflow again if it is lost. */
  approve(recommendation: RecommendationRecord): Promise<void>;
  /** Cancels the migration's workflow; starts it again if it is lost, so that it ends. */
  cancel(recommendation: RecommendationRecord): Promise<void>;
  /** Whether no workflow of the latest round is open, and none has been for some seconds. */
  isLost(recommendation: RecommendationRecord): Promise<boolean>;
  /** The state of the latest round while it runs; undefined if no worker answers. */
  view(recommendation: RecommendationRecord): Promise<MigrationView | undefined>;
}

export interface MigrationCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly deadline?: Deadline;
  readonly now: () => Date;
}

export function createMigrationCommands({
  client,
  searchAttributes,
  deadline,
  now,
}: MigrationCommandsDeps): MigrationCommands {
  const within = createBounded(client, deadline);

  /** A workflow that exists already, or has completed, is no error. */
  async function callWorkflow(
    recommendation: RecommendationRecord,
    call: (options: MigrationStartOptions) => Promise<unknown>,
  ): Promise<void> {
    try {
      await searchAttributes.use((set) =>
        within(CALL_TIMEOUT_MS, () => call(optionsFor(recommendation, set))),
      );
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Signals the workflow, also a delayed one; starts it if none is open. */
  const wake = (
    recommendation: RecommendationRecord,
    signal: SignalDefinition,
    changes: Pick<MigrationStartOptions, 'workflowIdReusePolicy'> = {},
  ) =>
    callWorkflow(recommendation, (options) =>
      client.workflow.signalWithStart(MIGRATION_WORKFLOW, { ...options, ...changes, signal }),
    );

  return {
    startMigration: (recommendation) =>
      callWorkflow(recommendation, (options) =>
        client.workflow.start(MIGRATION_WORKFLOW, {
          ...options,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
          workflowIdConflictPolicy: 'FAIL',
          startDelay: Math.max(0, recommendation.expiresAt.getTime() - now().getTime()),
        }),
      ),

    // An ended one stays ended.
    dismiss: (recommendation) =>
      wake(recommendation, approveMigration, { workflowIdReusePolicy: 'REJECT_DUPLICATE' }),

    approve: (recommendation) => wake(recommendation, approveMigration),

    async cancel(recommendation) {
      await wake(recommendation, cancelMigration);
      // The signal cancels the migration; only with this request does Temporal show its run as cancelled.
      await within(CALL_TIMEOUT_MS, () =>
        client.workflow.getHandle(workflowIdOf(recommendation)).cancel(),
      ).catch(ignoreMissing);
    },

    async view(recommendation) {
      try {
        const view = await within(QUERY_TIMEOUT_MS, () =>
          client.workflow.getHandle(workflowIdOf(recommendation)).query(migrationProgress),
        );
        return view ?? undefined;
      } catch {
        // The stored state is the answer, for any reason of the failure.
        return undefined;
      }
    },

    async isLost(recommendation) {
      const handle = client.workflow.getHandle(workflowIdOf(recommendation));
      return isLost(
        await within(CALL_TIMEOUT_MS, () => handle.describe()).catch(ignoreMissing),
        now(),
      );
    },
  };
}

type MigrationStartOptions = WorkflowStartOptions<
  (input: MigrationInput) => Promise<MigrationOutcome>
>;

function optionsFor(recommendation: RecommendationRecord, set: boolean): MigrationStartOptions {
  const { accountId, expiresAt, bucket, recommendedProvider } = recommendation;
  const migrationId = recommendation.recommendationId;
  const round = roundOf(recommendation);
  return {
    taskQueue: 'migrations',
    workflowId: workflowIdOf(recommendation),
    // A second run of an ended migration ends at once.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [{ migrationId, accountId, ...(round > 1 ? { round } : {}) }],
    priority: priorityFor(accountId),
    staticSummary:
      round > 1
        ? `round ${round} of the move of ${bucket}`
        : `move of ${bucket} to ${recommendedProvider}; can be approved until ${expiresAt.toISOString()}`,
    staticDetails: describeMove(recommendation),
    ...(set ? { typedSearchAttributes: toAttributes(recommendation) } : {}),
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
    `Move of ${code(`${bucket}/${selector.prefix ?? ''}`)} to ${recommendedProvider}: ` +
      `${formatCount(objects, 'object')}, ${formatBytes(bytes)}; ` +
      `saves ${formatMoney(recommendation.monthlySavingsUsd)} a month.`,
    '',
    'The run waits, without a worker, until the move is approved or superseded by a newer scan, or until ' +
      `the recommendation expires at ${recommendation.expiresAt.toISOString()}. Then it has current details.`,
  ].join('\n');
}

function toAttributes({ accountId, recommendedProvider }: RecommendationRecord) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: 'migration' },
    { key: SEARCH_ATTRIBUTES.phase, value: 'waiting' },
    ...(recommendedProvider === null
      ? []
      : [{ key: SEARCH_ATTRIBUTES.provider, value: recommendedProvider }]),
  ];
}
