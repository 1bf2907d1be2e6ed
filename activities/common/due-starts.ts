import type { DueSchedule } from '../../adapters/mongo/common/schedules.ts';
import { AppError, type ErrorCode } from '../../domain/common/errors.ts';
import { nameUuid } from '../../domain/common/name-uuid.ts';
import { dueAfter, type Schedule, type ScheduleRule } from '../../domain/common/schedule.ts';
import { afterBackoff, MAX_RESTARTS } from '../../domain/common/sweep.ts';

interface DueStart<Refusal extends ErrorCode> {
  readonly now: () => Date;
  /** Whose schedule it is. */
  readonly subject: string;
  /** Starts what is due under an id. Has no effect if it was started under this id. */
  readonly start: (id: string) => Promise<void>;
  /** Why it may not start this time. Other failures are tried again. */
  readonly refusals: readonly Refusal[];
  readonly postpone: (nextAttemptAt: Date) => Promise<void>;
  readonly settle: (ended: Ended<Refusal>, nextAt: Date) => Promise<void>;
}

interface Ended<Refusal> {
  readonly at: Date;
  /** Null if nothing was started. */
  readonly id: string | null;
  readonly outcome: Refusal | 'started' | 'failed';
}

/**
 * Starts what a schedule has due. The id follows from whose it is and the time, so that however
 * many processes try, and however often, it is one. What cannot be started for now is tried again,
 * ever more rarely.
 */
export async function startDue<Refusal extends ErrorCode>(
  due: DueSchedule<ScheduleRule & Pick<Schedule<never, never>, 'nextAt'>>,
  { now, subject, start, refusals, postpone, settle }: DueStart<Refusal>,
): Promise<'scheduled' | 'waiting'> {
  const { schedule, attempts } = due;
  const id = nameUuid(subject, schedule.nextAt.toISOString());
  const outcome = await start(id).then(
    () => 'started' as const,
    (error: unknown) =>
      refusals.find((code) => error instanceof AppError && error.code === code) ??
      ('failed' as const),
  );
  if (outcome === 'failed' && attempts < MAX_RESTARTS) {
    await postpone(afterBackoff(attempts, now()));
    return 'waiting';
  }
  const at = now();
  const ended = { at, id: outcome === 'started' ? id : null, outcome };
  await settle(ended, dueAfter(schedule, schedule.nextAt, at));
  return 'scheduled';
}
