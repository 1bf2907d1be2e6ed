import type { Collection, Db } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type { DrillSchedule } from '../../../domain/drills/schedule.ts';
import { queueOf, type DueQueue } from '../common/due.ts';
import { noting, type WithOutbox } from '../common/outbox.ts';
import {
  settingSchedule,
  settleDue,
  WITHOUT_SCHEDULE,
  type DueSchedule,
  type WithSchedule,
} from '../common/schedules.ts';

/** The id is that of the account. */
type ScheduleDocument = WithSchedule<DrillSchedule> &
  WithOutbox & { readonly _id: string; readonly accountId: string };

/** When exit drills start by themselves, once per account. */
export class DrillSchedules {
  readonly #schedules: Collection<ScheduleDocument>;
  readonly due: DueQueue<DueSchedule<DrillSchedule>>;

  constructor(db: Db) {
    this.#schedules = db.collection('drillSchedules');
    this.due = queueOf(this.#schedules, {
      toWork: ({ schedule }) => schedule && { schedule },
    });
  }

  async find(accountId: string): Promise<DrillSchedule | null> {
    const { schedule } = (await this.#schedules.findOne({ _id: accountId })) ?? {};
    return schedule ? { ...schedule, last: schedule.last ?? null } : null;
  }

  /** Sets what it says, and keeps `last`. */
  async save(
    accountId: string,
    schedule: Omit<DrillSchedule, 'last'>,
    activity: Activity,
  ): Promise<void> {
    const { $set, $unset } = settingSchedule(schedule);
    await this.#schedules.updateOne(
      { _id: accountId },
      { $set: { ...$set, accountId }, $unset, ...noting(activity) },
      { upsert: true },
    );
  }

  async remove(accountId: string, activity: Activity): Promise<void> {
    await this.#schedules.updateOne(
      { _id: accountId, schedule: { $exists: true } },
      { ...WITHOUT_SCHEDULE, ...noting(activity) },
    );
  }

  /** Stores what became of the due time, and the next one, unless another sweep was faster. */
  async settleDue(
    due: DueSchedule<DrillSchedule>,
    last: DrillSchedule['last'] & object,
    nextAt: Date,
  ): Promise<void> {
    await settleDue(this.#schedules, due, last, nextAt);
  }
}
