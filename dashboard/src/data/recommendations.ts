import type { RecommendationsOptions } from '@storage-routing/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { collect, LARGEST_PAGE } from './page.ts';

export function useRecommendationQueries() {
  const call = useApi();
  return {
    /** Those before stay while others are loaded. */
    recommendations: (filters: Pick<RecommendationsOptions, 'status' | 'connectionId'>) =>
      queryOptions({
        queryKey: [...KEYS.recommendations, filters],
        queryFn: ({ signal }) =>
          call((api) =>
            collect(api.scanner.recommendations({ ...filters, limit: LARGEST_PAGE, signal })),
          ),
        placeholderData: keepPreviousData,
      }),
    /** Their number, and those that save most. */
    openRecommendations: queryOptions({
      queryKey: [...KEYS.recommendations, 'best'],
      queryFn: ({ signal }) =>
        call((api) => api.scanner.recommendations({ status: 'open', limit: LARGEST_PAGE, signal })),
    }),
    /** The first key that it selects: read from the source, once. */
    exampleKey: (recommendationId: string) =>
      queryOptions({
        queryKey: [...KEYS.recommendation, recommendationId, 'example-key'],
        queryFn: ({ signal }) =>
          call((api) => api.scanner.exampleKey(recommendationId, { signal })),
        staleTime: Infinity,
        refetchInterval: false,
        retry: false,
      }),
    recommendation: (recommendationId: string) =>
      queryOptions({
        queryKey: [...KEYS.recommendation, recommendationId],
        queryFn: ({ signal }) =>
          call((api) => api.scanner.recommendation(recommendationId, { signal })),
      }),
  };
}
