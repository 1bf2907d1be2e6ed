import type { Client } from '@temporalio/client';
import type { Deadline } from '../deadline.ts';
import { createMigrationCommands } from './migration-commands.ts';
import { createDrillCommands, createRelocationCommands } from './relocation-commands.ts';
import { createReleaseCommands } from './release-commands.ts';
import { createScanCommands } from './scan-commands.ts';
import { createUploadCommands } from './upload-commands.ts';
import { createWebhookCommands } from './webhook-commands.ts';
import { Workflows } from './workflows.ts';

/** All that a process asks of workflows. */
export type WorkflowCommands = ReturnType<typeof createWorkflowCommands>;

/** @param deadline of the current request */
export function createWorkflowCommands(client: Client, now: () => Date, deadline?: Deadline) {
  const workflows = new Workflows(client, deadline);
  return {
    uploads: createUploadCommands(workflows, now),
    scanCommands: createScanCommands(workflows),
    migrationCommands: createMigrationCommands(workflows, now),
    releaseCommands: createReleaseCommands(workflows, now),
    relocationCommands: createRelocationCommands(workflows, now),
    drillCommands: createDrillCommands(workflows, now),
    webhookCommands: createWebhookCommands(workflows),
  };
}
