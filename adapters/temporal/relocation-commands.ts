import type { RelocationStatus } from '../../domain/relocations/relocation.ts';
import type { RelocationInput } from '../../messages/relocation.ts';
import { RELOCATION_WORKFLOW, relocationWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** Starts the workflows of relocations. */
export type RelocationCommands = ReturnType<typeof createRelocationCommands>;

export function createRelocationCommands(workflows: Workflows, now: () => Date) {
  return {
    /** Does nothing if the workflow runs. */
    async startRelocation(
      { relocationId, accountId }: RelocationInput,
      { from, to }: { readonly from: string; readonly to: string },
    ): Promise<void> {
      type Run = (input: RelocationInput) => Promise<{ status: RelocationStatus }>;
      await workflows.start<Run>({
        type: RELOCATION_WORKFLOW,
        taskQueue: 'migrations',
        workflowId: relocationWorkflowId(relocationId),
        input: { relocationId, accountId },
        accountId,
        kind: 'relocation',
        phase: 'planning',
        provider: to.slice(0, to.indexOf('/')),
        summary: `move files from ${from} to ${to}`,
      });
    },

    /** Whether no workflow of it is open, and none has been for some seconds. */
    isLost: ({ relocationId }: Pick<RelocationInput, 'relocationId'>) =>
      workflows.isLost(relocationWorkflowId(relocationId), now()),
  };
}
