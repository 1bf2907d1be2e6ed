import { totalOf } from '../common/sums.ts';
import { toScenarios, type Scenarios } from '../reads/scenarios.ts';
import type { NestedKeys } from '../inventory/nested-keys.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import { AGE_BAND_FIRST_DAY, SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import { always, breakEvenMonths, shown, shownQuote } from './amounts.ts';
import { listBlockers, optionBlockers } from './blockers.ts';
import { moveBreakdown } from './bucket.ts';
import type { Confidence } from './confidence.ts';
import { changeQuote, savingsUsd, totalOver } from './costs.ts';
import { changeHowTo, cleanUpHowTo } from '../how-to/how-to.ts';
import type {
  AccountContext,
  Candidate,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  Forecast,
  Move,
  MoveBreakdown,
  MoveCandidate,
  PricedRecommendation,
} from './model.ts';
import { changeReasons, cleanUpReasons, confidenceReason, moveReasons } from './reasons.ts';
import { changeRisks, moveRisks } from './recommendation-risks.ts';
import { scenarioFigures, unreadFigures } from './scenarios.ts';
import type { Blocker, PlacementOption, Quote, Selector, Waiting } from './types.ts';
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
  /** USD per month at each store, of all recommended moves. */
  readonly storeUsd: ReadonlyMap<ProviderName, number>;
  /** All that is recommended. */
  readonly listed: readonly Candidate[];
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
    default:
      return recommendCleanUp(context, candidate, confidence);
  }
}

function recommendMove(
  context: RecommendationScope,
  candidate: MoveCandidate,
  confidence: Confidence,
): PricedRecommendation {
  const { bucket, prefix, placements, move } = candidate;
  const { stay, arrivals } = placements;
  const selected = bucket.groups.filter((group) => prefix === null || group.prefix === prefix);
  const breakdown = moveBreakdown(context.targets, selected);
  const [onlyClass = null, ...otherClasses] = breakdown.classes;
  const options = moveOptions(context, candidate, breakdown);
  const nested = bucket.inventory.nestedKeys?.find((each) => each.prefix === prefix);
  const recommended = options.find(({ provider }) => provider === move.target.provider);
  return {
    candidate,
    fromClass: otherClasses.length === 0 ? onlyClass : null,
    saved: subtract(stay, move),
    oneOffUsd: move.quote.totalUsd,
    egressUsd: move.quote.egressUsd,
    waiting: recommended?.waiting ?? null,
    tooLargeObjects: breakdown.tooLarge.find(({ target }) => target === move.target)?.objects ?? 0,
    recommendation: {
      ...commonFields(candidate, stay.shownUsd),
      selector: { ...WHOLE_BUCKET, prefix },
      scenarios: scenarioFigures(bucket, stay, move),
      arrivals: { objectsPerMonth: arrivals.objects, bytesPerMonth: arrivals.bytes },
      oneOffUsd: null,
      recommendedProvider: move.target.provider,
      recommendedStorageClass: move.target.storageClass,
      options,
      confidence: confidence.value,
      reasons: [...moveReasons(context, candidate, breakdown), confidenceReason(confidence)],
      risks: moveRisks(context, candidate),
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

/** Every target, the lowest total at `expected` first; those that refuse the egress last. */
function moveOptions(
  context: RecommendationScope,
  candidate: MoveCandidate,
  breakdown: MoveBreakdown,
): readonly PlacementOption[] {
  const { bucket, placements } = candidate;
  const total = (move: Move) => totalOver(context.horizonMonths, move).expected;
  const isRefused = ({ refusal }: Move) => Number(refusal !== null);
  return placements.moves
    .toSorted((a, b) => isRefused(a) - isRefused(b) || total(a) - total(b))
    .map((move) => {
      const { target, quote } = move;
      const savings = savingsUsd(placements.stay, move);
      const storedThere = storedAt(context, candidate, move);
      return placementOption(context, {
        provider: target.provider,
        storageClass: target.storageClass,
        there: move,
        savingsUsd: savings,
        stay: placements.stay,
        quote,
        waiting: computeWaiting(context, bucket.region.region, quote, savings),
        blockers: optionBlockers(breakdown, move, storedThere, placements.total.objects),
      });
    });
}

/** USD per month at an option's store: the option and the other moves recommended there. */
function storedAt(
  { storeUsd }: RecommendationScope,
  { move: recommended }: MoveCandidate,
  move: Move,
): number {
  const all = totalOf(storeUsd, move.target.provider);
  const isRecommended = move.target.provider === recommended.target.provider;
  return isRecommended ? all : all + move.shownUsd;
}

function recommendChange(
  context: RecommendationScope,
  candidate: ChangeCandidate,
  confidence: Confidence,
): PricedRecommendation {
  const { bucket, fromClass, toClass, stay, changed } = candidate;
  const recommended = context.listed.filter(isChange);
  const option = placementOption(context, {
    provider: context.source,
    storageClass: toClass,
    there: changed,
    savingsUsd: candidate.savingsUsd,
    stay,
    quote: changeQuote(changed.oneOffUsd),
    waiting: null,
    blockers: [],
  });
  return {
    candidate,
    fromClass,
    saved: subtract(stay, changed),
    oneOffUsd: changed.oneOffUsd,
    egressUsd: 0,
    waiting: null,
    tooLargeObjects: 0,
    recommendation: {
      ...commonFields(candidate, stay.shownUsd),
      selector: changeSelector(candidate),
      scenarios: scenarioFigures(bucket, stay, changed),
      arrivals: null,
      oneOffUsd: null,
      recommendedProvider: context.source,
      recommendedStorageClass: toClass,
      options: [option],
      confidence: confidence.value,
      reasons: [...changeReasons(context, candidate, recommended), confidenceReason(confidence)],
      risks: changeRisks(candidate),
      blockers: [],
      howTo: changeHowTo(context, candidate, recommended),
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
  const { savingsUsd: saved, oneOffUsd } = candidate;
  return {
    candidate,
    fromClass: null,
    saved: always(saved),
    oneOffUsd,
    egressUsd: 0,
    waiting: null,
    tooLargeObjects: 0,
    recommendation: {
      ...commonFields(candidate, saved),
      selector: WHOLE_BUCKET,
      scenarios: unreadFigures(saved),
      arrivals: null,
      oneOffUsd: shown(oneOffUsd),
      recommendedProvider: null,
      recommendedStorageClass: null,
      options: [],
      confidence: confidence.value,
      reasons: [...cleanUpReasons(candidate), confidenceReason(confidence)],
      risks: [],
      blockers: [],
      howTo: cleanUpHowTo(context, candidate),
    },
  };
}

function isChange(candidate: Candidate): candidate is ChangeCandidate {
  return candidate.kind === 'change_class';
}

/** What every kind of recommendation computes alike. */
function commonFields(candidate: Candidate, currentUsd: number) {
  const { kind, bucket, objects, bytes, savingsUsd: saved } = candidate;
  return {
    kind,
    bucket: bucket.inventory.name,
    region: bucket.inventory.region,
    objects,
    bytes,
    currentMonthlyCostUsd: shown(currentUsd),
    optimalMonthlyCostUsd: shown(currentUsd - saved, currentUsd),
    monthlySavingsUsd: shown(saved, currentUsd),
  };
}

function subtract(stay: Forecast, there: Forecast): Scenarios {
  return toScenarios((reads) => stay.monthly[reads] - there.monthly[reads]);
}

interface PricedPlacement {
  readonly provider: ProviderName;
  readonly storageClass: string;
  readonly there: Forecast;
  readonly savingsUsd: number;
  readonly stay: Forecast;
  readonly quote: Quote;
  readonly waiting: Waiting | null;
  readonly blockers: readonly Blocker[];
}

function placementOption({ configured }: AccountContext, placed: PricedPlacement): PlacementOption {
  const { provider, storageClass, savingsUsd: savings, quote, there } = placed;
  return {
    provider,
    storageClass,
    configured: configured.some((store) => store.provider === provider),
    monthlyCostUsd: shown(there.shownUsd),
    monthlySavingsUsd: shown(savings, placed.stay.monthly.expected),
    placedMonthlyUsd: toScenarios((reads) => shown(there.monthly[reads])),
    quote: shownQuote(quote),
    breakEvenMonths: breakEvenMonths(quote.totalUsd, savings),
    breakEvenMonthsWithExitWaiver: breakEvenMonths(quote.totalWithExitWaiverUsd, savings),
    waiting: placed.waiting,
    blockers: placed.blockers,
  };
}
