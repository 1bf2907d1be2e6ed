import type { Connections, DueConnection } from '../../adapters/mongo/connections/connections.ts';
import type { DueScan, Scans } from '../../adapters/mongo/scans/scans.ts';
import type { ScanCommands } from '../../adapters/temporal/scan-commands.ts';
import { afterBackoff, interruptedError, MAX_RESTARTS } from '../../domain/common/sweep.ts';
import type { ScanConclusion } from './conclusion.ts';
import type { Progress } from '../common/progress.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';

export interface LostScanDeps {
  readonly scans: Pick<Scans, 'due'>;
  readonly connections: Pick<Connections, 'due'>;
  readonly scanCommands: Pick<ScanCommands, 'isLost' | 'startScan'>;
  readonly startDueScan: (due: DueConnection) => Promise<(typeof DUE_OUTCOMES)[number]>;
  readonly now: () => Date;
  readonly failScan: ScanConclusion['failScan'];
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

export type LostScanActivities = ReturnType<typeof createLostScanActivities>;

const LOST_OUTCOMES = ['running', 'restarted', 'ended', 'failed'] as const;
const DUE_OUTCOMES = ['scheduled', 'waiting', 'unsettled'] as const;
type Outcome = (typeof LOST_OUTCOMES)[number] | (typeof DUE_OUTCOMES)[number];

/** The sweep that starts scans again whose workflow is lost, and those that a schedule has due. */
export function createLostScanActivities(deps: LostScanDeps) {
  const { scans, now } = deps;
  return {
    /**
     * Looks for the workflow of every unfinished scan, and restarts a lost one under its id: it continues
     * from the stored state. The time between restarts doubles; after `MAX_RESTARTS` the scan fails. Then starts
     * the scans that are due.
     */
    async sweepScans(): Promise<Swept<Outcome>> {
      const lost = await sweepDue({
        now,
        outcomes: LOST_OUTCOMES,
        due: scans.due,
        continueWork: (scan) => continueScan(deps, scan).catch(() => 'failed' as const),
        progress: deps.progress,
      });
      const due = await sweepDue({
        now,
        outcomes: DUE_OUTCOMES,
        due: deps.connections.due,
        continueWork: (connection) =>
          deps.startDueScan(connection).catch(() => 'unsettled' as const),
        progress: deps.progress,
      });
      return { ...lost, ...due };
    },
  };
}

async function continueScan(
  { scans, scanCommands, failScan, now }: LostScanDeps,
  scan: DueScan,
): Promise<Outcome> {
  // Another scan of the connection may hold the workflow's id: it fails this one, or this one waits.
  if (!(await scanCommands.isLost(scan.connectionId, now()))) return 'running';
  if (scan.attempts >= MAX_RESTARTS) {
    await failScan({ ...scan, startedAt: scan.startedAt.toISOString() }, interruptedError('scan'));
    return 'ended';
  }
  try {
    await scanCommands.startScan(scan);
    return 'restarted';
  } finally {
    await scans.due.postpone(scan, afterBackoff(scan.attempts, now()));
  }
}
