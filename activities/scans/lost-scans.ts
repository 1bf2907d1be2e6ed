import type { DueScan } from '../../adapters/mongo/scans/scans.ts';
import { afterBackoff, interruptedError, MAX_RESTARTS } from '../../domain/common/sweep.ts';
import type { ScanConclusion } from './conclusion.ts';
import { sweepDue, type Swept } from '../common/sweep.ts';
import type { ScanContext } from '../contexts.ts';
import { startDueScan } from './due-scans.ts';

export type LostScanActivities = ReturnType<typeof createLostScanActivities>;

const LOST_OUTCOMES = ['running', 'restarted', 'ended', 'failed'] as const;
const DUE_OUTCOMES = ['scheduled', 'waiting', 'unsettled'] as const;
type Outcome = (typeof LOST_OUTCOMES)[number] | (typeof DUE_OUTCOMES)[number];

/** The sweep that starts scans again whose workflow is lost, and those that a schedule has due. */
export function createLostScanActivities(
  context: ScanContext,
  { failScan }: Pick<ScanConclusion, 'failScan'>,
) {
  const { scans, connections, progress, now } = context;
  return {
    /**
     * Looks for the workflow of every unfinished scan, and restarts a lost one under its id: it
     * continues from the stored state. The time between restarts doubles; after `MAX_RESTARTS` the
     * scan fails. Then starts the scans that are due.
     */
    async sweepScans(): Promise<Swept<Outcome>> {
      const lost = await sweepDue({
        now,
        progress,
        outcomes: LOST_OUTCOMES,
        due: scans.due,
        continueWork: (scan) =>
          continueScan(context, failScan, scan).catch(() => 'failed' as const),
      });
      const due = await sweepDue({
        now,
        progress,
        outcomes: DUE_OUTCOMES,
        due: connections.due,
        continueWork: (connection) =>
          startDueScan(context, connection).catch(() => 'unsettled' as const),
      });
      return { ...lost, ...due };
    },
  };
}

async function continueScan(
  { scans, scanCommands, now }: ScanContext,
  failScan: ScanConclusion['failScan'],
  scan: DueScan,
): Promise<(typeof LOST_OUTCOMES)[number]> {
  // Another scan may hold the workflow's id: it fails this one, or this one waits.
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
