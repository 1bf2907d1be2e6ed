import type { Provider, ScanLine } from '@storage-routing/client';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { pollEvery } from './query-client.ts';

/** The names of what the page keeps, so that a change can fetch it again. */
export const QUERY_KEYS = {
  providers: ['providers'],
  summary: ['analytics', 'summary'],
  monthly: ['analytics', 'monthly'],
  scans: ['scans'],
} as const;

/** What several views show. A view's own queries are beside it. */
export function useQueries() {
  const call = useApi();
  const client = useQueryClient();
  return {
    providers: queryOptions({
      queryKey: QUERY_KEYS.providers,
      queryFn: ({ signal }) => call((api) => api.providers.list({ signal })),
    }),
    /** Once, until a store is changed or tested by hand: it writes an object there, reads it and deletes it. */
    providerTest: (provider: Provider) =>
      queryOptions({
        queryKey: [...QUERY_KEYS.providers, provider],
        queryFn: ({ signal }) => call((api) => api.providers.test(provider, { signal })),
        staleTime: Infinity,
        gcTime: Infinity,
        refetchInterval: false,
      }),
    summary: queryOptions({
      queryKey: QUERY_KEYS.summary,
      queryFn: ({ signal }) => call((api) => api.analytics.summary({ signal })),
    }),
    monthly: queryOptions({
      queryKey: QUERY_KEYS.monthly,
      queryFn: ({ signal }) => call((api) => api.analytics.monthly({ signal })),
    }),
    scans: queryOptions({
      queryKey: QUERY_KEYS.scans,
      queryFn: ({ signal }) => call((api) => api.scanner.history({ signal })),
      refetchInterval: pollEvery(client, ({ items }: { items: ScanLine[] }) =>
        items.some(({ status }) => status === 'queued' || status === 'running'),
      ),
    }),
  };
}
