import type { DrillStatus } from '../../domain/drills/drill.ts';
import type { RelocationStatus } from '../../domain/relocations/relocation.ts';
import type { DrillInput } from '../../messages/drill.ts';
import type { RelocationInput } from '../../messages/relocation.ts';
import {
  DRILL_WORKFLOW,
  drillWorkflowId,
  RELOCATION_WORKFLOW,
  relocationWorkflowId,
} from '../../messages/names.ts';
import type { Workflows, WorkflowStart } from './workflows.ts';

/** The places as operators see them. */
interface PlaceNames {
  readonly from: string;
  readonly to: string;
}

export type RelocationCommands = ReturnType<typeof createRelocationCommands>;
export type DrillCommands = ReturnType<typeof createDrillCommands>;

/** Starts the workflows of relocations. */
export function createRelocationCommands(workflows: Workflows, now: () => Date) {
  type Run = (input: RelocationInput) => Promise<{ status: RelocationStatus }>;
  return {
    /** Does nothing if the workflow runs. */
    async startRelocation(
      { relocationId, accountId }: RelocationInput,
      { from, to }: PlaceNames,
    ): Promise<void> {
      await workflows.start<Run>({
        ...atQueue(accountId, to),
        type: RELOCATION_WORKFLOW,
        workflowId: relocationWorkflowId(relocationId),
        input: { relocationId, accountId },
        kind: 'relocation',
        phase: 'planning',
        summary: `move files from ${from} to ${to}`,
      });
    },

    /** Whether no workflow of it is open, and none has been for some seconds. */
    isLost: ({ relocationId }: Pick<RelocationInput, 'relocationId'>) =>
      workflows.isLost(relocationWorkflowId(relocationId), now()),
  };
}

/** Starts the workflows of exit drills. */
export function createDrillCommands(workflows: Workflows, now: () => Date) {
  type Run = (input: DrillInput) => Promise<{ status: DrillStatus }>;
  return {
    /** Does nothing if the workflow runs. */
    startDrill: ({ drillId, accountId }: DrillInput, { from, to }: PlaceNames): Promise<unknown> =>
      workflows.start<Run>({
        ...atQueue(accountId, to),
        type: DRILL_WORKFLOW,
        workflowId: drillWorkflowId(drillId),
        input: { drillId, accountId },
        kind: 'drill',
        phase: 'sampling',
        summary: `try to leave ${from} for ${to}`,
      }),

    isLost: ({ drillId }: Pick<DrillInput, 'drillId'>) =>
      workflows.isLost(drillWorkflowId(drillId), now()),
  };
}

function atQueue(
  accountId: string,
  to: string,
): Pick<WorkflowStart<never>, 'taskQueue' | 'accountId' | 'provider'> {
  return { taskQueue: 'migrations', accountId, provider: to.slice(0, to.indexOf('/')) };
}
