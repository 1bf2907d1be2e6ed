import type { Account } from '../../domain/account/account.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import { retryTransient } from '../../adapters/retry.ts';

/** A write that another change of the account has preceded. */
class ConflictingChange extends AppError {
  readonly isTransient = true;

  constructor() {
    super('unavailable');
  }
}

/**
 * Applies a change to the latest state of an account, and repeats it while other writes conflict.
 *
 * @param change returns false where its conditional write did not match.
 * @throws AppError `unavailable` where the conflicts last for all attempts, or the account is gone.
 */
export async function changeAccount<Result>(
  accounts: Pick<Accounts, 'find'>,
  account: Account,
  attempts: number,
  change: (latest: Account) => Promise<Result | false>,
): Promise<Result> {
  let latest: Account | undefined = account;
  return await retryTransient({ attempts }, async () => {
    if (!latest) throw new AppError('unavailable');
    const result = await change(latest);
    if (result !== false) return result;
    latest = await accounts.find(account.accountId);
    throw new ConflictingChange();
  });
}

/**
 * The account after a write that uses one of its providers, while no change of a provider's location is
 * announced: each later one finds that use. An announced one may not have found it, and is revoked.
 */
export async function readUnchanging(
  accounts: Pick<Accounts, 'find' | 'revokeProviderChange'>,
  accountId: string,
): Promise<Account> {
  for (;;) {
    const latest = await accounts.find(accountId);
    if (!latest) throw new Error('the account of this call is gone');
    if (!latest.providerChangePending || (await accounts.revokeProviderChange(latest)))
      return latest;
  }
}
