import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { Release } from '../../domain/migrations/release.ts';
import type { ReleaseKey, ReleaseOutcome } from '../../messages/release.ts';
import { RELEASE_WORKFLOW, releaseWorkflowId, SEARCH_ATTRIBUTES } from '../../messages/names.ts';
import type { Deadline } from '../deadline.ts';
import type { SearchAttributeUse } from './search-attributes.ts';
import { createBounded, ignoreMissing, isLost, priorityFor } from './workflow-calls.ts';

const CALL_TIMEOUT_MS = 5_000;

/** Starts the workflows of release checks. */
export interface ReleaseCommands {
  /** Does nothing if the workflow runs. */
  startRelease(release: Release): Promise<void>;
  /** Whether no workflow of the check is open, and none has been for some seconds. */
  isLost(release: Release): Promise<boolean>;
}

export interface ReleaseCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly deadline?: Deadline;
  readonly now: () => Date;
}

export function createReleaseCommands({
  client,
  searchAttributes,
  deadline,
  now,
}: ReleaseCommandsDeps): ReleaseCommands {
  const within = createBounded(client, deadline);
  return {
    async startRelease({ releaseId, migrationId, accountId }) {
      const attributes = [
        { key: SEARCH_ATTRIBUTES.accountId, value: accountId },
        { key: SEARCH_ATTRIBUTES.kind, value: 'release' },
      ];
      const start = (set: boolean) =>
        client.workflow.start<(key: ReleaseKey) => Promise<ReleaseOutcome>>(RELEASE_WORKFLOW, {
          taskQueue: 'migrations',
          workflowId: releaseWorkflowId(releaseId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'FAIL',
          args: [{ releaseId, migrationId, accountId }],
          priority: priorityFor(accountId),
          staticSummary: `check whether the source of the migration ${migrationId} can be given up`,
          ...(set ? { typedSearchAttributes: attributes } : {}),
        });
      try {
        await searchAttributes.use((set) => within(CALL_TIMEOUT_MS, () => start(set)));
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },

    async isLost({ releaseId }) {
      const handle = client.workflow.getHandle(releaseWorkflowId(releaseId));
      return isLost(
        await within(CALL_TIMEOUT_MS, () => handle.describe()).catch(ignoreMissing),
        now(),
      );
    },
  };
}
