import {
  dismissRecommendation,
  findExampleKey,
  getRecommendation,
  listRecommendations,
  restoreRecommendation,
  type RecommendationDeps,
} from '../../operations/recommendations/recommendations.ts';
import { presentListedRecommendation, presentRecommendationInScan } from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import {
  DismissRequest,
  ExampleKeyView,
  RecommendationDetail,
  RecommendationId,
  RecommendationsPage,
  RecommendationsQuery,
} from './schemas.ts';

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
        const { items, total } = await listRecommendations(deps, account, query);
        const shown = items.map(presentListedRecommendation);
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
        const recommendation = await getRecommendation(deps, account, recommendationId);
        return { status: 200, body: presentRecommendationInScan(recommendation) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/recommendations/{recommendationId}/example-key',
      auth: 'dashboard',
      summary: 'The first key that a recommendation selects',
      description:
        'Read with the stored credentials of the source: what a person sees of a target before the approval.',
      params: RecommendationId,
      replies: { 200: ExampleKeyView },
      refusals: ['recommendation_not_found', 'provider_not_configured', 'provider_error'],
      mayTakeLong: () => true,
      async handle({ account, params: { recommendationId } }) {
        return {
          status: 200,
          body: { key: await findExampleKey(deps, account, recommendationId) },
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/recommendations/{recommendationId}/dismiss',
      auth: 'dashboard',
      summary: 'Not to be shown for some days, with a reason',
      description:
        'Kept with the account: recommendations for the same objects that later scans make are dismissed as well. A dismissed recommendation stays open, and can be approved.',
      params: RecommendationId,
      body: DismissRequest,
      replies: { 200: RecommendationDetail },
      refusals: ['recommendation_not_found'],
      async handle({ account, actor, params: { recommendationId }, body }) {
        const recommendation = await dismissRecommendation(
          deps,
          account,
          actor,
          recommendationId,
          body,
        );
        return { status: 200, body: presentRecommendationInScan(recommendation) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/scanner/recommendations/{recommendationId}/dismiss',
      auth: 'dashboard',
      summary: 'To be shown again',
      description: 'Ends a dismissal. No effect if there is none.',
      params: RecommendationId,
      replies: { 200: RecommendationDetail },
      refusals: ['recommendation_not_found'],
      async handle({ account, actor, params: { recommendationId } }) {
        const recommendation = await restoreRecommendation(deps, account, actor, recommendationId);
        return { status: 200, body: presentRecommendationInScan(recommendation) };
      },
    }),
  ];
}
