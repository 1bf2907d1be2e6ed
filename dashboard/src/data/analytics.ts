import type { RoutedFile } from '@storage-routing/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { LARGEST_PAGE, pageOptions } from './page.ts';

/** What was routed, and what it saved. */
export function useAnalyticsQueries() {
  const call = useApi();
  return {
    summary: queryOptions({
      queryKey: [...KEYS.analytics, 'summary'],
      queryFn: ({ signal }) => call((api) => api.analytics.summary({ signal })),
    }),
    monthly: queryOptions({
      queryKey: [...KEYS.analytics, 'monthly'],
      queryFn: ({ signal }) => call((api) => api.analytics.monthly({ signal })),
    }),
    /** The page before stays while another one is loaded. */
    history: (page: number) =>
      queryOptions({
        queryKey: [...KEYS.analytics, 'history', page],
        queryFn: ({ signal }) =>
          call((api) => api.analytics.routingHistory({ ...pageOptions(page), signal })),
        placeholderData: keepPreviousData,
      }),
    /** Every line of it that the service lists, for an export. */
    wholeHistory: () =>
      call(async (api) => {
        const lines: RoutedFile[] = [];
        for await (const line of api.analytics.routingHistory({ limit: LARGEST_PAGE }))
          lines.push(line);
        return lines;
      }),
    routedFile: (fileId: string) =>
      queryOptions({
        queryKey: [...KEYS.analytics, 'file', fileId],
        queryFn: ({ signal }) => call((api) => api.analytics.routedFile(fileId, { signal })),
      }),
  };
}
