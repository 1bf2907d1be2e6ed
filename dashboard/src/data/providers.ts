import type { Provider } from '@storage-routing/client';
import { queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';

/** The stores of the account. */
export function useProviderQueries() {
  const call = useApi();
  return {
    providers: queryOptions({
      queryKey: KEYS.providers,
      queryFn: ({ signal }) => call((api) => api.providers.list({ signal })),
    }),
    /** Once, until a store is changed or tested by hand: it writes an object there, reads it and deletes it. */
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
