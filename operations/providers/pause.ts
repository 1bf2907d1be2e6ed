import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import { isOfCredentials, StoreError } from '../../adapters/object-store/errors.ts';
import { storeOf, type Account } from '../../domain/accounts/account.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { Deps } from '../common/deps.ts';
import { isPaused, refusalsOf, STORE_WORK, type StoreWork } from '../../domain/providers/pause.ts';

export type PauseDeps = Deps<'accounts' | 'now'>;

/** The store has refused such work several times in a row, so it is not asked now. */
export class StorePausedError extends StoreError {
  readonly store: string;

  /** @param store as `storeOf` names it */
  constructor(store: string) {
    super('access_denied', new Error('the work at this store is paused'));
    this.store = store;
  }
}

/**
 * Does work at a store, unless the store has refused such work several times in a row: then one
 * attempt an hour is made.
 *
 * @throws StorePausedError if the work is not begun; and what the work throws
 */
export async function unlessPaused<Result>(
  { accounts, now }: PauseDeps,
  account: Account,
  place: StoreLocation,
  work: StoreWork,
  call: () => Promise<Result>,
): Promise<Result> {
  const at = { store: storeOf(account, place), work };
  const refusals = refusalsOf(account, at);
  if (isPaused(refusals, now())) throw new StorePausedError(at.store);
  if (refusals?.probeAt && !(await accounts.takeProbe(account, at, now())))
    throw new StorePausedError(at.store);
  let result: Result;
  try {
    result = await call();
  } catch (error) {
    if (isRefusedAccess(error))
      await accounts.noteRefusal(account, at, error.refusal?.code ?? error.failure, now());
    throw error;
  }
  await noteSuccess({ accounts }, account, place, [work]);
  return result;
}

/** Ends the refusals of work that has succeeded, and those for the accepted credentials. */
export async function noteSuccess(
  { accounts }: { readonly accounts: Pick<Accounts, 'endRefusals'> },
  account: Account,
  place: StoreLocation,
  works: readonly StoreWork[],
): Promise<void> {
  const store = storeOf(account, place);
  const ended = STORE_WORK.filter((work) => {
    const refusals = refusalsOf(account, { store, work });
    return refusals && (works.includes(work) || isOfCredentials(refusals.code));
  });
  if (ended.length > 0) await accounts.endRefusals(account, store, ended);
}

function isRefusedAccess(error: unknown): error is StoreError {
  return error instanceof StoreError && error.failure === 'access_denied';
}
