import type { Schedule } from '../common/schedule.ts';

export const SCAN_PERIODS = ['day', 'week', 'month'] as const;
export type ScanPeriod = (typeof SCAN_PERIODS)[number];

export const DUE_SCAN_OUTCOMES = [
  'started',
  'scan_already_running',
  'plan_limit',
  'failed',
] as const;
export type DueScanOutcome = (typeof DUE_SCAN_OUTCOMES)[number];

/** What became of the last time that was due. */
interface LastScan {
  readonly at: Date;
  /** Null if none was started. */
  readonly scanId: string | null;
  readonly outcome: DueScanOutcome;
}

/** When scans of a connection are started without a call. */
export type ScanSchedule = Schedule<ScanPeriod, LastScan>;
