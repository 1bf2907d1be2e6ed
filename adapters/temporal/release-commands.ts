import type { ReleaseKey, ReleaseOutcome } from '../../messages/release.ts';
import { RELEASE_WORKFLOW, releaseWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** Starts the workflows of release checks. */
export type ReleaseCommands = ReturnType<typeof createReleaseCommands>;

export function createReleaseCommands(workflows: Workflows, now: () => Date) {
  return {
    /** Does nothing if the workflow runs. */
    async startRelease({ releaseId, migrationId, accountId }: ReleaseKey): Promise<void> {
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

    /** Whether no workflow of the check is open, and none has been for some seconds. */
    isLost: ({ releaseId }: Pick<ReleaseKey, 'releaseId'>) =>
      workflows.isLost(releaseWorkflowId(releaseId), now()),
  };
}
