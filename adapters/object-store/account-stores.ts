import type { Account } from '../../domain/account/account.ts';
import type { ProviderName, StoreLocation } from '../../domain/provider/catalogue.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { Vault } from '../vault/vault.ts';
import type { ObjectStore, OpenObjectStore } from './object-store.ts';
import type { TransferStore } from './transfer-store.ts';
import type { OpenTransferStore } from './transfer-stores.ts';

/** Opens stores with an account's credentials. No other module opens the vault. */
export interface AccountStores {
  /**
   * The bucket in which a file is stored, with the provider's current credentials.
   *
   * @throws AppError `provider_not_configured` where the account no longer has any.
   */
  at(account: Account, location: StoreLocation): ObjectStore;
  /**
   * The bucket that is configured at present.
   *
   * @throws AppError `provider_not_configured`
   */
  of(account: Account, provider: ProviderName): ObjectStore;
  /**
   * A bucket for copies and multipart uploads, with the provider's current credentials.
   *
   * @throws AppError `provider_not_configured`
   */
  transferAt(account: Account, location: StoreLocation): TransferStore;
}

export function createAccountStores(
  vault: Vault,
  openStore: OpenObjectStore,
  openTransfer: OpenTransferStore,
): AccountStores {
  const configured = (account: Account, provider: ProviderName) => {
    const stored = account.providers[provider];
    if (!stored)
      throw new AppError(
        'provider_not_configured',
        `${provider} is not configured for this account.`,
      );
    return stored;
  };
  const credentialsFor = (account: Account, { provider }: StoreLocation) => {
    const { credentials } = configured(account, provider);
    return vault.open(credentials, { accountId: account.accountId, provider });
  };
  const at = (account: Account, location: StoreLocation): ObjectStore =>
    openStore(location, credentialsFor(account, location));
  return {
    at,
    of: (account, provider) => at(account, configured(account, provider).location),
    transferAt: (account, location) => openTransfer(location, credentialsFor(account, location)),
  };
}
