import { describeRule, type Schedule } from '@storage-routing/client';
import { Time } from './time.tsx';

export const HOURS = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  title: `${String(hour).padStart(2, '0')}:00 UTC`,
}));
export const USUAL_HOUR = '3';

interface ScheduleTextProps<Last extends { readonly at: string }> {
  /** Such as `Audited`. */
  readonly done: string;
  readonly schedule:
    | (Pick<Schedule, 'hourUtc' | 'nextAt'> & {
        readonly every: string;
        readonly last: Last | null;
      })
    | null;
  readonly formatOutcome: (last: Last) => string;
}

/** When something starts without a call, and what became of the last time. */
export function ScheduleText<Last extends { readonly at: string }>({
  done,
  schedule,
  formatOutcome,
}: ScheduleTextProps<Last>) {
  if (!schedule) return <p>{done} only when you start it.</p>;
  const { nextAt, last } = schedule;
  return (
    <p>
      {done} every {describeRule(schedule)}, next <Time iso={nextAt} />.{' '}
      {last ? (
        <>
          Last <Time iso={last.at} />: {formatOutcome(last)}.
        </>
      ) : null}
    </p>
  );
}
