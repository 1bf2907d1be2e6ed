import type { Place, Provider } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { KEYS } from './keys.ts';
import { CONSTANT, useQueryOf } from './query.ts';

/** The title of a store, by its name. */
export type ProviderTitle = (provider: Provider) => string;

/** Until the catalogue has arrived, the name is the title. */
export function useProviderTitle(): ProviderTitle {
  const { data } = useQuery(useProviderQueries().catalogue);
  return (provider) => data?.items.find((store) => store.provider === provider)?.title ?? provider;
}

/** A place for a person: `acme-files (Backblaze B2, us-west-004)`. */
export function usePlaceTitle() {
  const providerTitle = useProviderTitle();
  return ({ provider, bucketName, region }: Place) =>
    `${bucketName} (${providerTitle(provider)}, ${region})`;
}

/** A place of the account as a request names it, so that no other one fits. */
export function placeOf(provider: Provider, place: Omit<Place, 'provider'>): Place {
  const { bucketName, region, accountId, jurisdiction } = place;
  return {
    provider,
    bucketName,
    region,
    ...(accountId !== undefined && { accountId }),
    ...(jurisdiction !== undefined && { jurisdiction }),
  };
}

/** The stores of the account, and those that the service knows. */
export function useProviderQueries() {
  const query = useQueryOf();
  return {
    providers: query(KEYS.providers, (api, options) => api.providers.list(options)),
    catalogue: {
      ...query(KEYS.catalogue, (api, options) => api.providers.catalogue(options)),
      ...CONSTANT,
    },
    /**
     * Once, until a store is changed or tested by hand: it writes an object there, reads it and
     * deletes it.
     */
    providerTest: (provider: Provider) => ({
      ...query([...KEYS.providers, provider], (api, options) =>
        api.providers.test(provider, options),
      ),
      ...CONSTANT,
      gcTime: Infinity,
    }),
  };
}
