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
export interface ScanCommands {
  /** @throws AppError `scan_already_running`: the id of the workflow is the connection's lock. */
  startScan(scan: NewScan): Promise<void>;
  /** Terminates a scan that was refused after its start. */
  abandon(scan: ScanId, reason: string): Promise<void>;
  /** The id of the connection's running scan; undefined if none runs. */
  findRunningScan(connectionId: string): Promise<string | undefined>;
  /** Whether the connection has no open workflow, and has had none for some seconds. */
  isLost(connectionId: string, now: Date): Promise<boolean>;
  /** The state of a running scan; undefined if no worker answers. */
  view(scan: ScanId): Promise<ScanView | undefined>;
  /** The latest buckets of a running scan, the newest first; undefined if no worker answers. */
  latestBuckets(scan: ScanId): Promise<readonly ShownBucket[] | undefined>;
}

export function createScanCommands(workflows: Workflows): ScanCommands {
  return {
    async startScan({ scanId, accountId, connectionId, startedAt, provider }) {
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

    async abandon({ connectionId, scanId }, reason) {
      const latest = await workflows.describe(scanWorkflowId(connectionId));
      if (latest?.memo?.['scanId'] === scanId) await workflows.terminate(latest, reason);
    },

    async findRunningScan(connectionId) {
      const latest = await workflows.describe(scanWorkflowId(connectionId));
      return latest?.status.name === 'RUNNING' ? String(latest.memo?.['scanId']) : undefined;
    },

    isLost: (connectionId, now) => workflows.isLost(scanWorkflowId(connectionId), now),

    view: ({ connectionId, scanId }) =>
      workflows.query(scanWorkflowId(connectionId), scanProgress, scanId),
    latestBuckets: ({ connectionId, scanId }) =>
      workflows.query(scanWorkflowId(connectionId), scanBuckets, scanId),
  };
}
