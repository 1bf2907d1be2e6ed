import type { DueScan, Scans } from '../../adapters/mongo/scans.ts';
import type { ScanCommands } from '../../adapters/temporal/scan-commands.ts';
import { afterBackoff, interruptedError, MAX_RESTARTS } from '../../domain/common/sweep.ts';
import type { ScanConclusion } from './conclusion.ts';
import type { Progress } from '../common/progress.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';

export interface LostScanDeps {
  readonly scans: Pick<Scans, 'findDue' | 'postpone'>;
  readonly scanCommands: Pick<ScanCommands, 'isLost' | 'start'>;
  readonly failScan: ScanConclusion['failScan'];
  readonly now: () => Date;
  readonly progress: Pick<Progress, 'report' | 'requireAlive'>;
}

export type LostScanActivities = ReturnType<typeof createLostScanActivities>;

const OUTCOMES = ['running', 'restarted', 'ended', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The sweep that starts scans again whose workflow is lost. */
export function createLostScanActivities(deps: LostScanDeps) {
  const { scans, now } = deps;
  return {
    /**
     * Looks for the workflow of every unfinished scan, and restarts a lost one under its id: it continues
     * from the stored state. The time between restarts doubles; after `MAX_RESTARTS` the scan fails.
     */
    sweepScans: (): Promise<Swept<Outcome>> =>
      sweepDue({
        now,
        outcomes: OUTCOMES,
        findDue: scans.findDue,
        toDue: ({ scanId, nextAttemptAt }) => ({ id: scanId, nextAttemptAt }),
        continueWork: (scan) => continueScan(deps, scan).catch(() => 'failed' as const),
        progress: deps.progress,
      }),
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
    await scanCommands.start(scan);
    return 'restarted';
  } finally {
    await scans.postpone(scan, afterBackoff(scan.attempts, now()));
  }
}
