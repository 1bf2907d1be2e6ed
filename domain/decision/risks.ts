import type { ReadScenario } from './answer.ts';
import type { Asker } from './answers.ts';
import type { PricedBucket } from './bucket.ts';
import type { Advice } from './recommendations.ts';
import { count, usd } from './words.ts';

export interface RiskTerms {
  readonly asker: Asker;
  readonly buckets: readonly PricedBucket[];
  readonly advice: readonly Advice[];
  readonly readScenarios: readonly ReadScenario[];
}

/** What could turn out otherwise, in sentences. */
export function risksOf({ asker, buckets, advice, readScenarios }: RiskTerms): readonly string[] {
  return [
    ...readRisk(readScenarios, advice.length > 0),
    ...egressRisk(advice),
    ...blockerRisk(advice),
    ...unconfiguredRisk(asker, advice),
    ...unreadRisks(buckets),
  ];
}

function readRisk(readScenarios: readonly ReadScenario[], isAdvised: boolean): readonly string[] {
  const heavy = readScenarios.find(({ reads }) => reads === 'heavy');
  if (!heavy || heavy.stayMonthlyUsd === 0) return [];
  const staying = `${usd(heavy.stayMonthlyUsd)} USD a month`;
  const placed = isAdvised
    ? `${usd(heavy.optimalMonthlyUsd)} USD a month with the recommendations and ${staying} without`
    : staying;
  return [`How often objects are read is not known; if they are read heavily it costs ${placed}.`];
}

function egressRisk(advice: readonly Advice[]): readonly string[] {
  const egressUsd = advice.reduce((sum, one) => sum + one.egressUsd, 0);
  if (egressUsd === 0) return [];
  return [
    `${usd(egressUsd)} USD of the cost that is paid once is egress, due even if the move is undone.`,
  ];
}

function blockerRisk(advice: readonly Advice[]): readonly string[] {
  const objects = advice
    .flatMap(({ recommendation }) => recommendation.blockers)
    .reduce((sum, blocker) => sum + blocker.objects, 0);
  if (objects === 0) return [];
  return [`${count(objects, 'object')} among what would move must be restored first.`];
}

function unconfiguredRisk({ configured }: Asker, advice: readonly Advice[]): readonly string[] {
  const missing = new Set(
    advice.flatMap(({ answer, recommendation: { recommendedProvider: provider } }) =>
      answer.kind === 'move' && provider && !configured.includes(provider) ? [provider] : [],
    ),
  );
  return [...missing].sort().map((provider) => `${provider} is recommended but not configured.`);
}

function unreadRisks(buckets: readonly PricedBucket[]): readonly string[] {
  return buckets.flatMap(({ table: { bucket } }) => [
    ...(bucket.error
      ? [`${bucket.name} could not be read to its end (${bucket.error.code}).`]
      : []),
    ...bucket.coverage.map(
      ({ missing, effect }) => `${bucket.name}: ${missing} is missing, so: ${effect}`,
    ),
  ]);
}
