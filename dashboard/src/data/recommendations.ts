import type { RecommendationsOptions } from '@storage-routing/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { pageOptions, type Selection } from './page.ts';

export function useRecommendationQueries() {
  const call = useApi();
  return {
    /** The page before stays while another one is loaded. */
    recommendations: ({ page, ...filters }: Selection<RecommendationsOptions>) =>
      queryOptions({
        queryKey: [...KEYS.recommendations, filters, page],
        queryFn: ({ signal }) =>
          call((api) => api.scanner.recommendations({ ...filters, ...pageOptions(page), signal })),
        placeholderData: keepPreviousData,
      }),
    /** Their number, and the one that saves most. */
    openRecommendations: queryOptions({
      queryKey: [...KEYS.recommendations, 'best'],
      queryFn: ({ signal }) =>
        call((api) => api.scanner.recommendations({ status: 'open', limit: 1, signal })),
    }),
    recommendation: (recommendationId: string) =>
      queryOptions({
        queryKey: [...KEYS.recommendation, recommendationId],
        queryFn: ({ signal }) =>
          call((api) => api.scanner.recommendation(recommendationId, { signal })),
      }),
  };
}
