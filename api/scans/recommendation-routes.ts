import {
  getRecommendation,
  listRecommendations,
  type RecommendationDeps,
} from './recommendations.ts';
import { presentListedRecommendation, presentRecommendationInScan } from './present.ts';
import {
  RecommendationDetail,
  RecommendationId,
  RecommendationsPage,
  RecommendationsQuery,
} from './recommendation-schemas.ts';
import { defineRoute, type Route } from '../http/route.ts';

export function createRecommendationRoutes(deps: RecommendationDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/scanner/recommendations',
      auth: 'dashboard',
      summary: 'The recommendations of all scans, the largest savings first',
      description:
        "A page of recommendations, filtered by `status` and `connectionId`. Those of kind `move` can be approved; the others are for the account's owner to carry out.",
      query: RecommendationsQuery,
      replies: { 200: RecommendationsPage },
      refusals: [],
      async handle({ account, query }) {
        const { limit, offset } = query;
        const { items, total, now } = await listRecommendations(deps, account, query);
        const shown = items.map((each) => presentListedRecommendation(each, now));
        return { status: 200, body: { items: shown, total, limit, offset } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/recommendations/{recommendationId}',
      auth: 'dashboard',
      summary: 'One recommendation, with what it costs without reads, as expected, and with many',
      description:
        'The recommendation as in the list, and its monthly cost with reads in the three scenarios: where the objects are, and at each option.',
      params: RecommendationId,
      replies: { 200: RecommendationDetail },
      refusals: ['recommendation_not_found'],
      async handle({ account, params: { recommendationId } }) {
        const found = await getRecommendation(deps, account, recommendationId);
        return { status: 200, body: presentRecommendationInScan(found) };
      },
    }),
  ];
}
