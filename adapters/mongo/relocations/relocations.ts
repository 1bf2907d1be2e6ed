import type { Collection, Db, WithId } from 'mongodb';
import { placeKey } from '../../../domain/accounts/account.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import { afterFollowUp } from '../../../domain/common/sweep.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import type {
  RelocationRecord,
  RelocationStatus,
  RelocationStop,
} from '../../../domain/relocations/relocation.ts';
import type { ServiceEvent } from '../../../domain/webhooks/event.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { insertIfNew, matches } from '../common/open.ts';
import { emitting, noting, toOutbox, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import type { Listed, Page } from '../common/pages.ts';

type RelocationDocument = Omit<RelocationRecord, 'relocationId'> &
  WithOutbox & {
    readonly _id: string;
    /** Account and place while it copies: one of each may. */
    readonly runs?: string;
    /** Set until its last old object is gone; then the sweep looks at it no more. */
    readonly nextAttemptAt?: Date;
    readonly attempts: number;
  };

export interface RelocationKey {
  readonly relocationId: string;
  readonly accountId: string;
}

/** A relocation as the sweep sees it. */
export interface DueRelocation extends Due {
  readonly relocation: RelocationRecord;
}

type Planned = Pick<RelocationRecord, 'after' | 'pages' | 'files' | 'bytes'>;

/** The relocations of all accounts. A status changes by a write that demands the one before. */
export class Relocations {
  readonly #relocations: Collection<RelocationDocument>;
  readonly due: DueQueue<DueRelocation>;

  constructor(db: Db) {
    this.#relocations = db.collection('relocations');
    this.due = queueOf(this.#relocations, {
      toWork: (stored) => ({ relocation: toRelocation(stored) }),
    });
  }

  /** False if another one of the account copies from this place. */
  insertRelocation(
    { relocationId, ...relocation }: RelocationRecord,
    activity: Activity,
  ): Promise<boolean> {
    return insertIfNew(() =>
      this.#relocations.insertOne({
        _id: relocationId,
        ...relocation,
        runs: runsAt(relocation.accountId, relocation.from),
        nextAttemptAt: afterFollowUp(relocation.startedAt),
        attempts: 0,
        ...toOutbox(activity),
      }),
    );
  }

  /** Undefined for an unknown id and for another account's. */
  async findRelocation({
    relocationId,
    accountId,
  }: RelocationKey): Promise<RelocationRecord | undefined> {
    const stored = await this.#relocations.findOne({ _id: relocationId });
    return stored?.accountId === accountId ? toRelocation(stored) : undefined;
  }

  async isRunningAt(accountId: string, from: StoreLocation): Promise<boolean> {
    return (await this.#relocations.findOne({ runs: runsAt(accountId, from) })) !== null;
  }

  /** Those of an account that copy, or whose old objects are not all gone. */
  async listUnended(accountId: string): Promise<readonly RelocationRecord[]> {
    const filter = { accountId, nextAttemptAt: { $gt: new Date(0) } };
    return (await this.#relocations.find(filter).toArray()).map(toRelocation);
  }

  /** One page, the newest first. */
  async listRelocations(
    accountId: string,
    { limit, offset }: Page,
  ): Promise<Listed<RelocationRecord>> {
    const [stored, total] = await Promise.all([
      this.#relocations
        .find({ accountId })
        .sort({ startedAt: -1, _id: 1 })
        .skip(offset)
        .limit(limit)
        .toArray(),
      this.#relocations.countDocuments({ accountId }),
    ]);
    return { items: stored.map(toRelocation), total };
  }

  /** False if another worker has come further. */
  savePlanned(relocationId: string, pages: number, planned: Planned): Promise<boolean> {
    return matches(
      this.#relocations.updateOne(
        { _id: relocationId, status: 'planning', pages },
        { $set: planned },
      ),
    );
  }

  /** planning → copying. */
  async beginCopying(relocationId: string): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, status: 'planning' },
      { $set: { status: 'copying' } },
    );
  }

  /** Pages before this one are copied. */
  async saveCopied(
    relocationId: string,
    page: number,
    progress: Pick<RelocationRecord, 'costUsd'> & Partial<Pick<RelocationRecord, 'movedAt'>>,
  ): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, page: { $lte: page } },
      { $set: { page, ...progress } },
    );
  }

  /** Copies no further file. The first reason stays. */
  async stop(
    { relocationId, accountId }: RelocationKey,
    stopping: RelocationStop,
    activity?: Activity,
  ): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, accountId, runs: { $exists: true }, stopping: null },
      { $set: { stopping }, ...(activity ? noting(activity) : {}) },
    );
  }

  /** Ends the copying; from then on another one may begin at the place. */
  async endCopying(
    relocationId: string,
    end: Pick<RelocationRecord, 'status' | 'completedAt' | 'error'>,
    events: readonly ServiceEvent[],
  ): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, runs: { $exists: true } },
      { $set: end, $unset: { runs: true }, ...emitting(events) },
    );
  }

  /** draining → completed or completed_with_failures. */
  async complete(
    relocationId: string,
    status: RelocationStatus,
    completedAt: Date,
    events: readonly ServiceEvent[],
  ): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, status: 'draining' },
      { $set: { status, completedAt }, ...emitting(events) },
    );
  }

  /** Nothing is left to do. */
  async settle(relocationId: string): Promise<void> {
    await this.#relocations.updateOne(
      { _id: relocationId, runs: { $exists: false } },
      { $unset: { nextAttemptAt: true } },
    );
  }
}

function runsAt(accountId: string, from: StoreLocation): string {
  return `${accountId} ${placeKey(from)}`;
}

function toRelocation(document: WithId<RelocationDocument>): RelocationRecord {
  const {
    _id,
    runs: _runs,
    nextAttemptAt: _at,
    attempts: _attempts,
    ...fields
  } = withoutOutbox(document);
  return { relocationId: _id, ...fields };
}
