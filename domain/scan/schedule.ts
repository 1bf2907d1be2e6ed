import { createHash } from 'node:crypto';
import { DAY_MS } from '../common/time.ts';

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** When scans of a connection are started without a call. */
export interface ScheduleRule {
  readonly every: Period;
  /** 0 to 23. */
  readonly hourUtc: number;
}

export const DUE_OUTCOMES = ['started', 'scan_already_running', 'plan_limit', 'failed'] as const;
export type DueOutcome = (typeof DUE_OUTCOMES)[number];

/** What became of the last time that was due. */
export interface LastDue {
  readonly at: Date;
  /** Null if none was started. */
  readonly scanId: string | null;
  readonly outcome: DueOutcome;
}

export interface Schedule extends ScheduleRule {
  readonly nextAt: Date;
  /** Null until the first time was due. */
  readonly last: LastDue | null;
}

const PERIOD_DAYS: Readonly<Record<Period, number>> = { day: 1, week: 7, month: 31 };
const HOUR_SECONDS = 3_600;

/** The first time of a new rule: its next hour, at the second of it that is the connection's own. */
export function firstDue({ hourUtc }: ScheduleRule, connectionId: string, now: Date): Date {
  const first = new Date(now);
  first.setUTCHours(hourUtc, 0, secondOfHour(connectionId), 0);
  return first > now ? first : new Date(first.getTime() + DAY_MS);
}

/** The first time after now that is whole periods after the last one: what was missed is not caught up on. */
export function dueAfter({ every }: ScheduleRule, last: Date, now: Date): Date {
  const periodMs = PERIOD_DAYS[every] * DAY_MS;
  const missed = Math.max(0, Math.floor((now.getTime() - last.getTime()) / periodMs));
  return new Date(last.getTime() + (missed + 1) * periodMs);
}

/** Spreads the connections over the hour. */
function secondOfHour(connectionId: string): number {
  return createHash('sha256').update(connectionId).digest().readUInt32BE() % HOUR_SECONDS;
}
