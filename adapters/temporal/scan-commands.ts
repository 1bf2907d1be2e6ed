import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { AppError } from '../../domain/common/errors.ts';
import type { ScanRecord } from '../../domain/scans/scan.ts';
import {
  scanBuckets,
  scanProgress,
  type ScanInput,
  type ScanView,
  type ShownBucket,
} from '../../messages/scan.ts';
import { SCAN_WORKFLOW, SEARCH_ATTRIBUTES, scanWorkflowId } from '../../messages/names.ts';
import type { Deadline } from '../deadline.ts';
import type { SearchAttributeUse } from './search-attributes.ts';
import { createBounded, ignoreMissing, isLost, priorityFor } from './workflow-calls.ts';

const CALL_TIMEOUT_MS = 3_000;
/** A running worker answers within milliseconds; without one the stored state is shown. */
const QUERY_TIMEOUT_MS = 700;

/** A scan before its start. */
export type NewScan = Pick<ScanRecord, 'scanId' | 'accountId' | 'connectionId' | 'startedAt'>;

/** Starts, ends and queries the workflows of scans. */
export interface ScanCommands {
  /** @throws AppError `scan_already_running`: the id of the workflow is the connection's lock. */
  startScan(scan: NewScan): Promise<void>;
  /** Terminates a scan that was refused after its start. */
  abandon(scan: NewScan, reason: string): Promise<void>;
  /** The id of the connection's running scan; undefined if none runs. */
  findRunningScan(connectionId: string): Promise<string | undefined>;
  /** Whether the connection has no open workflow, and has had none for some seconds. */
  isLost(connectionId: string, now: Date): Promise<boolean>;
  /** The state of a running scan; undefined if no worker answers. */
  view(scan: NewScan): Promise<ScanView | undefined>;
  /** The latest buckets of a running scan, the newest first; undefined if no worker answers. */
  latestBuckets(scan: NewScan): Promise<readonly ShownBucket[] | undefined>;
}

export interface ScanCommandsDeps {
  readonly client: Client;
  readonly searchAttributes: SearchAttributeUse;
  readonly deadline?: Deadline;
}

export function createScanCommands({
  client,
  searchAttributes,
  deadline,
}: ScanCommandsDeps): ScanCommands {
  const within = createBounded(client, deadline);
  const getHandle = (connectionId: string) =>
    client.workflow.getHandle(scanWorkflowId(connectionId));
  const describeWorkflow = (connectionId: string) =>
    within(CALL_TIMEOUT_MS, () => getHandle(connectionId).describe()).catch(ignoreMissing);

  async function queryScan<T>(
    { connectionId, scanId }: NewScan,
    query: QueryDefinition<T | null, [scanId: string]>,
  ): Promise<T | undefined> {
    try {
      const answer = await within(QUERY_TIMEOUT_MS, () =>
        getHandle(connectionId).query(query, scanId),
      );
      return answer ?? undefined;
    } catch {
      // The stored state is the answer, for any reason of the failure.
      return undefined;
    }
  }

  return {
    async startScan(scan) {
      const { scanId, accountId, connectionId, startedAt } = scan;
      const input: ScanInput = {
        scanId,
        accountId,
        connectionId,
        startedAt: startedAt.toISOString(),
      };
      try {
        await searchAttributes.use((set) =>
          within(CALL_TIMEOUT_MS, () =>
            client.workflow.start(SCAN_WORKFLOW, {
              taskQueue: 'scans',
              workflowId: scanWorkflowId(connectionId),
              workflowIdReusePolicy: 'ALLOW_DUPLICATE',
              workflowIdConflictPolicy: 'FAIL',
              args: [input],
              priority: priorityFor(accountId),
              staticSummary: `scan ${scanId}`,
              memo: { scanId },
              ...(set ? { typedSearchAttributes: toAttributes(scan) } : {}),
            }),
          ),
        );
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError)
          throw new AppError('scan_already_running');
        throw error;
      }
    },

    async abandon({ connectionId, scanId }, reason) {
      const seen = await describeWorkflow(connectionId);
      if (seen?.memo?.['scanId'] !== scanId) return;
      const run = client.workflow.getHandle(scanWorkflowId(connectionId), seen.runId);
      await within(CALL_TIMEOUT_MS, () => run.terminate(reason)).catch(ignoreMissing);
    },

    async findRunningScan(connectionId) {
      const seen = await describeWorkflow(connectionId);
      return seen?.status.name === 'RUNNING' ? String(seen.memo?.['scanId']) : undefined;
    },

    isLost: async (connectionId, now) => isLost(await describeWorkflow(connectionId), now),

    view: (scan) => queryScan(scan, scanProgress),
    latestBuckets: (scan) => queryScan(scan, scanBuckets),
  };
}

function toAttributes(scan: NewScan) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: scan.accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: 'scan' },
    { key: SEARCH_ATTRIBUTES.phase, value: 'queued' },
    { key: SEARCH_ATTRIBUTES.provider, value: 'aws' },
  ];
}
