import type { Collection, Db, Document, WithId } from 'mongodb';
import { placeKey } from '../../../domain/accounts/account.ts';
import type { Activity } from '../../../domain/accounts/activity.ts';
import { afterFollowUp } from '../../../domain/common/sweep.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import type { RelocationStop } from '../../../domain/relocations/relocation.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { insertIfNew } from '../common/open.ts';
import { noting, toOutbox, type WithOutbox, withoutOutbox } from '../common/outbox.ts';
import type { Listed, Page } from '../common/pages.ts';

/** What relocations and drills have in common. */
export interface RunAtPlace {
  readonly accountId: string;
  readonly from: StoreLocation;
  readonly startedAt: Date;
  readonly stopping: RelocationStop | null;
}

type RunDocument<Run extends RunAtPlace> = Run &
  WithOutbox & {
    readonly _id: string;
    /** Account and place while it runs: one of each may. */
    readonly runs?: string;
    /** Set until nothing is left to do; then the sweep looks at it no more. */
    readonly nextAttemptAt?: Date;
    readonly attempts: number;
  };

/** A run as the sweep sees it. */
export interface DueRun<Run> extends Due {
  readonly run: Run;
}

/** Work of which one may run per account and place. */
export class RunsAtPlaces<IdName extends string, Run extends RunAtPlace & Record<IdName, string>> {
  readonly #idName: IdName;
  /** By the names of the fields, as the driver's types do not follow a type parameter. */
  protected readonly stored: Collection<RunDocument<RunAtPlace>>;
  readonly due: DueQueue<DueRun<Run>>;

  constructor(db: Db, collection: string, idName: IdName) {
    this.#idName = idName;
    this.stored = db.collection(collection);
    this.due = queueOf(this.stored, { toWork: (document) => ({ run: this.#toRun(document) }) });
  }

  /** False if another one of the account runs from this place. */
  insertRun(run: Run, activity: Activity): Promise<boolean> {
    const { [this.#idName]: _id, ...fields } = run as Document & RunAtPlace;
    return insertIfNew(() =>
      this.stored.insertOne({
        ...fields,
        _id: String(_id),
        runs: runsAt(run.accountId, run.from),
        nextAttemptAt: afterFollowUp(run.startedAt),
        attempts: 0,
        ...toOutbox(activity),
      } as RunDocument<RunAtPlace>),
    );
  }

  /** Undefined for an unknown id and for another account's. */
  async findRun(key: Pick<Run, IdName | 'accountId'>): Promise<Run | undefined> {
    const stored = await this.stored.findOne({ _id: key[this.#idName] });
    return stored?.accountId === key.accountId ? this.#toRun(stored) : undefined;
  }

  async isRunningAt(accountId: string, from: StoreLocation): Promise<boolean> {
    return (await this.stored.findOne({ runs: runsAt(accountId, from) })) !== null;
  }

  /** Those of an account on which something is left to do. */
  async listUnended(accountId: string): Promise<readonly Run[]> {
    const filter = { accountId, nextAttemptAt: { $gt: new Date(0) } };
    return (await this.stored.find(filter).toArray()).map((each) => this.#toRun(each));
  }

  /** One page, the newest first. */
  async listRuns(accountId: string, { limit, offset }: Page): Promise<Listed<Run>> {
    const [stored, total] = await Promise.all([
      this.stored
        .find({ accountId })
        .sort({ startedAt: -1, _id: 1 })
        .skip(offset)
        .limit(limit)
        .toArray(),
      this.stored.countDocuments({ accountId }),
    ]);
    return { items: stored.map((each) => this.#toRun(each)), total };
  }

  /** It goes no further. The first reason stays. */
  async stop(
    key: Pick<Run, IdName | 'accountId'>,
    stopping: RelocationStop,
    activity?: Activity,
  ): Promise<void> {
    await this.stored.updateOne(
      { _id: key[this.#idName], accountId: key.accountId, runs: { $exists: true }, stopping: null },
      { $set: { stopping }, ...(activity ? noting(activity) : {}) },
    );
  }

  #toRun(document: WithId<RunDocument<RunAtPlace>>): Run {
    const {
      _id,
      runs: _runs,
      nextAttemptAt: _at,
      attempts: _attempts,
      ...fields
    } = withoutOutbox(document) as RunDocument<RunAtPlace>;
    return { [this.#idName]: _id, ...fields } as unknown as Run;
  }
}

function runsAt(accountId: string, from: StoreLocation): string {
  return `${accountId} ${placeKey(from)}`;
}
