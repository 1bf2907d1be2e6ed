import type { ListedRecommendation, RecommendationsOptions } from '@storage-routing/client';
import { KEYS } from './keys.ts';
import { collect, LARGEST_PAGE } from './page.ts';
import { CONSTANT, KEEP_PREVIOUS, useQueryOf } from './query.ts';

/** What shows a recommendation. */
export function recommendationKeys({ recommendationId, scanId }: ListedRecommendation) {
  return [[...KEYS.recommendation, recommendationId], [...KEYS.scan, scanId], KEYS.recommendations];
}

export function useRecommendationQueries() {
  const query = useQueryOf();
  return {
    recommendations: (filters: Pick<RecommendationsOptions, 'status' | 'connectionId'>) => ({
      ...query([...KEYS.recommendations, filters], (api, options) =>
        collect(api.scanner.recommendations({ ...filters, limit: LARGEST_PAGE, ...options })),
      ),
      ...KEEP_PREVIOUS,
    }),
    /** Their number, and those that save most. */
    openRecommendations: query([...KEYS.recommendations, 'best'], (api, options) =>
      api.scanner.recommendations({ status: 'open', limit: LARGEST_PAGE, ...options }),
    ),
    /** The first key that it selects: read from the source, once. */
    exampleKey: (recommendationId: string) => ({
      ...query([...KEYS.recommendation, recommendationId, 'example-key'], (api, options) =>
        api.scanner.exampleKey(recommendationId, options),
      ),
      ...CONSTANT,
      retry: false,
    }),
    recommendation: (recommendationId: string) =>
      query([...KEYS.recommendation, recommendationId], (api, options) =>
        api.scanner.recommendation(recommendationId, options),
      ),
  };
}
