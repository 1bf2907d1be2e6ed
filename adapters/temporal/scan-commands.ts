import { AppError } from '../../domain/common/errors.ts';
import type { ScanRecord } from '../../domain/scans/scan.ts';
import {
  scanBuckets,
  scanProgress,
  type ScanInput,
  type ScanView,
  type ShownBucket,
} from '../../messages/scan.ts';
import { SCAN_WORKFLOW, scanWorkflowId } from '../../messages/names.ts';
import type { Workflows } from './workflows.ts';

/** A scan before its start. */
export type NewScan = Pick<
  ScanRecord,
  'scanId' | 'accountId' | 'connectionId' | 'startedAt' | 'provider'
>;
type ScanId = Pick<ScanRecord, 'scanId' | 'connectionId'>;

/** Starts, ends and queries the workflows of scans. */
export type ScanCommands = ReturnType<typeof createScanCommands>;

export function createScanCommands(workflows: Workflows) {
  return {
    /** @throws AppError `scan_already_running`: the id of the workflow is the connection's lock. */
    async startScan(scan: NewScan): Promise<void> {
      const { scanId, accountId, connectionId, startedAt, provider } = scan;
      const isStarted = await workflows.start<(input: ScanInput) => Promise<unknown>>({
        type: SCAN_WORKFLOW,
        taskQueue: 'scans',
        workflowId: scanWorkflowId(connectionId),
        input: { scanId, accountId, connectionId, startedAt: startedAt.toISOString() },
        accountId,
        kind: 'scan',
        phase: 'queued',
        provider,
        summary: `scan ${scanId}`,
        memo: { scanId },
      });
      if (!isStarted) throw new AppError('scan_already_running');
    },

    /** Terminates a scan that was refused after its start. */
    async abandon({ connectionId, scanId }: ScanId, reason: string): Promise<void> {
      const latest = await workflows.describe(scanWorkflowId(connectionId));
      if (latest?.memo?.['scanId'] === scanId) await workflows.terminate(latest, reason);
    },

    /** The id of the connection's running scan; undefined if none runs. */
    async findRunningScan(connectionId: string): Promise<string | undefined> {
      const latest = await workflows.describe(scanWorkflowId(connectionId));
      return latest?.status.name === 'RUNNING' ? String(latest.memo?.['scanId']) : undefined;
    },

    /** Whether the connection has no open workflow, and has had none for some seconds. */
    isLost: (connectionId: string, now: Date) =>
      workflows.isLost(scanWorkflowId(connectionId), now),

    /** The state of a running scan; undefined if no worker answers. */
    view: ({ connectionId, scanId }: ScanId): Promise<ScanView | undefined> =>
      workflows.query(scanWorkflowId(connectionId), scanProgress, scanId),
    /** The latest buckets of a running scan, the newest first; undefined if no worker answers. */
    latestBuckets: ({
      connectionId,
      scanId,
    }: ScanId): Promise<readonly ShownBucket[] | undefined> =>
      workflows.query(scanWorkflowId(connectionId), scanBuckets, scanId),
  };
}
