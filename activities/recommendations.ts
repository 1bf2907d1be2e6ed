import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { MigrationInput, MigrationState } from '../workflows/messages.ts';

export interface RecommendationActivityDeps {
  readonly recommendations: Recommendations;
}

export type RecommendationActivities = ReturnType<typeof createRecommendationActivities>;

/** What the workflow that waits for an approval has done. */
export function createRecommendationActivities({ recommendations }: RecommendationActivityDeps) {
  return {
    /** open → expired where its time has passed by then, unless something else became of it. */
    async expireRecommendation(key: MigrationInput, at: string): Promise<MigrationState> {
      await recommendations.expire(key.recommendationId, new Date(at));
      return { status: (await recommendations.find(key))?.status ?? 'missing' };
    },
  };
}
