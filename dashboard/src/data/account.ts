import { queryOptions } from '@tanstack/react-query';
import { loadConfig } from '../session/config.ts';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';

/** The account, its key and its subscription. */
export function useAccountQueries() {
  const call = useApi();
  return {
    account: queryOptions({
      queryKey: KEYS.account,
      queryFn: ({ signal }) => call((api) => api.account({ signal })),
    }),
    apiKey: queryOptions({
      queryKey: KEYS.apiKey,
      queryFn: ({ signal }) => call((api) => api.apiKey.get({ signal })),
    }),
    /** Of the page; it changes with the service only. */
    config: queryOptions({
      queryKey: KEYS.config,
      queryFn: loadConfig,
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /** Only if the configuration says that plans can be bought. */
    subscription: queryOptions({
      queryKey: KEYS.subscription,
      queryFn: ({ signal }) => call((api) => api.billing.subscription({ signal })),
    }),
  };
}
