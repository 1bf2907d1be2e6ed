import type { Person } from '@storage-routing/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { loadConfig } from '../session/config.ts';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { pageOptions } from './page.ts';

/** The account, its key and its subscription. */
export function useAccountQueries() {
  const call = useApi();
  return {
    account: queryOptions({
      queryKey: KEYS.account,
      queryFn: ({ signal }) => call((api) => api.account({ signal })),
    }),
    /** The person of the token; another role needs another login. */
    person: queryOptions({
      queryKey: KEYS.person,
      queryFn: ({ signal }) => call((api) => api.person({ signal })),
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /** The page before stays while another one is loaded. */
    activity: (page: number) =>
      queryOptions({
        queryKey: [...KEYS.activity, page],
        queryFn: ({ signal }) => call((api) => api.activity({ ...pageOptions(page), signal })),
        placeholderData: keepPreviousData,
      }),
    apiKey: queryOptions({
      queryKey: KEYS.apiKey,
      queryFn: ({ signal }) => call((api) => api.apiKey.get({ signal })),
    }),
    /** The settings of the page; they change with the service only. */
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

/** Who is logged in; undefined until it is known. */
export function usePerson(): Person | undefined {
  return useQuery(useAccountQueries().person).data;
}
