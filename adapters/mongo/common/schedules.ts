import type { Collection, Document, Filter } from 'mongodb';
import type { Due } from './due.ts';

/** The fields of a document with a schedule. */
export interface WithSchedule<Schedule> {
  readonly schedule?: Schedule;
  /** When the sweep looks at the schedule. Unset without one. */
  readonly nextAttemptAt?: Date;
  /** How often the sweep could not start what is due. */
  readonly attempts?: number;
}

/** A document with a schedule, as the sweep sees it. */
export interface DueSchedule<Schedule> extends Due {
  readonly schedule: Schedule;
}

/** Sets what a schedule says, and its next time. What became of the last time stays. */
export function settingSchedule(schedule: { readonly nextAt: Date }) {
  const fields = Object.entries(schedule).map(([name, value]) => [`schedule.${name}`, value]);
  return {
    $set: { ...(Object.fromEntries(fields) as Document), nextAttemptAt: schedule.nextAt },
    $unset: { attempts: true },
  } as const;
}

export const WITHOUT_SCHEDULE = {
  $unset: { schedule: true, nextAttemptAt: true, attempts: true },
} as const;

/** Stores what became of the due time, and the next one, unless another sweep was faster. */
export async function settleDue<Stored extends Document>(
  collection: Collection<Stored>,
  due: DueSchedule<{ readonly nextAt: Date }>,
  last: object,
  nextAt: Date,
): Promise<void> {
  const { documentId: _id, schedule, nextAttemptAt } = due;
  const isUnchanged: Document = { _id, 'schedule.nextAt': schedule.nextAt, nextAttemptAt };
  const change = {
    $set: { 'schedule.last': last, 'schedule.nextAt': nextAt, nextAttemptAt: nextAt },
    $unset: { attempts: true },
  };
  await collection.updateOne(isUnchanged as Filter<Stored>, change as Document);
}
