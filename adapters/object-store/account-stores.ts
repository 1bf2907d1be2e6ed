import { requireProvider, type Account } from '../../domain/account/account.ts';
import type { ProviderName, StoreLocation } from '../../domain/provider/catalogue.ts';
import type { Vault } from '../vault/vault.ts';
import type { ObjectStore, OpenObjectStore } from './object-store.ts';

/** Opens stores with an account's credentials. No other module opens the vault. */
export interface AccountStores {
  /**
   * A bucket with the provider's current credentials.
   *
   * @throws AppError `provider_not_configured` if the account no longer has any.
   */
  at(account: Account, location: StoreLocation): ObjectStore;
  /**
   * The bucket that is configured at present.
   *
   * @throws AppError `provider_not_configured`
   */
  of(account: Account, provider: ProviderName): ObjectStore;
}

/** @param onDenied is called where a store refuses the credentials, or what they may do. */
export function createAccountStores(
  vault: Vault,
  openStore: OpenObjectStore,
  onDenied: (account: Account, location: StoreLocation) => void,
): AccountStores {
  const at: AccountStores['at'] = (account, location) => {
    const { provider } = location;
    const { credentials } = requireProvider(account, provider);
    const opened = vault.open(credentials, { accountId: account.accountId, provider });
    return openStore(location, opened, () => onDenied(account, location));
  };
  return {
    at,
    of: (account, provider) => at(account, requireProvider(account, provider).location),
  };
}
