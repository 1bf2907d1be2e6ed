import type { Collection, Document as Fields, Filter, WithId } from 'mongodb';

/** The documents of one kind on which work is left. */
export interface DueDocuments<Due> {
  /** Some of all accounts that are due by a time: the longest due, by the order of an index. */
  some(before: Date, limit: number): Promise<Due[]>;
  /** Some of one account. */
  of(accountId: string, before: Date, limit: number): Promise<Due[]>;
  /** The first account after this one, in the order of their ids, that has some. */
  nextAccount(after: string, before: Date): Promise<string | undefined>;
  /** Since when the longest due one is due. */
  oldest(before: Date): Promise<Date | undefined>;
}

/** How the documents say that they are due, and whose they are. */
interface DueFields<Stored, Due> {
  readonly account?: string;
  readonly time?: string;
  readonly isDue?: (before: Date) => Fields;
  /** Undefined for one on which no work is left any more. */
  readonly toDue: (found: WithId<Stored>) => Due | undefined;
  readonly projection?: Fields;
}

/** In a sparse index on this field alone are only the documents on which work is left. */
export const DUE_ORDER = { nextAttemptAt: 1 } as const;
export const ACCOUNT_ORDER = { accountId: 1, nextAttemptAt: 1 } as const;

export function dueDocuments<Stored extends Fields, Due>(
  collection: Collection<Stored>,
  {
    account = 'accountId',
    time = 'nextAttemptAt',
    isDue = (before) => ({ [time]: { $lte: before } }),
    toDue,
    projection = {},
  }: DueFields<Stored, Due>,
): DueDocuments<Due> {
  const find = async (filter: Fields, limit: number) => {
    const found = await collection
      .find(filter as Filter<Stored>, { projection })
      .limit(limit)
      .toArray();
    return found.map(toDue).filter((due) => due !== undefined);
  };
  const first = async (filter: Fields, field: string): Promise<unknown> => {
    const options = { projection: { [field]: 1 }, sort: { [field]: 1 } } as const;
    const found = await collection.findOne(filter as Filter<Stored>, options);
    return found?.[field];
  };

  return {
    some: (before, limit) => find(isDue(before), limit),
    of: (accountId, before, limit) => find({ ...isDue(before), [account]: accountId }, limit),
    nextAccount: async (after, before) =>
      (await first({ ...isDue(before), [account]: { $gt: after } }, account)) as string | undefined,
    oldest: async (before) => (await first(isDue(before), time)) as Date | undefined,
  };
}
