import type { Account } from '../../domain/account.ts';
import type { ProviderName, StoreLocation } from '../../domain/catalogue.ts';
import { AppError } from '../../domain/errors.ts';
import type { Vault } from '../vault/vault.ts';
import type { ObjectStore, OpenObjectStore } from './object-store.ts';

/** Opens stores with an account's credentials: the only place where the vault is opened. */
export interface AccountStores {
  /**
   * The bucket that a file remembers, with the provider's current credentials.
   *
   * @throws AppError `provider_not_configured` where the account has none any more.
   */
  at(account: Account, location: StoreLocation): ObjectStore;
  /**
   * The bucket that is configured now.
   *
   * @throws AppError `provider_not_configured`
   */
  of(account: Account, provider: ProviderName): ObjectStore;
}

export function createAccountStores(vault: Vault, openStore: OpenObjectStore): AccountStores {
  const configured = (account: Account, provider: ProviderName) => {
    const stored = account.providers[provider];
    if (!stored)
      throw new AppError(
        'provider_not_configured',
        `${provider} is not configured for this account.`,
      );
    return stored;
  };
  const at = (account: Account, location: StoreLocation): ObjectStore => {
    const { provider } = location;
    const { credentials } = configured(account, provider);
    return openStore(location, vault.open(credentials, { accountId: account.accountId, provider }));
  };
  return { at, of: (account, provider) => at(account, configured(account, provider).location) };
}
