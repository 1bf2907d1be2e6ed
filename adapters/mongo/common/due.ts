import type { Collection, Document as Fields, Filter, WithId } from 'mongodb';

/** The documents of one kind on which work is left, for sweeps that take turns of all accounts. */
export interface DueList<Work> {
  /** Some of all accounts that are due by a time: the longest due, by the order of an index. */
  some(by: Date, limit: number): Promise<Work[]>;
  /** Some of one account. */
  of(accountId: string, by: Date, limit: number): Promise<Work[]>;
  /** The first account after this one, in the order of their ids, that has some. */
  nextAccount(after: string, by: Date): Promise<string | undefined>;
  /** Since when the longest due one is due. */
  oldest(by: Date): Promise<Date | undefined>;
}

/** How the documents say that they are due, and whose they are. */
interface DueFields<Stored, Work> {
  /** The field of the account. */
  readonly account: string;
  /** The field of the time since which a document is due. */
  readonly time: string;
  readonly isDue: (by: Date) => Fields;
  /** Undefined for a document without work. */
  readonly toWork: (stored: WithId<Stored>) => Work | undefined;
  readonly projection?: Fields;
}

export function listDue<Stored extends Fields, Work>(
  collection: Collection<Stored>,
  { account, time, isDue, toWork, projection = {} }: DueFields<Stored, Work>,
): DueList<Work> {
  const find = async (filter: Fields, limit: number) => {
    const documents = await collection
      .find(filter as Filter<Stored>, { projection })
      .limit(limit)
      .toArray();
    return documents.map(toWork).filter((work) => work !== undefined);
  };
  const first = async (filter: Fields, field: string): Promise<unknown> => {
    const options = { projection: { [field]: 1 }, sort: { [field]: 1 } } as const;
    const stored = await collection.findOne(filter as Filter<Stored>, options);
    return stored?.[field];
  };

  return {
    some: (by, limit) => find(isDue(by), limit),
    of: (accountId, by, limit) => find({ ...isDue(by), [account]: accountId }, limit),
    nextAccount: async (after, by) =>
      (await first({ ...isDue(by), [account]: { $gt: after } }, account)) as string | undefined,
    oldest: async (by) => (await first(isDue(by), time)) as Date | undefined,
  };
}

/** A document that a sweep looks at again. */
export interface Due {
  readonly documentId: string;
  readonly accountId: string;
  readonly nextAttemptAt: Date;
  /** How often the sweep has tried in vain. */
  readonly attempts: number;
}

/** The documents of a collection with `nextAttemptAt`, which is unset once no work is left. */
export interface DueQueue<Work extends Due> extends DueList<Work> {
  /** Sets the next attempt, unless the document has another one by now. */
  postpone(due: Due, nextAttemptAt: Date, isCounted?: boolean): Promise<void>;
}

/** In a sparse index on this field alone are only the documents on which work is left. */
export const DUE_ORDER = { nextAttemptAt: 1 } as const;
export const ACCOUNT_ORDER = { accountId: 1, nextAttemptAt: 1 } as const;

export function queueOf<Stored extends Fields, Work>(
  collection: Collection<Stored>,
  {
    account = 'accountId',
    toWork,
    projection,
  }: Pick<DueFields<Stored, Work>, 'toWork' | 'projection'> & { readonly account?: string },
): DueQueue<Work & Due> {
  const time = 'nextAttemptAt';
  const list = listDue<Stored, Work & Due>(collection, {
    account,
    time,
    isDue: (by) => ({ [time]: { $lte: by } }),
    toWork(stored) {
      const { _id: documentId, [account]: accountId, nextAttemptAt, attempts = 0 }: Fields = stored;
      const work = toWork(stored);
      return work && { ...work, documentId, accountId, nextAttemptAt, attempts };
    },
    ...(projection ? { projection } : {}),
  });
  return {
    ...list,
    async postpone({ documentId, nextAttemptAt: previous }, nextAttemptAt, isCounted = true) {
      const isUnchanged: Fields = { _id: documentId, nextAttemptAt: previous };
      const change: Fields = { $set: { nextAttemptAt }, $inc: { attempts: isCounted ? 1 : 0 } };
      await collection.updateOne(isUnchanged as Filter<Stored>, change);
    },
  };
}
