import type { Db } from 'mongodb';
import type { Dismissal } from '../../../domain/recommendations/recommendation.ts';
import { noting, type WithOutbox } from '../common/outbox.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';

type DismissalDocument = Dismissal & WithOutbox & { readonly _id: string };

/** The answers that people do not want to see for a time, by the subject of the recommendation. */
export interface Dismissals {
  /** Those that are in force at a time. */
  findDismissals(subjects: readonly string[], now: Date): Promise<Map<string, Dismissal>>;
  saveDismissal(subject: string, dismissal: Dismissal, activity: Activity): Promise<void>;
  /** Ends a dismissal. False if none was in force. */
  end(subject: string, activity: Activity): Promise<boolean>;
}

export function createDismissals(db: Db): Dismissals {
  const dismissals = db.collection<DismissalDocument>('dismissals');
  return {
    async findDismissals(subjects, now) {
      const found = await dismissals
        .find({ _id: { $in: [...subjects] }, until: { $gt: now } })
        .toArray();
      return new Map(
        found.map(({ _id, until, reason, by, at }) => [_id, { until, reason, by, at }]),
      );
    },

    async saveDismissal(subject, dismissal, activity) {
      await dismissals.updateOne(
        { _id: subject },
        { $set: dismissal, ...noting(activity) },
        { upsert: true },
      );
    },

    async end(subject, activity) {
      const { matchedCount } = await dismissals.updateOne(
        { _id: subject, until: { $gt: activity.at } },
        { $set: { until: activity.at }, ...noting(activity) },
      );
      return matchedCount === 1;
    },
  };
}
