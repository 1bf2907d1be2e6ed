import { sumBy } from '../common/sums.ts';
import { formatCount, formatMoney } from '../../shared/amounts.ts';
import { formatDay } from '../common/format.ts';
import type {
  AccountContext,
  DecisionContext,
  PricedBucket,
  PricedRecommendation,
} from './model.ts';

/** The risks of the decision: facts that it cannot know or does not control. */
export function listRisks(
  context: DecisionContext,
  buckets: readonly PricedBucket[],
  recommendations: readonly PricedRecommendation[],
): readonly string[] {
  return [
    ...readRisk(buckets),
    ...egressRisk(recommendations),
    ...switchingRisk(context, recommendations),
    ...restoreRisk(recommendations),
    ...keyRisk(recommendations),
    ...sizeRisk(recommendations),
    ...unconfiguredRisk(context, recommendations),
    ...unreadRisks(buckets),
  ];
}

function readRisk(buckets: readonly PricedBucket[]): readonly string[] {
  const read = buckets.filter(({ inventory, totals }) => !inventory.error && totals.length > 0);
  if (read.length === 0) return [];
  const isKnown = read.every((bucket) => bucket.reads.source !== 'assumed');
  return [
    isKnown
      ? 'Objects may be read more than they were. Each recommendation shows what it withstands.'
      : 'How often objects are read, and from where, is not known of all buckets. Each recommendation shows what it withstands.',
  ];
}

function egressRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const egressUsd = sumBy(recommendations, (one) => one.egressUsd);
  if (egressUsd === 0) return [];
  return [
    `${formatMoney(egressUsd)} of the cost that is paid once is egress, due even if the move is undone.`,
  ];
}

/** The effect of a law on switching charges, for the recommended moves that it covers. */
function switchingRisk(
  { catalogue, source, decidedAt, switchingChargeBan: ban }: DecisionContext,
  recommendations: readonly PricedRecommendation[],
): readonly string[] {
  if (!ban) return [];
  const from = new Date(ban.from);
  const day = formatDay(from);
  const rule = `forbids charging customers in ${ban.territory} for switching to another provider, egress included. It covers switching, which a partial move may not be: ask ${catalogue.titleOf(source)} before you`;
  if (decidedAt < from) {
    const saves = recommendations.flatMap(({ waiting }) => waiting?.savesUsd ?? []);
    if (saves.length === 0) return [];
    return [
      `As of this audit, waiting until ${day} saves ${formatMoney(sumBy(saves, (usd) => usd))} on ${formatCount(saves.length, 'move')}: from that day ${ban.law} ${rule} count on it.`,
    ];
  }
  const charged = recommendations.filter(
    ({ recommendation: { region }, egressUsd }) => egressUsd > 0 && ban.regions.includes(region),
  );
  if (charged.length === 0) return [];
  const egressUsd = sumBy(charged, (one) => one.egressUsd);
  return [
    `The ${formatMoney(egressUsd)} of egress on ${formatCount(charged.length, 'move')} is not due for customers whom ${ban.law} covers: since ${day} it ${rule} approve. The figures include the charge all the same.`,
  ];
}

function restoreRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = blockedObjects(recommendations, 'needs_restore');
  if (objects === 0) return [];
  return [`${formatCount(objects, 'object')} among what would move must be restored first.`];
}

function keyRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = blockedObjects(recommendations, 'key_too_long');
  return limitRisk(objects, 'key length that the target stores');
}

function sizeRisk(recommendations: readonly PricedRecommendation[]): readonly string[] {
  const objects = sumBy(recommendations, (one) => one.tooLargeObjects);
  return limitRisk(objects, 'size that the recommended provider stores');
}

function limitRisk(objects: number, limit: string): readonly string[] {
  if (objects === 0) return [];
  const exceed = objects === 1 ? 'exceeds' : 'exceed';
  return [`${formatCount(objects, 'object')} among what would move ${exceed} the ${limit}.`];
}

function blockedObjects(recommendations: readonly PricedRecommendation[], code: string): number {
  const blockers = recommendations.flatMap(({ recommendation }) => recommendation.blockers);
  return sumBy(
    blockers.filter((blocker) => blocker.code === code),
    ({ objects }) => objects,
  );
}

function unconfiguredRisk(
  { catalogue, configured }: AccountContext,
  recommendations: readonly PricedRecommendation[],
): readonly string[] {
  const names = new Set(configured.map(({ provider }) => provider));
  const missing = new Set(
    recommendations.flatMap(({ candidate, recommendation: { recommendedProvider: provider } }) =>
      candidate.kind === 'move' && provider && !names.has(provider) ? [provider] : [],
    ),
  );
  return [...missing]
    .sort()
    .map((provider) => `${catalogue.titleOf(provider)} is recommended but not configured.`);
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
