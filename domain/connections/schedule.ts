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

const PERIOD_DAYS = { day: 1, week: 7 } as const;
const HOUR_SECONDS = 3_600;
/** The bill of the previous month is closed by the first; every month has the last. */
const MONTH_DAYS = { first: 6, last: 28 } as const;

/** The next hour of a new rule, on the connection's own day of the month and second. */
export function firstDue({ every, hourUtc }: ScheduleRule, connectionId: string, now: Date): Date {
  const spread = createHash('sha256').update(connectionId).digest();
  const first = new Date(now);
  first.setUTCHours(hourUtc, 0, spread.readUInt32BE() % HOUR_SECONDS, 0);
  if (every === 'month') {
    const days = MONTH_DAYS.last - MONTH_DAYS.first + 1;
    first.setUTCDate(MONTH_DAYS.first + (spread.readUInt32BE(4) % days));
    return first > now ? first : nextMonth(first);
  }
  return first > now ? first : new Date(first.getTime() + DAY_MS);
}

/** The first time after now that is whole periods after the last: missed ones are not caught up. */
export function dueAfter({ every }: ScheduleRule, last: Date, now: Date): Date {
  if (every === 'month') {
    const due = new Date(Math.max(last.getTime(), now.getTime()));
    due.setUTCHours(last.getUTCHours(), last.getUTCMinutes(), last.getUTCSeconds(), 0);
    due.setUTCDate(Math.min(MONTH_DAYS.last, Math.max(MONTH_DAYS.first, last.getUTCDate())));
    return due > now && due > last ? due : nextMonth(due);
  }
  const periodMs = PERIOD_DAYS[every] * DAY_MS;
  const missed = Math.max(0, Math.floor((now.getTime() - last.getTime()) / periodMs));
  return new Date(last.getTime() + (missed + 1) * periodMs);
}

/** The same day and time of the next month. */
function nextMonth(time: Date): Date {
  const next = new Date(time);
  next.setUTCMonth(time.getUTCMonth() + 1);
  return next;
}
