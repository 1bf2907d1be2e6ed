import type { Provider } from '@storage-routing/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';

/** The title of a store, by its name. */
export type ProviderTitle = (provider: Provider) => string;

/** Until the catalogue has arrived, the name is the title. */
export function useProviderTitle(): ProviderTitle {
  const { data } = useQuery(useProviderQueries().catalogue);
  return (provider) => data?.items.find((store) => store.provider === provider)?.title ?? provider;
}

/** The stores of the account, and those that the service knows. */
export function useProviderQueries() {
  const call = useApi();
  return {
    providers: queryOptions({
      queryKey: KEYS.providers,
      queryFn: ({ signal }) => call((api) => api.providers.list({ signal })),
    }),
    catalogue: queryOptions({
      queryKey: KEYS.catalogue,
      queryFn: ({ signal }) => call((api) => api.providers.catalogue({ signal })),
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /**
     * Once, until a store is changed or tested by hand: it writes an object there, reads it and
     * deletes it.
     */
    providerTest: (provider: Provider) =>
      queryOptions({
        queryKey: [...KEYS.providers, provider],
        queryFn: ({ signal }) => call((api) => api.providers.test(provider, { signal })),
        staleTime: Infinity,
        gcTime: Infinity,
        refetchInterval: false,
      }),
  };
}
