import type { Collection, Db } from 'mongodb';
import type { Dismissal } from '../../../domain/recommendations/recommendation.ts';
import { noting, type WithOutbox } from '../common/outbox.ts';
import { matches } from '../common/open.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';

type DismissalDocument = Dismissal & WithOutbox & { readonly _id: string };

/** The answers that people do not want to see for a time, by the subject of the recommendation. */
export class Dismissals {
  readonly #dismissals: Collection<DismissalDocument>;

  constructor(db: Db) {
    this.#dismissals = db.collection('dismissals');
  }

  /** Those that are in force at a time. */
  async findDismissals(subjects: readonly string[], now: Date): Promise<Map<string, Dismissal>> {
    const documents = await this.#dismissals
      .find({ _id: { $in: [...subjects] }, until: { $gt: now } })
      .toArray();
    return new Map(
      documents.map(({ _id, until, reason, by, at }) => [_id, { until, reason, by, at }]),
    );
  }

  async saveDismissal(subject: string, dismissal: Dismissal, activity: Activity): Promise<void> {
    await this.#dismissals.updateOne(
      { _id: subject },
      { $set: dismissal, ...noting(activity) },
      { upsert: true },
    );
  }

  /** Ends a dismissal. False if none was in force. */
  async end(subject: string, activity: Activity): Promise<boolean> {
    return await matches(
      this.#dismissals.updateOne(
        { _id: subject, until: { $gt: activity.at } },
        { $set: { until: activity.at }, ...noting(activity) },
      ),
    );
  }
}
