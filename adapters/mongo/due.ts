import type { Collection, Filter, FindOptions, WithId } from 'mongodb';

/** Where a walk through the accounts has come to: at an account, or past it. */
export interface AccountCursor {
  readonly accountId: string;
  readonly isDone: boolean;
}

/** Which of the documents are asked for whose `nextAttemptAt` has passed. */
export interface DueQuery {
  /** Those that are due by then. */
  readonly before: Date;
  /** Account by account, the longest due of each first, from an account on. Absent: the longest due of all. */
  readonly from?: AccountCursor;
  readonly limit: number;
}

/** The order of a sparse index on this field alone, in which only the documents are on which work is left. */
export const DUE_ORDER = { nextAttemptAt: 1 } as const;
export const ACCOUNT_ORDER = { accountId: 1, nextAttemptAt: 1 } as const;

interface DueDocument {
  readonly accountId: string;
  readonly nextAttemptAt?: Date;
}

/** One page of the due documents. */
export function findDue<Document extends DueDocument>(
  documents: Collection<Document>,
  { before, from, limit }: DueQuery,
  projection: FindOptions['projection'] = {},
): Promise<WithId<Document>[]> {
  const filter = {
    nextAttemptAt: { $lte: before },
    ...(from ? { accountId: fromAccount(from) } : {}),
  } as Filter<Document>;
  return documents
    .find(filter, { projection })
    .sort(from ? ACCOUNT_ORDER : DUE_ORDER)
    .limit(limit)
    .toArray();
}

export function fromAccount({ accountId, isDone }: AccountCursor) {
  return isDone ? { $gt: accountId } : { $gte: accountId };
}
