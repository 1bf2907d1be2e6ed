import type { PlacementOption } from '../../domain/decision/types.ts';
import { recommendationStatusAt } from '../../domain/recommendations/recommendation.ts';
import type { ShownRecommendation } from '../../operations/recommendations/recommendation-context.ts';
import type { RecommendationInScan } from '../../operations/recommendations/recommendations.ts';
import { toView, type View } from '../http/route.ts';
import {
  ListedRecommendation,
  OptionView,
  RecommendationView,
  type RecommendationDetail,
} from './schemas.ts';

/** As in the result of a scan. */
export function presentRecommendation(shown: ShownRecommendation): View<typeof RecommendationView> {
  return toView(RecommendationView, toFields(shown));
}

/** As in the result of its scan, with the ids of the scan and the connection. */
export function presentListedRecommendation(
  shown: ShownRecommendation,
): View<typeof ListedRecommendation> {
  return toView(ListedRecommendation, toFields(shown));
}

function toFields({ recommendation, supersededBy, dismissal, now }: ShownRecommendation) {
  return {
    ...recommendation,
    options: recommendation.options.map(presentOption),
    status: recommendationStatusAt(recommendation, now),
    migrationId: recommendation.approval ? recommendation.recommendationId : null,
    supersededBy,
    dismissed: dismissal && {
      until: dismissal.until.toISOString(),
      reason: dismissal.reason,
      by: dismissal.by.subject,
      byName: dismissal.by.name,
      at: dismissal.at.toISOString(),
    },
  };
}

/** With its costs in each read scenario. */
export function presentRecommendationInScan({
  shown,
  basis,
}: RecommendationInScan): View<typeof RecommendationDetail> {
  const { scenarios, options } = shown.recommendation;
  return {
    ...presentListedRecommendation(shown),
    horizonMonths: basis?.horizonMonths ?? null,
    assumptions: basis?.assumptions ?? [],
    readScenarios: scenarios.map(({ scenario: reads, stayMonthlyUsd }) => ({
      reads,
      stayMonthlyUsd,
      options: options.map(({ provider, storageClass, placedMonthlyUsd }) => ({
        provider,
        storageClass,
        monthlyUsd: placedMonthlyUsd[reads],
      })),
    })),
  };
}

function presentOption(option: PlacementOption): View<typeof OptionView> {
  return toView(OptionView, { ...option, blockers: option.blockers ?? [] });
}
