import type { NestedKeys } from '../inventory/nested-keys.ts';
import type { ProviderName } from '../provider/catalogue.ts';
import { AGE_BAND_FIRST_DAY, SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import { moveBreakdown } from './bucket.ts';
import type { Confidence } from './confidence.ts';
import { listBlockers, optionBlockers } from './blockers.ts';
import { changeReasons, cleanUpReasons, confidenceReason, moveReasons } from './reasons.ts';
import { changeQuote, savingsUsd } from './costs.ts';
import { changeHowTo, cleanUpHowTo } from './how-to.ts';
import type {
  AccountContext,
  Candidate,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  MoveBreakdown,
  MoveCandidate,
  MoveCost,
  PricedRecommendation,
} from './model.ts';
import {
  breakEvenMonths,
  shown,
  shownQuote,
  shownScenarios,
  toScenarios,
  subtractScenarios,
  totalOver,
} from './amounts.ts';
import type { Blocker, Scenarios, PlacementOption, Quote, Selector, Waiting } from './types.ts';
import { computeWaiting } from './waiting.ts';

const WHOLE_BUCKET: Selector = {
  prefix: null,
  storageClass: null,
  minAgeDays: null,
  maxAgeDays: null,
  minSizeBytes: null,
};

/** What the options of one recommendation depend on besides itself. */
export interface RecommendationScope extends DecisionContext {
  /** USD per month of storage at each store, of all recommended moves. */
  readonly storeUsd: ReadonlyMap<ProviderName, number>;
}

/** The recommendation of one candidate: its selector, options, quotes and reasons. */
export function recommend(
  context: RecommendationScope,
  candidate: Candidate,
  confidence: Confidence,
): PricedRecommendation {
  switch (candidate.kind) {
    case 'move':
      return recommendMove(context, candidate, confidence);
    case 'change_class':
      return recommendChange(context, candidate, confidence);
    case 'abort_multipart_uploads':
    case 'expire_old_versions':
      return recommendCleanUp(context, candidate, confidence);
  }
}

function recommendMove(
  context: RecommendationScope,
  candidate: MoveCandidate,
  confidence: Confidence,
): PricedRecommendation {
  const { bucket, prefix, cost, move } = candidate;
  const selected = bucket.groups.filter((group) => prefix === null || group.prefix === prefix);
  const breakdown = moveBreakdown(bucket.targets, selected);
  const [onlyClass = null, ...otherClasses] = breakdown.classes;
  const options = moveOptions(context, candidate, breakdown);
  const nested = bucket.inventory.nestedKeys?.find((each) => each.prefix === prefix);
  const recommended = options.find(({ provider }) => provider === move.target.provider);
  return {
    candidate,
    fromClass: otherClasses.length === 0 ? onlyClass : null,
    saved: subtractScenarios(cost.stay, move.monthly),
    oneOffUsd: move.quote.totalUsd,
    egressUsd: move.quote.egressUsd,
    waiting: recommended?.waiting ?? null,
    tooLargeObjects: breakdown.tooLarge.find(({ target }) => target === move.target)?.objects ?? 0,
    recommendation: {
      ...commonFields(candidate, cost.stay),
      selector: { ...WHOLE_BUCKET, prefix },
      recommendedProvider: move.target.provider,
      recommendedStorageClass: move.target.storageClass,
      options,
      confidence: confidence.value,
      reasons: [...moveReasons(context, candidate, breakdown), confidenceReason(confidence)],
      blockers: listBlockers(breakdown),
      ...(candidate.freeEgressGb > 0 ? { freeEgressGb: candidate.freeEgressGb } : {}),
      ...(nested ? { nestedKeys: toNestedKeys(nested) } : {}),
      howTo: null,
    },
  };
}

function toNestedKeys({ objects, above, below }: NestedKeys): NestedKeys {
  return { objects, above, below };
}

/** Every target, the lowest total over the horizon at `expected` first. */
function moveOptions(
  context: RecommendationScope,
  candidate: MoveCandidate,
  breakdown: MoveBreakdown,
): readonly PlacementOption[] {
  const { bucket, cost } = candidate;
  const total = ({ monthly, quote }: MoveCost) =>
    totalOver(context.horizonMonths, monthly, quote.totalUsd).expected;
  return cost.moves
    .toSorted((a, b) => total(a) - total(b))
    .map((move) => {
      const { target, monthly, quote } = move;
      const savings = savingsUsd(cost.stay, monthly);
      return placementOption(context, {
        provider: target.provider,
        storageClass: target.storageClass,
        monthly,
        savingsUsd: savings,
        quote,
        waiting: computeWaiting(context, bucket.region.region, quote, savings),
        blockers: optionBlockers(
          breakdown,
          move,
          storedThere(context, candidate, move),
          cost.objects,
        ),
      });
    });
}

/** USD per month at an option's store: of the option, and of the other moves that are recommended there. */
function storedThere(
  { storeUsd }: RecommendationScope,
  { move: recommended }: MoveCandidate,
  { target, monthly }: MoveCost,
): number {
  const all = storeUsd.get(target.provider) ?? 0;
  return target.provider === recommended.target.provider ? all : all + monthly.none;
}

function recommendChange(
  context: DecisionContext,
  candidate: ChangeCandidate,
  confidence: Confidence,
): PricedRecommendation {
  const { fromClass, toClass, cost } = candidate;
  const option = placementOption(context, {
    provider: context.source,
    storageClass: toClass,
    monthly: cost.changed,
    savingsUsd: candidate.savingsUsd,
    quote: changeQuote(cost.transitionUsd),
    waiting: null,
    blockers: [],
  });
  return {
    candidate,
    fromClass,
    saved: subtractScenarios(cost.stay, cost.changed),
    oneOffUsd: cost.transitionUsd,
    egressUsd: 0,
    waiting: null,
    tooLargeObjects: 0,
    recommendation: {
      ...commonFields(candidate, cost.stay),
      selector: changeSelector(candidate),
      recommendedProvider: context.source,
      recommendedStorageClass: toClass,
      options: [option],
      confidence: confidence.value,
      reasons: [...changeReasons(context, candidate), confidenceReason(confidence)],
      blockers: [],
      howTo: changeHowTo(context, candidate),
    },
  };
}

function changeSelector({ prefix, fromClass, firstBand, lastBand }: ChangeCandidate): Selector {
  return {
    prefix,
    storageClass: fromClass,
    minAgeDays: AGE_BAND_FIRST_DAY[firstBand] || null,
    maxAgeDays: AGE_BAND_FIRST_DAY[lastBand + 1] ?? null,
    minSizeBytes: SMALL_OBJECT_BYTES,
  };
}

function recommendCleanUp(
  context: AccountContext,
  candidate: CleanUpCandidate,
  confidence: Confidence,
): PricedRecommendation {
  const saved = toScenarios(() => candidate.savingsUsd);
  return {
    candidate,
    fromClass: null,
    saved,
    oneOffUsd: 0,
    egressUsd: 0,
    waiting: null,
    tooLargeObjects: 0,
    recommendation: {
      ...commonFields(candidate, saved),
      selector: WHOLE_BUCKET,
      recommendedProvider: null,
      recommendedStorageClass: null,
      options: [],
      confidence: confidence.value,
      reasons: [...cleanUpReasons(candidate), confidenceReason(confidence)],
      blockers: [],
      howTo: cleanUpHowTo(context, candidate),
    },
  };
}

/** The fields that every kind of recommendation computes alike. */
function commonFields(candidate: Candidate, stay: Scenarios) {
  const { kind, bucket, objects, bytes, savingsUsd: saved } = candidate;
  return {
    kind,
    bucket: bucket.inventory.name,
    region: bucket.inventory.region,
    objects,
    bytes,
    currentMonthlyCostUsd: shown(stay.none),
    optimalMonthlyCostUsd: shown(stay.none - saved, stay.none),
    monthlySavingsUsd: shown(saved, stay.expected),
    stayMonthlyUsd: shownScenarios(stay),
  };
}

interface PricedPlacement {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly monthly: Scenarios;
  readonly savingsUsd: number;
  readonly quote: Quote;
  readonly waiting: Waiting | null;
  readonly blockers: readonly Blocker[];
}

function placementOption(
  { configured }: AccountContext,
  { provider, storageClass, monthly, savingsUsd: savings, quote, ...placed }: PricedPlacement,
): PlacementOption {
  return {
    provider,
    storageClass,
    configured: configured.some((store) => store.provider === provider),
    monthlyCostUsd: shown(monthly.none),
    monthlySavingsUsd: shown(savings, savings + monthly.expected),
    placedMonthlyUsd: shownScenarios(monthly),
    quote: shownQuote(quote),
    breakEvenMonths: breakEvenMonths(quote.totalUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(quote.totalWithExitWaiverUsd, savings),
    waiting: placed.waiting,
    blockers: placed.blockers,
  };
}
