import { SCENARIOS } from '../../domain/read-scenarios.ts';
import type { PlacementOption } from '../../domain/decision/types.ts';
import { recommendationStatusAt, type RecommendationRecord } from '../../domain/scan/scan.ts';
import type { RecommendationInScan } from '../operations/recommendations.ts';

/** As in the result of a scan. */
export function presentRecommendation(recommendation: RecommendationRecord, now: Date) {
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
    reasons: recommendation.reasons,
    blockers: recommendation.blockers,
    howTo: recommendation.howTo,
    status: recommendationStatusAt(recommendation, now),
    expiresAt: recommendation.expiresAt.toISOString(),
    migrationId: recommendation.approval?.migrationId ?? null,
  };
}

/** As in the result of its scan, and which scan that is. */
export function presentListedRecommendation(recommendation: RecommendationRecord, now: Date) {
  const { scanId, connectionId } = recommendation;
  return { ...presentRecommendation(recommendation, now), scanId, connectionId };
}

/** With its costs in each assumption about reads. */
export function presentRecommendationInScan({ recommendation, basis, now }: RecommendationInScan) {
  const { stayMonthlyUsd, options } = recommendation;
  return {
    ...presentListedRecommendation(recommendation, now),
    horizonMonths: basis?.horizonMonths ?? null,
    assumptions: basis?.assumptions ?? [],
    readScenarios: SCENARIOS.map((reads) => ({
      reads,
      stayMonthlyUsd: stayMonthlyUsd[reads],
      options: options.map(({ provider, storageClass, placedMonthlyUsd }) => ({
        provider,
        storageClass,
        monthlyUsd: placedMonthlyUsd[reads],
      })),
    })),
  };
}

function presentOption(option: PlacementOption) {
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
  };
}
