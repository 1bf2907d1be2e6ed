import { formatBytes } from '../../shared/amounts.ts';
import type { FileRecord, UploadState } from '../../domain/uploads/file.ts';
import { wakeUpload, type UploadInput, type UploadPhase } from '../../messages/upload.ts';
import { UPLOAD_WORKFLOW, uploadWorkflowId } from '../../messages/names.ts';
import type { Workflows, WorkflowStart } from './workflows.ts';

/** Starts and wakes the workflows of uploads. */
export type UploadCommands = ReturnType<typeof createUploadCommands>;

export function createUploadCommands(workflows: Workflows, now: () => Date) {
  return {
    /** Starts the workflow, delayed until the window closes. Does nothing if one is open. */
    async startUpload(file: FileRecord): Promise<void> {
      const startDelay = Math.max(0, file.deadline.getTime() - now().getTime());
      await workflows.start(toStart(file), { startDelay });
    },

    /** Wakes the file's workflow, also a delayed one, or starts one if none is open. */
    wake: (file: FileRecord) => workflows.signal(toStart(file), wakeUpload),

    /** Whether an activity runs or will be repeated: a signal would only lengthen the history. */
    async isWorking({ fileId }: FileRecord): Promise<boolean> {
      const latest = await workflows.describe(uploadWorkflowId(fileId));
      const activities = latest?.raw.pendingActivities?.length ?? 0;
      return latest?.status.name === 'RUNNING' && activities > 0;
    },
  };
}

function toStart(file: FileRecord): WorkflowStart<(input: UploadInput) => Promise<UploadState>> {
  const { fileId, accountId, deadline, location, priority, sizeBytes } = file;
  return {
    type: UPLOAD_WORKFLOW,
    taskQueue: 'uploads',
    workflowId: uploadWorkflowId(fileId),
    input: { fileId, accountId, deadline: deadline.toISOString() },
    accountId,
    kind: 'upload',
    phase: 'waiting' satisfies UploadPhase,
    provider: location.provider,
    summary: `${priority} upload of ${formatBytes(sizeBytes)} to ${location.provider}`,
    details: `The window closes at ${deadline.toISOString()}. Until then the run waits without a worker.`,
  };
}
