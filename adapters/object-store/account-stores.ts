import { requireProvider, type Account } from '../../domain/account/account.ts';
import type { Catalogue, ProviderName, StoreLocation } from '../../domain/provider/catalogue.ts';
import type { StoreCredentials, Vault } from '../vault/vault.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { StoreError } from './errors.ts';
import type { ObjectStore, OpenObjectStore } from './object-store.ts';

/**
 * Opens stores with an account's credentials. No other module opens the vault: a process that lacks the key of the
 * credentials throws AppError `unavailable`.
 */
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
  /**
   * What else reads an account with the provider's current credentials.
   *
   * @throws AppError `provider_not_configured`
   */
  open<Client>(account: Account, provider: ProviderName, open: OpenClient<Client>): Client;
  /** The failure of a customer's store as callers see it: `provider_error`, with provider and reason. */
  toProviderError(location: Pick<StoreLocation, 'provider'>, error: StoreError): AppError;
}

export type OpenClient<Client> = (location: StoreLocation, credentials: StoreCredentials) => Client;

/** @param onDenied is called where a store refuses the credentials themselves, not only what they may do. */
export function createAccountStores(
  vault: Vault,
  openStore: OpenObjectStore,
  { titleOf }: Pick<Catalogue, 'titleOf'>,
  onDenied: (account: Account, location: StoreLocation) => void,
): AccountStores {
  const credentialsOf = (account: Account, provider: ProviderName): StoreCredentials => {
    const { credentials } = requireProvider(account, provider);
    return vault.open(credentials, { accountId: account.accountId, provider });
  };
  const at: AccountStores['at'] = (account, location) =>
    openStore(location, credentialsOf(account, location.provider), () =>
      onDenied(account, location),
    );
  return {
    at,
    toProviderError({ provider }, cause) {
      const message = `${titleOf(provider)} (${provider}): ${cause.message}.`;
      return new AppError('provider_error', message, { cause });
    },
    open(account, provider, open) {
      const { location } = requireProvider(account, provider);
      return open(location, credentialsOf(account, provider));
    },
    of: (account, provider) => at(account, requireProvider(account, provider).location),
  };
}
