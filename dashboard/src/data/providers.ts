import type { Provider } from '@storage-routing/client';
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
