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
 * Less 0.2, once, if an uncertain price adds a non-zero amount to the answer; at least 0.1. In
 * tenths, because tenths are exact.
 */
const TENTHS_BY_SCENARIOS = [3, 5, 7, 9] as const;
const UNCERTAIN_PRICE_TENTHS = 2;
const MOST_TENTHS = 9;

/** The confidence of a candidate: the lowest of the parts that were merged. */
export function computeConfidence(context: DecisionContext, candidate: Candidate): number {
  return tenthsOfCandidate(context, candidate) / 10;
}

/** The confidence of staying everywhere: the lowest of all prefixes that could move. */
export function confidenceOfStaying(
  context: DecisionContext,
  options: readonly { readonly region: RegionRates; readonly prefix: PrefixOptions }[],
): number {
  const least = options.reduce(
    (tenths, { region, prefix }) => Math.min(tenths, tenthsOfPrefix(context, region, prefix, null)),
    MOST_TENTHS,
  );
  return least / 10;
}

function tenthsOfCandidate(context: DecisionContext, candidate: Candidate): number {
  switch (candidate.kind) {
    case 'move':
      return Math.min(
        ...candidate.parts.map((part) =>
          tenthsOfPrefix(context, candidate.bucket.region, part, candidate.move),
        ),
      );
    case 'change_class':
      return Math.min(...candidate.parts.map((part) => tenthsOfChange(context, candidate, part)));
    case 'abort_multipart_uploads':
    case 'expire_old_versions':
      return tenthsOfCleanUp(candidate);
  }
}

function tenthsFor(scenarios: number, hasUncertainPrice: boolean): number {
  const certain = TENTHS_BY_SCENARIOS[scenarios] ?? 1;
  return Math.max(1, hasUncertainPrice ? certain - UNCERTAIN_PRICE_TENTHS : certain);
}

/** The confidence of moving a prefix as `move` does; null: of staying. */
function tenthsOfPrefix(
  { horizonMonths }: DecisionContext,
  region: RegionRates,
  { groups, cost, changesUsd }: PrefixOptions,
  move: MoveCost | null,
): number {
  const target = move?.target;
  const stay = totalOver(horizonMonths, cost.stay);
  const inPlace = toScenarios((reads) => stay[reads] + changesUsd[reads]);
  const moves = cost.moves.map((other) => ({
    provider: other.target.provider,
    total: totalOver(horizonMonths, other.monthly, other.quote.totalUsd),
  }));
  const taken = moves.find(({ provider }) => provider === target?.provider)?.total ?? stay;
  const scenarios = timesLeast(taken, [stay, inPlace, ...moves.map(({ total }) => total)]);
  const hasUncertainPrice = groups.some(({ rates, ageBand, statistics }) => {
    const { monthly, leaving } = rates.uncertainty;
    const there = target?.rates.bands[ageBand]?.uncertainty;
    const moving = there ? [leaving, region.listingUncertainty, there.monthly, there.arriving] : [];
    return [monthly, ...moving].some((uncertain) => isUncertain(uncertain, statistics));
  });
  return tenthsFor(scenarios, hasUncertainPrice);
}

/** Against staying, every change of the group and every target, for its large objects. */
function tenthsOfChange(
  { targets, horizonMonths }: DecisionContext,
  { bucket }: ChangeCandidate,
  { group, change, cost }: InPlaceChange,
): number {
  const large = { ...group, statistics: largeObjects(group.statistics) };
  const changes = group.rates.changes.map(({ to }) => changeCost([group], to.storageClass));
  const { moves } = placementCost(targets, bucket.region, [large]);
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
  return tenthsFor(
    scenarios,
    uncertain.some((prices) => isUncertain(prices, large.statistics)),
  );
}

/** A clean-up is the cheapest in every scenario. */
function tenthsOfCleanUp({ kind, bucket }: CleanUpCandidate): number {
  const deleted = kind === 'abort_multipart_uploads' ? [bucket.uploadParts] : bucket.oldVersions;
  const hasUncertainPrice = deleted.some(({ rates, statistics }) =>
    isUncertain(rates.uncertainty.storage, statistics),
  );
  return tenthsFor(SCENARIOS.length, hasUncertainPrice);
}
