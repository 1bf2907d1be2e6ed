import { largeObjects } from '../inventory/statistics.ts';
import { changeCost, placementCost } from './costs.ts';
import type {
  Candidate,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  InPlaceChange,
  MoveCost,
  PrefixOptions,
  RegionRates,
} from './model.ts';
import { toScenarios, timesLeast, totalOver } from './amounts.ts';
import { SCENARIOS } from './types.ts';
import { isUncertain } from './uncertainty.ts';

/**
 * | scenarios in which the answer is the cheapest of all | 3   | 2   | 1   | 0   |
 * |------------------------------------------------------|-----|-----|-----|-----|
 * | confidence                                           | 0.9 | 0.7 | 0.5 | 0.3 |
 *
 * Less 0.2, once, if an uncertain price adds a non-zero amount to the answer, and once more if the scan found
 * less than 70 % of the billed storage; at least 0.1. In tenths, because tenths are exact.
 */
const TENTHS_BY_SCENARIOS = [3, 5, 7, 9] as const;
const UNCERTAIN_PRICE_TENTHS = 2;
const LITTLE_EXPLAINED_TENTHS = 2;

/** How sure an answer is, and why. */
export interface Confidence {
  /** 0.1 to 0.9, in tenths. */
  readonly value: number;
  /** In how many of the three scenarios it is the cheapest of all. */
  readonly scenarios: number;
  readonly hasUncertainPrice: boolean;
  readonly isLittleExplained: boolean;
}

/** The confidence of a candidate: the lowest of the parts that were merged. */
export function computeConfidence(context: DecisionContext, candidate: Candidate): Confidence {
  switch (candidate.kind) {
    case 'move':
      return lowest(
        context,
        candidate.parts.map((part) =>
          confidenceOfPrefix(context, candidate.bucket.region, part, candidate.move),
        ),
      );
    case 'change_class':
      return lowest(
        context,
        candidate.parts.map((part) => confidenceOfChange(context, candidate, part)),
      );
    case 'abort_multipart_uploads':
    case 'expire_old_versions':
      return confidenceOfCleanUp(context, candidate);
  }
}

/** The confidence of staying everywhere: the lowest of all prefixes that could move. */
export function confidenceOfStaying(
  context: DecisionContext,
  options: readonly { readonly region: RegionRates; readonly prefix: PrefixOptions }[],
): Confidence {
  return lowest(
    context,
    options.map(({ region, prefix }) => confidenceOfPrefix(context, region, prefix, null)),
  );
}

function lowest(context: DecisionContext, parts: readonly Confidence[]): Confidence {
  return parts.reduce(
    (least, part) => (part.value < least.value ? part : least),
    confidenceFor(context, SCENARIOS.length, false),
  );
}

function confidenceFor(
  { isLittleExplained }: Pick<DecisionContext, 'isLittleExplained'>,
  scenarios: number,
  hasUncertainPrice: boolean,
): Confidence {
  const lessTenths =
    (hasUncertainPrice ? UNCERTAIN_PRICE_TENTHS : 0) +
    (isLittleExplained ? LITTLE_EXPLAINED_TENTHS : 0);
  const tenths = Math.max(1, (TENTHS_BY_SCENARIOS[scenarios] ?? 1) - lessTenths);
  return { value: tenths / 10, scenarios, hasUncertainPrice, isLittleExplained };
}

/** The confidence of moving a prefix as `move` does; null: of staying. */
function confidenceOfPrefix(
  context: DecisionContext,
  region: RegionRates,
  { groups, cost, changesUsd }: PrefixOptions,
  move: MoveCost | null,
): Confidence {
  const { horizonMonths } = context;
  const target = move?.target;
  const stay = totalOver(horizonMonths, cost.stay);
  const inPlace = toScenarios((reads) => stay[reads] + changesUsd[reads]);
  const moves = cost.moves.map((other) => ({
    provider: other.target.provider,
    egressUsd: other.quote.egressUsd,
    total: totalOver(horizonMonths, other.monthly, other.quote.totalUsd),
  }));
  const taken = moves.find(({ provider }) => provider === target?.provider);
  const { total = stay, egressUsd = 0 } = taken ?? {};
  const scenarios = timesLeast(total, [stay, inPlace, ...moves.map((other) => other.total)]);
  const paysUncertainEgress = region.isEgressUncertain && egressUsd > 0;
  const hasUncertainPrice = groups.some(({ rates, ageBand, statistics }) => {
    const { monthly, leaving } = rates.uncertainty;
    const there = target?.rates.bands[ageBand]?.uncertainty;
    const moving = there ? [leaving, region.listingUncertainty, there.monthly, there.arriving] : [];
    return [monthly, ...moving].some((uncertain) => isUncertain(uncertain, statistics));
  });
  return confidenceFor(context, scenarios, hasUncertainPrice || paysUncertainEgress);
}

/** Against staying, every change of the group and every target, for its large objects. */
function confidenceOfChange(
  context: DecisionContext,
  { bucket }: ChangeCandidate,
  { group, change, cost }: InPlaceChange,
): Confidence {
  const { horizonMonths } = context;
  const large = { ...group, statistics: largeObjects(group.statistics) };
  const changes = group.rates.changes.map(({ to }) => changeCost([group], to.storageClass));
  const { moves } = placementCost(bucket.targets, bucket.region, [large]);
  const scenarios = timesLeast(totalOver(horizonMonths, cost.changed, cost.transitionUsd), [
    totalOver(horizonMonths, cost.stay),
    ...changes.map((other) => totalOver(horizonMonths, other.changed, other.transitionUsd)),
    ...moves.map(({ monthly, quote }) => totalOver(horizonMonths, monthly, quote.totalUsd)),
  ]);
  const uncertain = [
    group.rates.uncertainty.monthly,
    change.rates.uncertainty.monthly,
    change.transitionUncertainty,
  ];
  return confidenceFor(
    context,
    scenarios,
    uncertain.some((prices) => isUncertain(prices, large.statistics)),
  );
}

/** A clean-up is the cheapest in every scenario. */
function confidenceOfCleanUp(
  context: DecisionContext,
  { kind, bucket }: CleanUpCandidate,
): Confidence {
  const deleted = kind === 'abort_multipart_uploads' ? [bucket.uploadParts] : bucket.oldVersions;
  const hasUncertainPrice = deleted.some(({ rates, statistics }) =>
    isUncertain(rates.uncertainty.storage, statistics),
  );
  return confidenceFor(context, SCENARIOS.length, hasUncertainPrice);
}
