import { createHash } from 'node:crypto';
import { DAY_MS } from './time.ts';

export type Period = 'day' | 'week' | 'month' | 'quarter';

/** When something is started without a call. */
export interface ScheduleRule<Every extends Period = Period> {
  readonly every: Every;
  /** 0 to 23. */
  readonly hourUtc: number;
}

/** A rule, the next time that is due, and what became of the last one. */
export interface Schedule<Every extends Period, Last> extends ScheduleRule<Every> {
  readonly nextAt: Date;
  /** Null until the first time was due. */
  readonly last: Last | null;
}

const DAYS = { day: 1, week: 7 } as const;
const MONTHS = { month: 1, quarter: 3 } as const;
const HOUR_SECONDS = 3_600;
/** The bill of the previous month is closed by the first; every month has the last. */
const MONTH_DAYS = { first: 6, last: 28 } as const;

/** The next hour of a new rule, on the subject's own day of the month and second. */
export function firstDue({ every, hourUtc }: ScheduleRule, subject: string, now: Date): Date {
  const spread = createHash('sha256').update(subject).digest();
  const first = new Date(now);
  first.setUTCHours(hourUtc, 0, spread.readUInt32BE() % HOUR_SECONDS, 0);
  if (isOfDays(every)) return first > now ? first : new Date(first.getTime() + DAY_MS);
  const days = MONTH_DAYS.last - MONTH_DAYS.first + 1;
  first.setUTCDate(MONTH_DAYS.first + (spread.readUInt32BE(4) % days));
  return first > now ? first : addMonths(first, 1);
}

/** The first time after now that is whole periods after the last: missed ones are not caught up. */
export function dueAfter({ every }: ScheduleRule, last: Date, now: Date): Date {
  if (isOfDays(every)) {
    const periodMs = DAYS[every] * DAY_MS;
    const missed = Math.max(0, Math.floor((now.getTime() - last.getTime()) / periodMs));
    return new Date(last.getTime() + (missed + 1) * periodMs);
  }
  // Every month has the day.
  const { first, last: latest } = MONTH_DAYS;
  let due = new Date(last);
  due.setUTCDate(Math.min(latest, Math.max(first, last.getUTCDate())));
  do due = addMonths(due, MONTHS[every]);
  while (due <= now);
  return due;
}

function isOfDays(every: Period): every is keyof typeof DAYS {
  return every in DAYS;
}

/** The same day and time of a later month. */
function addMonths(time: Date, months: number): Date {
  const later = new Date(time);
  later.setUTCMonth(time.getUTCMonth() + months);
  return later;
}
