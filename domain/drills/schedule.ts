import type { Person } from '../accounts/person.ts';
import type { Schedule } from '../common/schedule.ts';
import type { DrillRequest } from './drill.ts';

export const DRILL_PERIODS = ['month', 'quarter'] as const;
export type DrillPeriod = (typeof DRILL_PERIODS)[number];

export const DUE_DRILL_OUTCOMES = [
  'started',
  'drill_running',
  'plan_limit',
  'quote_exceeded',
  'failed',
] as const;
export type DueDrillOutcome = (typeof DUE_DRILL_OUTCOMES)[number];

/** A drill that a schedule starts: what it may cost was said when it was set. */
export type ScheduledDrill = DrillRequest & Required<Pick<DrillRequest, 'maxTotalUsd'>>;

/** What became of the last time that was due. */
interface LastDrill {
  readonly at: Date;
  /** Null if none was started. */
  readonly drillId: string | null;
  readonly outcome: DueDrillOutcome;
}

/** When exit drills of an account are started without a call. */
export interface DrillSchedule extends Schedule<DrillPeriod, LastDrill> {
  readonly drill: ScheduledDrill;
  /** Who has set it: its drills are that person's. */
  readonly setBy: Person;
  /** The call that has set it. */
  readonly requestId: string;
}
