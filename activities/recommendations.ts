import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { MigrationInput, Waiting } from '../messages/migration.ts';

export interface RecommendationActivityDeps {
  readonly recommendations: Pick<Recommendations, 'expire' | 'find'>;
}

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

/** The expiry of recommendations. */
export function createRecommendationActivities({ recommendations }: RecommendationActivityDeps) {
  return {
    /** open → expired where `expiresAt` has passed. Returns the status after that. */
    async expireRecommendation(key: MigrationInput, at: string): Promise<Waiting> {
      await recommendations.expire(key.recommendationId, new Date(at));
      return { status: (await recommendations.find(key))?.status ?? 'missing' };
    },
  };
}
