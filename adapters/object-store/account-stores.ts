import {
  isAt,
  requireProvider,
  type Account,
  type StoredProvider,
} from '../../domain/accounts/account.ts';
import type { Catalogue, ProviderName, StoreLocation } from '../../domain/providers/catalogue.ts';
import type { StoreCredentials, Vault } from '../vault/vault.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { FormerPlaces } from '../mongo/providers/former-places.ts';
import type { StoreError } from './errors.ts';
import type { ObjectStore, OpenObjectStore } from './object-store.ts';

type WithCredentials = Pick<StoredProvider, 'location' | 'credentials'>;

export interface AccountStoresDeps {
  readonly vault: Vault;
  readonly formerPlaces: Pick<FormerPlaces, 'findFormerPlace'>;
}

/**
 * Opens stores with an account's credentials. No other module opens the vault: a process that lacks
 * the key of the credentials throws AppError `unavailable`.
 */
export type AccountStores = ReturnType<typeof createAccountStores>;

/** @param onDenied is called where a store refuses the credentials themselves */
export function createAccountStores(
  { vault, formerPlaces }: AccountStoresDeps,
  openStore: OpenObjectStore,
  { titleOf }: Pick<Catalogue, 'titleOf'>,
  onDenied: (account: Account, location: StoreLocation) => void,
) {
  /** The current entry of the provider, or what is kept of a former one. */
  async function storedAt(account: Account, place: StoreLocation): Promise<WithCredentials> {
    const current = requireProvider(account, place.provider);
    if (isAt(account, place)) return current;
    const former = await formerPlaces.findFormerPlace(account.accountId, place);
    if (former) return former;
    throw new AppError(
      'provider_not_configured',
      `${titleOf(place.provider)} (${place.provider}), bucket ${place.bucketName}: the service no longer has credentials for this bucket. Save them again.`,
    );
  }
  const unseal = ({ accountId }: Account, { location, credentials }: WithCredentials) =>
    vault.open(credentials, { accountId, provider: location.provider });
  const openAt = (account: Account, location: StoreLocation, stored: WithCredentials) =>
    openStore(location, unseal(account, stored), () => onDenied(account, location));

  return {
    /**
     * A bucket with the credentials of a place of the account, current or former.
     *
     * @param place whose credentials they are; by default the bucket's own
     * @throws AppError `provider_not_configured` if the account no longer has such a place
     */
    at: async (account: Account, location: StoreLocation, place = location) =>
      openAt(account, location, await storedAt(account, place)),
    /** The failure of a store as callers see it: `provider_error`, with provider and reason. */
    toProviderError({ provider }: Pick<StoreLocation, 'provider'>, cause: StoreError): AppError {
      const message = `${titleOf(provider)} (${provider}): ${cause.message}.`;
      return new AppError('provider_error', message, { cause });
    },
    /**
     * What else reads a store with the credentials of a place, current or former.
     *
     * @throws AppError `provider_not_configured` if the account no longer has such a place
     */
    open: async <Client>(
      account: Account,
      place: StoreLocation,
      open: (credentials: StoreCredentials) => Client,
    ): Promise<Client> => open(unseal(account, await storedAt(account, place))),
    /**
     * The bucket that is configured at present.
     *
     * @throws AppError `provider_not_configured`
     */
    of(account: Account, provider: ProviderName): ObjectStore {
      const stored = requireProvider(account, provider);
      return openAt(account, stored.location, stored);
    },
  };
}

/** Whether the account no longer has such a place. */
export function isPlaceGone(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'provider_not_configured';
}
