import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import type { FileRecord } from '../../domain/file.ts';
import {
  completeUpload,
  deleteUpload,
  reviewUpload,
  type UploadInput,
  type UploadState,
} from '../../messages/upload.ts';
import { SEARCH_ATTRIBUTES, UPLOAD_WORKFLOW, uploadWorkflowId } from '../../messages/names.ts';
import { retryTransient } from '../retry.ts';
import { createBounded } from './bounded.ts';
import { isBusy } from './open.ts';
import type { SearchAttributeUse } from './search-attributes.ts';

const START_TIMEOUT_MS = 3_000;
/** A running worker applies a command within milliseconds. */
const COMMAND_TIMEOUT_MS = 5_000;
/** A workflow accepts ten concurrent updates; further ones are retried after this time. */
const BUSY_RETRY_MS = 50;
const BUSY_ATTEMPTS = COMMAND_TIMEOUT_MS / BUSY_RETRY_MS;

/** Starts and updates the workflows of uploads. */
export interface UploadCommands {
  /** Starts the workflow, delayed until the window closes. Call it before the insert. */
  start(file: FileRecord): Promise<void>;
  /** Starts the workflow at once where none is open; true where it was started. */
  startIfNone(file: FileRecord): Promise<boolean>;
  /** Makes the run read the file again, or starts one. Resolves once the server has accepted it. */
  review(file: FileRecord): Promise<void>;
  complete(file: FileRecord): Promise<UploadState>;
  /** Resolves once the command is in the history; the file's status shows its effect. */
  delete(file: FileRecord): Promise<void>;
}

type UploadOptions = WorkflowStartOptions<(input: UploadInput) => Promise<UploadState>>;

export interface UploadCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly now: () => Date;
}

export function createUploadCommands({
  client,
  searchAttributes,
  now,
}: UploadCommandsDeps): UploadCommands {
  const within = createBounded(client);

  const withOptions = <T>(
    file: FileRecord,
    call: (options: UploadOptions) => Promise<T>,
  ): Promise<T> => searchAttributes.use((set) => call(startOptions(file, set)));

  /** Updates the open run, waiting or delayed, or starts one where the last has closed. */
  function reach(
    update: UpdateDefinition<UploadState>,
    file: FileRecord,
  ): Promise<{ result(): Promise<UploadState> }> {
    return retryBusy(() =>
      withOptions(file, (options) =>
        within(COMMAND_TIMEOUT_MS, () =>
          client.workflow.startUpdateWithStart(update, {
            waitForStage: 'ACCEPTED',
            startWorkflowOperation: new WithStartWorkflowOperation(UPLOAD_WORKFLOW, {
              ...options,
              workflowIdConflictPolicy: 'USE_EXISTING',
            }),
          }),
        ),
      ),
    );
  }

  return {
    async start(file) {
      const startDelay = Math.max(0, file.deadline.getTime() - now().getTime());
      await withOptions(file, (options) =>
        within(START_TIMEOUT_MS, () =>
          client.workflow.start(UPLOAD_WORKFLOW, { ...options, startDelay }),
        ),
      );
    },

    async startIfNone(file) {
      try {
        await withOptions(file, (options) =>
          within(START_TIMEOUT_MS, () =>
            client.workflow.start(UPLOAD_WORKFLOW, {
              ...options,
              workflowIdConflictPolicy: 'FAIL',
            }),
          ),
        );
        return true;
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
        throw error;
      }
    },

    async review(file) {
      await reach(reviewUpload, file);
    },

    async complete(file) {
      const update = await reach(completeUpload, file);
      return within(COMMAND_TIMEOUT_MS, () => update.result());
    },

    async delete(file) {
      const update = await reach(deleteUpload, file);
      await within(COMMAND_TIMEOUT_MS, () => update.result()).catch(() => undefined);
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
    staticSummary: `${file.priority} upload of ${file.sizeBytes} bytes to ${file.location.provider}`,
    ...(showAttributes ? { typedSearchAttributes: attributesOf(file) } : {}),
  };
}

function attributesOf(file: FileRecord) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: file.accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: 'upload' },
    { key: SEARCH_ATTRIBUTES.phase, value: file.status },
    { key: SEARCH_ATTRIBUTES.provider, value: file.location.provider },
  ];
}

function retryBusy<T>(call: () => Promise<T>): Promise<T> {
  return retryTransient(
    { attempts: BUSY_ATTEMPTS, delayMs: () => BUSY_RETRY_MS, isTransient: isBusy },
    call,
  );
}
