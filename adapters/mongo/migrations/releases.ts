import type { Collection, Db, Filter, WithId } from 'mongodb';
import type { Activity } from '../../../domain/accounts/activity.ts';
import type {
  Release,
  ReleasedObject,
  ReleaseDifference,
} from '../../../domain/migrations/release.ts';
import { afterFollowUp } from '../../../domain/common/sweep.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { compareKeys, isBehind } from '../../../domain/inventory/key-order.ts';
import type { MigrationKey } from './migrations.ts';
import { emitting, noting, toOutbox, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import { insertIfNew, matches } from '../common/open.ts';

type ReleaseDocument = Omit<Release, 'migrationId'> &
  WithOutbox & {
    readonly _id: string;
    /** When the sweep looks for the workflow. Unset once the check has ended. */
    readonly nextAttemptAt?: Date;
    readonly attempts: number;
    /** The checks before, whose lists may still be downloaded, the latest first. */
    readonly earlier: readonly string[];
  };

interface PageDocument extends CheckedKeys {
  readonly _id: string;
  readonly releaseId: string;
  readonly page: number;
  /** Set if the page has differences. */
  readonly differs?: true;
  readonly at: Date;
}

/** An object of the source that may not be given up. */
export interface KeyDifference {
  readonly key: string;
  readonly code: ReleaseDifference;
}

/** A run of the source's keys as a check has found it. */
export interface CheckedKeys {
  /** The keys are behind it; null: they are the first. */
  readonly after: string | null;
  /** The last key of the run; empty if there is none. */
  readonly last: string;
  /** No key follows. */
  readonly isLast: boolean;
  readonly objects: readonly ReleasedObject[];
  readonly differences: readonly KeyDifference[];
}

/** The progress of a check, and its result at the end. */
export type ReleaseProgress = Pick<
  Release,
  'pages' | 'after' | 'objects' | 'bytes' | 'differences' | 'tree'
>;

/** A check as the sweep sees it. */
export interface DueRelease extends Due {
  readonly release: Release;
}

/** A check that is to begin. */
export type NewRelease = Pick<
  Release,
  | 'releaseId'
  | 'migrationId'
  | 'accountId'
  | 'round'
  | 'startedBy'
  | 'startedByName'
  | 'requestedAt'
>;

const LOST: ReadonlySet<ReleaseDifference> = new Set(['target_missing', 'target_differs']);
/** How many checks that were replaced keep their lists. */
const KEPT_EARLIER = 2;

/** The latest release check of each migration. A write of a replaced one has no effect. */
export class Releases {
  readonly #releases: Collection<ReleaseDocument>;
  readonly #pages: Collection<PageDocument>;
  readonly due: DueQueue<DueRelease>;

  constructor(db: Db) {
    this.#releases = db.collection('releases');
    this.#pages = db.collection('releasePages');
    this.due = queueOf(this.#releases, { toWork: (stored) => ({ release: toRelease(stored) }) });
  }

  /** Begins a check, unless one runs in the same round. Returns the stored one. */
  async begin(wanted: NewRelease, activity: Activity): Promise<Release> {
    const { migrationId, accountId, round } = wanted;
    const last = await this.#releases.findOne({ _id: migrationId });
    if (last?.status === 'checking' && last.round === round) return toRelease(last);
    if (last) await this.#replace(last, wanted, activity);
    else
      await insertIfNew(() =>
        this.#releases.insertOne({
          _id: migrationId,
          ...toChecking(wanted, []),
          ...toOutbox(activity),
        }),
      );
    // One of two calls at once is answered with the other's check.
    const stored = await this.findRelease({ migrationId, accountId });
    if (!stored) throw new Error('the release check is not stored');
    return stored;
  }

  /** Undefined before the first check and for another account's. */
  async findRelease({ migrationId, accountId }: MigrationKey): Promise<Release | undefined> {
    const stored = await this.#releases.findOne({ _id: migrationId });
    return stored?.accountId === accountId ? toRelease(stored) : undefined;
  }

  /** Adds a page of what was compared, and returns the stored one: an existing page is kept. */
  async addPage(
    releaseId: string,
    page: number,
    checked: CheckedKeys,
    at: Date,
  ): Promise<CheckedKeys> {
    const _id = `${releaseId}/${page}`;
    const differs = checked.differences.length > 0 ? { differs: true as const } : {};
    await insertIfNew(() =>
      this.#pages.insertOne({ _id, releaseId, page, ...checked, ...differs, at }),
    );
    return (await this.#pages.findOne({ _id })) ?? checked;
  }

  /** False if another worker has come further, or the check is replaced or has ended. */
  async saveProgress(
    releaseId: string,
    pages: number,
    progress: ReleaseProgress,
  ): Promise<boolean> {
    return await matches(
      this.#releases.updateOne({ releaseId, status: 'checking', pages: pages }, { $set: progress }),
    );
  }

  /** checking → ready, not_ready or failed. */
  async end(
    releaseId: string,
    end: Pick<Release, 'status' | 'versioned' | 'error'>,
    now: Date,
    events: readonly ServiceEvent[] = [],
  ): Promise<void> {
    await this.#releases.updateOne(
      { releaseId, status: 'checking' },
      {
        $set: { ...end, checkedAt: now },
        $unset: { nextAttemptAt: true },
        ...emitting(events),
      },
    );
  }

  /** The proven objects behind a key, page by page, in the order of their keys. */
  async *objects(
    releaseId: string,
    after: string | null,
  ): AsyncIterable<readonly ReleasedObject[]> {
    const documents = this.#pages
      .find({ releaseId, ...keysBehind(after) })
      .sort({ page: 1 })
      .batchSize(1);
    for await (const { objects } of documents)
      yield objects.filter(({ key }) => isBehind(key, after));
  }

  /** The first differences in the order of their keys. */
  async firstDifferences(releaseId: string, limit: number): Promise<KeyDifference[]> {
    const first: KeyDifference[] = [];
    for await (const { differences } of this.#differing(releaseId)) {
      first.push(...differences);
      if (first.length >= limit) break;
    }
    return first.slice(0, limit);
  }

  /** The keys behind `after`, up to a key, that a check has found lost, page by page. */
  async lostAtTarget(
    releaseId: string,
    after: string | null,
    upTo: string | null,
  ): Promise<KeyDifference[]> {
    const lost: KeyDifference[] = [];
    for await (const page of this.#differing(releaseId, keysBehind(after))) {
      if (upTo !== null && page.after !== null && compareKeys(page.after, upTo) >= 0) break;
      lost.push(...page.differences.filter(({ code }) => LOST.has(code)));
    }
    return lost;
  }

  /** The migrations of an account whose release is being checked. */
  async checking(accountId: string): Promise<readonly string[]> {
    const documents = await this.#releases
      .find({ accountId, status: 'checking' }, { projection: { _id: 1 } })
      .toArray();
    return documents.map(({ _id }) => _id);
  }

  /** Stores a check in place of the last one, unless another call was faster. */
  async #replace(last: ReleaseDocument, wanted: NewRelease, activity: Activity): Promise<void> {
    const replaced = [last.releaseId, ...last.earlier];
    const { matchedCount } = await this.#releases.updateOne(
      { _id: last._id, releaseId: last.releaseId },
      { $set: toChecking(wanted, replaced.slice(0, KEPT_EARLIER)), ...noting(activity) },
    );
    if (matchedCount === 1)
      await this.#pages.deleteMany({ releaseId: { $in: replaced.slice(KEPT_EARLIER) } });
  }

  #differing(releaseId: string, where: Filter<PageDocument> = {}) {
    return this.#pages
      .find({ releaseId, differs: true, ...where })
      .sort({ page: 1 })
      .batchSize(1);
  }
}

/** The pages with keys behind one; null: all. */
function keysBehind(after: string | null): Filter<PageDocument> {
  return after === null ? {} : { last: { $gt: after } };
}

/** The fields of a check that begins. */
function toChecking({ migrationId: _id, ...wanted }: NewRelease, earlier: readonly string[]) {
  return {
    ...wanted,
    status: 'checking',
    checkedAt: null,
    pages: 0,
    after: null,
    objects: 0,
    bytes: 0,
    differences: 0,
    tree: [],
    versioned: null,
    error: null,
    nextAttemptAt: afterFollowUp(wanted.requestedAt),
    attempts: 0,
    earlier,
  } as const;
}

function toRelease(document: WithId<ReleaseDocument>): Release {
  const {
    _id,
    nextAttemptAt: _nextAttemptAt,
    attempts: _attempts,
    earlier: _earlier,
    ...release
  } = withoutOutbox(document);
  return { migrationId: _id, ...release };
}
