import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type MigrationInput,
  type MigrationOutcome,
  type MigrationView,
} from '../../messages/messages.ts';
import type { ApprovedRecommendation } from '../mongo/recommendations.ts';
import {
  MIGRATION_WORKFLOW,
  SEARCH_ATTRIBUTES,
  migrationWorkflowId,
} from '../../messages/names.ts';
import { createBounded } from './bounded.ts';
import type { SearchAttributeUse } from './search-attributes.ts';

const CALL_TIMEOUT_MS = 5_000;
/** A worker answers within milliseconds, or there is none: then what is stored has to do. */
const QUERY_TIMEOUT_MS = 700;

/** The workflows that wait for the approval of a recommended move, and carry it out. */
export interface MigrationCommands {
  /** Starts one that sleeps until the recommendation expires; one that is there already stays. */
  start(recommendation: RecommendationRecord): Promise<void>;
  /** Ends one that nobody will approve any more; one that has ended stays as it is. */
  dismiss(recommendationId: string, reason: string): Promise<void>;
  /** Tells that the move was approved; one that has ended has heard of it. */
  approve(recommendation: RecommendationRecord): Promise<void>;
  /** Tells that the migration is to end; one that has ended stays as it is. */
  cancel(recommendation: RecommendationRecord): Promise<void>;
  /** How a migration stands right now; undefined where nobody can say. */
  view(approved: ApprovedRecommendation): Promise<MigrationView | undefined>;
}

export interface MigrationCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly now: () => Date;
}

export function createMigrationCommands({
  client,
  searchAttributes,
  now,
}: MigrationCommandsDeps): MigrationCommands {
  const within = createBounded(client);

  /** What has ended already is no error: there is one workflow for each recommendation, ever. */
  async function reach(
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

  return {
    start: (recommendation) =>
      reach(recommendation, (options) =>
        client.workflow.start(MIGRATION_WORKFLOW, {
          ...options,
          workflowIdConflictPolicy: 'FAIL',
          startDelay: Math.max(0, recommendation.expiresAt.getTime() - now().getTime()),
        }),
      ),

    approve: (recommendation) =>
      reach(recommendation, (options) =>
        client.workflow.signalWithStart(MIGRATION_WORKFLOW, {
          ...options,
          signal: approveMigration,
        }),
      ),

    cancel: (recommendation) =>
      reach(recommendation, (options) =>
        client.workflow.signalWithStart(MIGRATION_WORKFLOW, {
          ...options,
          signal: cancelMigration,
        }),
      ),

    async view({ recommendationId, approval }) {
      try {
        const view = await within(QUERY_TIMEOUT_MS, () =>
          client.workflow
            .getHandle(migrationWorkflowId(recommendationId))
            .query(migrationProgress, approval.migrationId),
        );
        return view ?? undefined;
      } catch {
        // Whatever the reason: what is stored is the answer then.
        return undefined;
      }
    },

    async dismiss(recommendationId, reason) {
      try {
        await within(CALL_TIMEOUT_MS, () =>
          client.workflow.getHandle(migrationWorkflowId(recommendationId)).terminate(reason),
        );
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
  };
}

type MigrationStartOptions = WorkflowStartOptions<
  (input: MigrationInput) => Promise<MigrationOutcome>
>;

function optionsFor(recommendation: RecommendationRecord, set: boolean): MigrationStartOptions {
  const { recommendationId, accountId, expiresAt, bucket, recommendedProvider } = recommendation;
  return {
    taskQueue: 'migrations',
    workflowId: migrationWorkflowId(recommendationId),
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    args: [{ recommendationId, accountId }],
    staticSummary: `move of ${bucket} to ${recommendedProvider}, until ${expiresAt.toISOString()}`,
    ...(set ? { typedSearchAttributes: attributesOf(recommendation) } : {}),
  };
}

function attributesOf({ accountId, recommendedProvider }: RecommendationRecord) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: 'migration' },
    { key: SEARCH_ATTRIBUTES.phase, value: 'waiting' },
    ...(recommendedProvider === null
      ? []
      : [{ key: SEARCH_ATTRIBUTES.provider, value: recommendedProvider }]),
  ];
}
