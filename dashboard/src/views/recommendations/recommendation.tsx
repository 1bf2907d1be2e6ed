import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { useRecommendationQueries } from '../../data/recommendations.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { RecommendationCards } from './detail.tsx';

/** One recommendation. */
export function Recommendation() {
  const { recommendationId = '' } = useParams();
  const recommendation = useQuery(useRecommendationQueries().recommendation(recommendationId));
  return (
    <Page title="Recommendation">
      <Loaded query={recommendation} what="the recommendation">
        {(found) => <RecommendationCards recommendation={found} />}
      </Loaded>
    </Page>
  );
}
