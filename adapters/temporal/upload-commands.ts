import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { formatBytes } from '../../shared/amounts.ts';
import type { FileRecord, UploadState } from '../../domain/uploads/file.ts';
import { wakeUpload, type UploadInput, type UploadPhase } from '../../messages/upload.ts';
import { SEARCH_ATTRIBUTES, UPLOAD_WORKFLOW, uploadWorkflowId } from '../../messages/names.ts';
import type { Deadline } from '../deadline.ts';
import type { SearchAttributeUse } from './search-attributes.ts';
import { createBounded, ignoreMissing, priorityFor } from './workflow-calls.ts';

const CALL_TIMEOUT_MS = 3_000;
/** Nobody waits for a start. */
const START_TIMEOUT_MS = 5_000;

/** Starts and wakes the workflows of uploads. */
export interface UploadCommands {
  /** Starts the workflow, delayed until the window closes. Does nothing if one is open. */
  startUpload(file: FileRecord): Promise<void>;
  /** Wakes the file's workflow, also a delayed one, or starts one if none is open. */
  wake(file: FileRecord): Promise<void>;
  /** Whether an activity of the file's workflow runs or will be repeated: a signal would only lengthen its history. */
  isWorking(file: FileRecord): Promise<boolean>;
}

type UploadOptions = WorkflowStartOptions<(input: UploadInput) => Promise<UploadState>>;

export interface UploadCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly deadline?: Deadline;
  readonly now: () => Date;
}

export function createUploadCommands({
  client,
  searchAttributes,
  deadline,
  now,
}: UploadCommandsDeps): UploadCommands {
  const within = createBounded(client, deadline);
  const withOptions = (
    timeoutMs: number,
    file: FileRecord,
    call: (options: UploadOptions) => Promise<unknown>,
  ): Promise<unknown> =>
    searchAttributes.use((set) => within(timeoutMs, () => call(startOptions(file, set))));

  return {
    async startUpload(file) {
      const startDelay = Math.max(0, file.deadline.getTime() - now().getTime());
      await withOptions(START_TIMEOUT_MS, file, (options) =>
        client.workflow.start(UPLOAD_WORKFLOW, { ...options, startDelay }),
      ).catch((error: unknown) => {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      });
    },

    async wake(file) {
      await withOptions(CALL_TIMEOUT_MS, file, (options) =>
        client.workflow.signalWithStart(UPLOAD_WORKFLOW, { ...options, signal: wakeUpload }),
      );
    },

    async isWorking({ fileId }) {
      const handle = client.workflow.getHandle(uploadWorkflowId(fileId));
      const found = await within(CALL_TIMEOUT_MS, () => handle.describe().catch(ignoreMissing));
      const activities = found?.raw.pendingActivities?.length ?? 0;
      return found?.status.name === 'RUNNING' && activities > 0;
    },
  };
}

function startOptions(file: FileRecord, showAttributes: boolean): UploadOptions {
  const { fileId, accountId, deadline } = file;
  return {
    taskQueue: 'uploads',
    workflowId: uploadWorkflowId(fileId),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [{ fileId, accountId, deadline: deadline.toISOString() }],
    priority: priorityFor(accountId),
    staticSummary: `${file.priority} upload of ${formatBytes(file.sizeBytes)} to ${file.location.provider}`,
    // A delayed run has no current details.
    staticDetails: `The window closes at ${deadline.toISOString()}. Until then the run waits without a worker.`,
    ...(showAttributes ? { typedSearchAttributes: toAttributes(file) } : {}),
  };
}

function toAttributes(file: FileRecord) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: file.accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: 'upload' },
    { key: SEARCH_ATTRIBUTES.phase, value: 'waiting' satisfies UploadPhase },
    { key: SEARCH_ATTRIBUTES.provider, value: file.location.provider },
  ];
}
