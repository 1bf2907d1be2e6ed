import type { Release } from '../../domain/migrations/release.ts';
import type { ReleaseKey, ReleaseOutcome } from '../../messages/release.ts';
import { RELEASE_WORKFLOW, releaseWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** Starts the workflows of release checks. */
export interface ReleaseCommands {
  /** Does nothing if the workflow runs. */
  startRelease(release: Release): Promise<void>;
  /** Whether no workflow of the check is open, and none has been for some seconds. */
  isLost(release: Release): Promise<boolean>;
}

export function createReleaseCommands(workflows: Workflows, now: () => Date): ReleaseCommands {
  return {
    async startRelease({ releaseId, migrationId, accountId }) {
      await workflows.start<(key: ReleaseKey) => Promise<ReleaseOutcome>>({
        type: RELEASE_WORKFLOW,
        taskQueue: 'migrations',
        workflowId: releaseWorkflowId(releaseId),
        input: { releaseId, migrationId, accountId },
        accountId,
        kind: 'release',
        summary: `check whether the source of the migration ${migrationId} can be given up`,
      });
    },

    isLost: ({ releaseId }) => workflows.isLost(releaseWorkflowId(releaseId), now()),
  };
}
