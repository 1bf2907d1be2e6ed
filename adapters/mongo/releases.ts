import type { Db, WithId } from 'mongodb';
import type { Activity } from '../../domain/account/activity.ts';
import type { Release, ReleasedObject, ReleaseDifference } from '../../domain/migration/release.ts';
import { afterFollowUp } from '../../domain/common/sweep.ts';
import { noting, type Noting } from './activities.ts';
import type { ServiceEvent } from '../../domain/webhooks/event.ts';
import { emitting, type Emitting } from './events.ts';
import { DUE_ORDER, dueFilter, type DueCursor } from './due.ts';
import { isBehind } from '../../domain/inventory/key-order.ts';
import type { MigrationKey } from './migrations.ts';
import { withoutOutbox } from './outbox.ts';
import { isDuplicate } from './open.ts';

type ReleaseDocument = Omit<Release, 'migrationId'> &
  Noting &
  Emitting & {
    readonly _id: string;
    /** When the sweep looks for the workflow. Unset once the check has ended. */
    readonly nextAttemptAt?: Date;
    readonly attempts: number;
  };

interface PageDocument {
  readonly _id: string;
  readonly releaseId: string;
  readonly page: number;
  readonly objects: readonly ReleasedObject[];
  /** The last of them. */
  readonly last: string;
  readonly at: Date;
}

/** An object of the source that may not be given up. */
export interface KeyDifference {
  readonly key: string;
  readonly code: ReleaseDifference;
}

interface DifferenceDocument extends KeyDifference {
  readonly _id: string;
  readonly releaseId: string;
  readonly page: number;
}

/** A run of the source's keys as a check has found it. */
export interface CheckedKeys {
  readonly page: number;
  readonly objects: readonly ReleasedObject[];
  readonly differences: readonly KeyDifference[];
}

/** The progress of a check, and its result at the end. */
export type ReleaseProgress = Pick<
  Release,
  'pages' | 'after' | 'objects' | 'bytes' | 'differences' | 'tree'
>;

/** A check as the sweep sees it. */
export interface DueRelease {
  readonly release: Release;
  readonly nextAttemptAt: Date;
  readonly attempts: number;
}

/** The latest release check of each migration. Every write names the check, so that one that was replaced has no effect. */
export interface Releases {
  /** Begins a check in place of the last one, unless that one still runs in the same round. Returns the stored one. */
  begin(
    release: Pick<
      Release,
      | 'releaseId'
      | 'migrationId'
      | 'accountId'
      | 'round'
      | 'startedBy'
      | 'startedByName'
      | 'requestedAt'
    >,
    activity: Activity,
  ): Promise<Release>;
  /** Undefined before the first check and for another account's. */
  find(key: MigrationKey): Promise<Release | undefined>;
  /** Stores a page of what was compared; a page that is there is replaced. */
  savePage(releaseId: string, checked: CheckedKeys, now: Date): Promise<void>;
  /** False if another worker has come further, or the check is replaced or has ended. */
  saveProgress(releaseId: string, before: number, progress: ReleaseProgress): Promise<boolean>;
  /** checking → ready, not_ready or failed. */
  end(
    releaseId: string,
    end: Pick<Release, 'status' | 'versioned' | 'error'>,
    now: Date,
    events?: readonly ServiceEvent[],
  ): Promise<void>;
  /** The proven objects behind a key, page by page, in the order of their keys. */
  objects(releaseId: string, after: string | null): AsyncIterable<readonly ReleasedObject[]>;
  /** The first differences in the order of their keys. */
  firstDifferences(releaseId: string, limit: number): Promise<KeyDifference[]>;
  /** The keys behind `after`, up to a key, that a check has found missing or different at the target. */
  lostAtTarget(
    releaseId: string,
    after: string | null,
    upTo: string | null,
  ): Promise<KeyDifference[]>;
  findDue(before: Date, after: DueCursor | undefined, limit: number): Promise<DueRelease[]>;
  /** Postpones the next check by the sweep, unless another sweep was faster. */
  postpone(due: DueRelease, nextAttemptAt: Date, isRestart: boolean): Promise<void>;
}

export function createReleases(db: Db): Releases {
  const releases = db.collection<ReleaseDocument>('releases');
  const pages = db.collection<PageDocument>('releasePages');
  const differing = db.collection<DifferenceDocument>('releaseDifferences');
  const find: Releases['find'] = async ({ migrationId, accountId }) => {
    const found = await releases.findOne({ _id: migrationId });
    return found?.accountId === accountId ? toRelease(found) : undefined;
  };

  return {
    find,

    async begin({ migrationId, ...asked }, activity) {
      const before = await releases.findOne({ _id: migrationId });
      if (before?.status === 'checking' && before.round === asked.round) return toRelease(before);
      const { $push, $min } = noting(activity);
      const begun = {
        ...asked,
        status: 'checking' as const,
        checkedAt: null,
        pages: 0,
        after: null,
        objects: 0,
        bytes: 0,
        differences: 0,
        tree: [],
        versioned: null,
        error: null,
        nextAttemptAt: afterFollowUp(asked.requestedAt),
        attempts: 0,
      };
      // Of two calls at once, one is answered with the other's check.
      const replaced = { _id: migrationId, releaseId: before?.releaseId ?? asked.releaseId };
      const options = { upsert: before === null };
      await releases
        .updateOne(replaced, { $set: begun, $push, $min }, options)
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
        });
      if (before) {
        await pages.deleteMany({ releaseId: before.releaseId });
        await differing.deleteMany({ releaseId: before.releaseId });
      }
      return (await find({ migrationId, accountId: asked.accountId })) ?? missing();
    },

    async savePage(releaseId, { page, objects, differences }, at) {
      await differing.deleteMany({ releaseId, page });
      if (differences.length > 0)
        await differing.insertMany(
          differences.map(({ key, code }, place) => ({
            _id: `${releaseId}/${page}/${place}`,
            releaseId,
            page,
            key,
            code,
          })),
        );
      const last = objects.at(-1)?.key;
      const _id = `${releaseId}/${page}`;
      if (last === undefined) await pages.deleteOne({ _id });
      else
        await pages.replaceOne({ _id }, { releaseId, page, objects, last, at }, { upsert: true });
    },

    async saveProgress(releaseId, before, progress) {
      const { matchedCount } = await releases.updateOne(
        { releaseId, status: 'checking', pages: before },
        { $set: progress },
      );
      return matchedCount === 1;
    },

    async end(releaseId, end, now, events = []) {
      await releases.updateOne(
        { releaseId, status: 'checking' },
        {
          $set: { ...end, checkedAt: now },
          $unset: { nextAttemptAt: true },
          ...emitting(events),
        },
      );
    },

    async *objects(releaseId, after) {
      const found = pages
        .find({ releaseId, ...(after === null ? {} : { last: { $gt: after } }) })
        .sort({ last: 1 })
        .batchSize(1);
      for await (const { objects } of found)
        yield objects.filter(({ key }) => isBehind(key, after));
    },

    async firstDifferences(releaseId, limit) {
      return (await differing.find({ releaseId }).sort({ key: 1 }).limit(limit).toArray()).map(
        ({ key, code }) => ({ key, code }),
      );
    },

    async lostAtTarget(releaseId, after, upTo) {
      const key = { $gt: after ?? '', ...(upTo === null ? {} : { $lte: upTo }) };
      const code = { $in: ['target_missing', 'target_differs'] as ReleaseDifference[] };
      return await differing.find({ releaseId, key, code }).toArray();
    },

    async findDue(before, after, limit) {
      const found = await releases
        .find(dueFilter(before, after))
        .sort(DUE_ORDER)
        .limit(limit)
        .toArray();
      return found.flatMap((each) =>
        each.nextAttemptAt
          ? [
              {
                release: toRelease(each),
                nextAttemptAt: each.nextAttemptAt,
                attempts: each.attempts,
              },
            ]
          : [],
      );
    },

    async postpone({ release: { releaseId }, nextAttemptAt: known }, nextAttemptAt, isRestart) {
      await releases.updateOne(
        { releaseId, nextAttemptAt: known },
        { $set: { nextAttemptAt }, $inc: { attempts: isRestart ? 1 : 0 } },
      );
    },
  };
}

function missing(): never {
  throw new Error('the release check is not stored');
}

function toRelease(document: WithId<ReleaseDocument>): Release {
  const {
    _id,
    nextAttemptAt: _nextAttemptAt,
    attempts: _attempts,
    ...release
  } = withoutOutbox(document);
  return { migrationId: _id, ...release };
}
