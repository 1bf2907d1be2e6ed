import { formatCount, formatUsd } from '../format.ts';
import type { AccountContext, PricedBucket, PricedRecommendation } from './model.ts';
import type { ReadScenario } from './types.ts';

/** What the decision cannot know or does not control, in sentences. */
export function risksOf(
  account: AccountContext,
  buckets: readonly PricedBucket[],
  recommendations: readonly PricedRecommendation[],
  readScenarios: readonly ReadScenario[],
): readonly string[] {
  return [
    ...readRisk(readScenarios, recommendations.length > 0),
    ...egressRisk(recommendations),
    ...restoreRisk(recommendations),
    ...keyRisk(recommendations),
    ...sizeRisk(recommendations),
    ...unconfiguredRisk(account, recommendations),
    ...unreadRisks(buckets),
  ];
}

function readRisk(
  readScenarios: readonly ReadScenario[],
  hasRecommendations: boolean,
): readonly string[] {
  const heavy = readScenarios.find(({ reads }) => reads === 'heavy');
  if (!heavy || heavy.stayMonthlyUsd === 0) return [];
  const staying = `${formatUsd(heavy.stayMonthlyUsd)} USD a month`;
  const placed = hasRecommendations
    ? `${formatUsd(heavy.optimalMonthlyUsd)} USD a month with the recommendations and ${staying} without`
    : staying;
  return [`How often objects are read is not known; if they are read heavily it costs ${placed}.`];
}

function egressRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const egressUsd = recommendations.reduce((sum, one) => sum + one.egressUsd, 0);
  if (egressUsd === 0) return [];
  return [
    `${formatUsd(egressUsd)} USD of the cost that is paid once is egress, due even if the move is undone.`,
  ];
}

function restoreRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = blockedObjects(recommendations, 'needs_restore');
  if (objects === 0) return [];
  return [`${formatCount(objects, 'object')} among what would move must be restored first.`];
}

function keyRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = blockedObjects(recommendations, 'key_too_long');
  if (objects === 0) return [];
  return [
    `${formatCount(objects, 'object')} among what would move exceed the key length that the target stores.`,
  ];
}

function blockedObjects(recommendations: readonly PricedRecommendation[], code: string): number {
  return recommendations
    .flatMap(({ recommendation }) => recommendation.blockers)
    .filter((blocker) => blocker.code === code)
    .reduce((sum, blocker) => sum + blocker.objects, 0);
}

function sizeRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = recommendations.reduce((sum, one) => sum + one.tooLargeObjects, 0);
  if (objects === 0) return [];
  return [
    `${formatCount(objects, 'object')} among what would move exceed the size that the recommended provider stores.`,
  ];
}

function unconfiguredRisk(
  { configured }: AccountContext,
  recommendations: readonly PricedRecommendation[],
): readonly string[] {
  const missing = new Set(
    recommendations.flatMap(({ candidate, recommendation: { recommendedProvider: provider } }) =>
      candidate.kind === 'move' && provider && !configured.includes(provider) ? [provider] : [],
    ),
  );
  return [...missing].sort().map((provider) => `${provider} is recommended but not configured.`);
}

function unreadRisks(buckets: readonly PricedBucket[]): readonly string[] {
  return buckets.flatMap(({ inventory }) => [
    ...(inventory.error
      ? [`${inventory.name} could not be read to its end (${inventory.error.code}).`]
      : []),
    ...inventory.coverage.map(
      ({ missing, effect }) => `${inventory.name}: ${missing} is missing, so: ${effect}`,
    ),
  ]);
}
