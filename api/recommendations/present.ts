import type { PlacementOption } from '../../domain/decision/types.ts';
import { recommendationStatusAt } from '../../domain/recommendations/recommendation.ts';
import type { ShownRecommendation } from '../../operations/recommendations/recommendation-context.ts';
import type { RecommendationInScan } from '../../operations/recommendations/recommendations.ts';
import type { View } from '../http/route.ts';
import type {
  ListedRecommendation,
  OptionView,
  RecommendationDetail,
  RecommendationView,
} from './schemas.ts';

/** As in the result of a scan. */
export function presentRecommendation({
  recommendation,
  supersededBy,
  dismissal,
  now,
}: ShownRecommendation): View<typeof RecommendationView> {
  return {
    recommendationId: recommendation.recommendationId,
    kind: recommendation.kind,
    bucket: recommendation.bucket,
    region: recommendation.region,
    selector: recommendation.selector,
    objects: recommendation.objects,
    bytes: recommendation.bytes,
    currentMonthlyCostUsd: recommendation.currentMonthlyCostUsd,
    optimalMonthlyCostUsd: recommendation.optimalMonthlyCostUsd,
    monthlySavingsUsd: recommendation.monthlySavingsUsd,
    recommendedProvider: recommendation.recommendedProvider,
    recommendedStorageClass: recommendation.recommendedStorageClass,
    options: recommendation.options.map(presentOption),
    confidence: recommendation.confidence,
    scenarios: recommendation.scenarios,
    arrivals: recommendation.arrivals,
    oneOffUsd: recommendation.oneOffUsd,
    reasons: recommendation.reasons,
    risks: recommendation.risks,
    blockers: recommendation.blockers,
    howTo: recommendation.howTo,
    status: recommendationStatusAt(recommendation, now),
    expiresAt: recommendation.expiresAt.toISOString(),
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

/** As in the result of its scan, with the ids of the scan and the connection. */
export function presentListedRecommendation(
  shown: ShownRecommendation,
): View<typeof ListedRecommendation> {
  const { scanId, connectionId } = shown.recommendation;
  return { ...presentRecommendation(shown), scanId, connectionId };
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
  return {
    provider: option.provider,
    storageClass: option.storageClass,
    configured: option.configured,
    monthlyCostUsd: option.monthlyCostUsd,
    monthlySavingsUsd: option.monthlySavingsUsd,
    quote: option.quote,
    breakEvenMonths: option.breakEvenMonths,
    breakEvenMonthsWithExitWaiver: option.breakEvenMonthsWithExitWaiver,
    waiting: option.waiting,
    blockers: option.blockers ?? [],
  };
}
