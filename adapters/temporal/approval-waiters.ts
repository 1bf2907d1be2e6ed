import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import type { MigrationInput } from '../../workflows/messages.ts';
import {
  MIGRATION_WORKFLOW,
  SEARCH_ATTRIBUTES,
  migrationWorkflowId,
} from '../../workflows/names.ts';
import { createBounded } from './bounded.ts';
import type { SearchAttributeUse } from './search-attributes.ts';

const CALL_TIMEOUT_MS = 5_000;

/** The workflows that wait for the approval of a recommended move. */
export interface ApprovalWaiters {
  /** Starts one that sleeps until the recommendation expires; one that is there already stays. */
  start(recommendation: RecommendationRecord): Promise<void>;
  /** Ends one that nobody will approve any more; one that has ended stays as it is. */
  dismiss(recommendationId: string, reason: string): Promise<void>;
}

export interface ApprovalWaitersDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly now: () => Date;
}

export function createApprovalWaiters({
  client,
  searchAttributes,
  now,
}: ApprovalWaitersDeps): ApprovalWaiters {
  const within = createBounded(client);

  return {
    async start(recommendation) {
      const { recommendationId, accountId, expiresAt, bucket, recommendedProvider } =
        recommendation;
      const input: MigrationInput = { recommendationId, accountId };
      try {
        await searchAttributes.use((set) =>
          within(CALL_TIMEOUT_MS, () =>
            client.workflow.start(MIGRATION_WORKFLOW, {
              taskQueue: 'migrations',
              workflowId: migrationWorkflowId(recommendationId),
              workflowIdReusePolicy: 'REJECT_DUPLICATE',
              workflowIdConflictPolicy: 'FAIL',
              args: [input],
              startDelay: Math.max(0, expiresAt.getTime() - now().getTime()),
              staticSummary: `move of ${bucket} to ${recommendedProvider}, until ${expiresAt.toISOString()}`,
              ...(set ? { typedSearchAttributes: attributesOf(recommendation) } : {}),
            }),
          ),
        );
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
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
