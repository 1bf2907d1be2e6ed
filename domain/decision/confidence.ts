import type { CleanUpKind } from '../../shared/recommendations.ts';
import { toScenarios, SCENARIOS, type Scenarios } from '../reads/scenarios.ts';
import { timesLeast } from './amounts.ts';
import { movable } from './bucket.ts';
import { allowedMoves, changesTotal } from './candidates.ts';
import { earlyDeletionUsd, openChanges, placementsOf, storageCost, totalOver } from './costs.ts';
import { expiresAfterDays } from './left-alone-rules.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import type {
  Candidate,
  Change,
  CleanUpCandidate,
  DecisionContext,
  Forecast,
  Move,
  PrefixOptions,
  PricedBucket,
  PricedObjects,
} from './model.ts';
import type { Target } from './region-rates.ts';

/**
 * | scenarios in which the answer is the cheapest of all | 4   | 3   | 2   | 1, 0 |
 * |------------------------------------------------------|-----|-----|-----|------|
 * | confidence                                           | 0.9 | 0.7 | 0.5 | 0.3  |
 *
 * Less 0.2, each once: if an uncertain price adds a non-zero amount to the answer, if the scan
 * found less than 70 % of the billed storage, if reads of the bucket may be those of another one;
 * at least 0.1. In tenths, because tenths are exact.
 */
const TENTHS_BY_SCENARIOS = [3, 3, 5, 7, 9] as const;
const DEDUCTED_TENTHS = 2;
const LEAST_TENTHS = 1;

/** How sure an answer is, and why. */
export interface Confidence {
  /** 0.1 to 0.9, in tenths. */
  readonly value: number;
  /** In how many of the four scenarios it is the cheapest of all. */
  readonly scenarios: number;
  readonly hasUncertainPrice: boolean;
  readonly isLittleExplained: boolean;
  readonly isShared: boolean;
}

type Doubts = Pick<Confidence, 'hasUncertainPrice' | 'isLittleExplained' | 'isShared'>;

/** The confidence of a candidate: the lowest of the parts that were merged. */
export function computeConfidence(
  context: DecisionContext,
  candidate: Candidate,
  options: readonly PrefixOptions[],
): Confidence {
  const { bucket } = candidate;
  switch (candidate.kind) {
    case 'move': {
      const { provider } = candidate.move.target;
      return lowest(
        candidate.parts.map((part) => {
          const move = part.placements?.moves.find(({ target }) => target.provider === provider);
          return confidenceOfPrefix(context, bucket, part, move ?? null);
        }),
      );
    }
    case 'change_class':
      return lowest(
        candidate.parts.map((part) => confidenceOfChange(context, bucket, part, options)),
      );
    default:
      return confidenceOfCleanUp(context, candidate);
  }
}

/** The confidence of staying everywhere: the lowest of all prefixes that could move. */
export function confidenceOfStaying(
  context: DecisionContext,
  answers: readonly { readonly bucket: PricedBucket; readonly options: readonly PrefixOptions[] }[],
): number {
  const { value } = lowest(
    answers.flatMap(({ bucket, options }) =>
      options.map((option) => confidenceOfPrefix(context, bucket, option, null)),
    ),
  );
  return value;
}

/** Less by one deduction, as for a bucket that could not be read. */
export function lessSure(confidence: number): number {
  return Math.max(LEAST_TENTHS, Math.round(confidence * 10) - DEDUCTED_TENTHS) / 10;
}

const SURE: Doubts = { hasUncertainPrice: false, isLittleExplained: false, isShared: false };

function lowest(parts: readonly Confidence[]): Confidence {
  return parts.reduce(
    (least, part) => (part.value < least.value ? part : least),
    confidenceFor(SCENARIOS.length, SURE),
  );
}

function confidenceFor(scenarios: number, doubts: Doubts): Confidence {
  const { hasUncertainPrice, isLittleExplained, isShared } = doubts;
  const deductions = [hasUncertainPrice, isLittleExplained, isShared].filter(Boolean).length;
  const tenths = (TENTHS_BY_SCENARIOS[scenarios] ?? LEAST_TENTHS) - deductions * DEDUCTED_TENTHS;
  return { ...doubts, scenarios, value: Math.max(LEAST_TENTHS, tenths) / 10 };
}

function doubtsOf(
  { isLittleExplained }: DecisionContext,
  { reads }: PricedBucket,
  hasUncertainPrice: boolean,
): Doubts {
  return { hasUncertainPrice, isLittleExplained, isShared: reads.isShared };
}

/** The confidence of moving a prefix as `move` does; null: of staying. */
function confidenceOfPrefix(
  context: DecisionContext,
  bucket: PricedBucket,
  option: PrefixOptions,
  move: Move | null,
): Confidence {
  if (!option.placements) return confidenceFor(SCENARIOS.length, SURE);
  const { total, others } = answersFor(context, bucket, option);
  const own = move ? totalOver(context.horizonMonths, move) : total.stay;
  const scenarios = timesLeast(own, [total.stay, total.inPlace, ...others]);
  const provider = move?.target.provider;
  const isUncertain = isUncertainPlacement(context, bucket, option.prefix, provider);
  return confidenceFor(scenarios, doubtsOf(context, bucket, isUncertain));
}

/** Whether a price that is not sure adds to what a prefix costs where it is, or at a provider. */
function isUncertainPlacement(
  { targets, sure }: DecisionContext,
  bucket: PricedBucket,
  prefix: string,
  provider: ProviderName | undefined,
): boolean {
  const target = targets.find((each) => each.provider === provider);
  if (bucket.region.isSure && target?.rates.isSure !== false) return false;
  const sureBucket = sure.bucket(bucket.inventory.name);
  const forecasts = (some: readonly Target[], of: PricedBucket) => {
    const to = some.filter((target) => target.provider === provider);
    const held = movable(of.groups.filter((group) => group.prefix === prefix));
    // A small amount may be lost in the sum of all of them.
    return [held, ...held.map((one) => [one])].flatMap((objects) => {
      const { stay, moves } = placementsOf(to, of, objects);
      const there: readonly Forecast[] = moves;
      return there.concat(stay);
    });
  };
  const surely = forecasts(sure.targets, sureBucket);
  return forecasts(targets, bucket).some((own, at) => differ(own, surely[at]));
}

/** The totals of all answers for the objects of a prefix that may move. */
function answersFor(
  context: DecisionContext,
  bucket: PricedBucket,
  { placements, changes, prefix }: PrefixOptions,
) {
  const { horizonMonths } = context;
  if (!placements) throw new Error(`nothing of ${prefix} may move`);
  const stay = totalOver(horizonMonths, placements.stay);
  const ofMovable = changes.filter(({ group }) => group.classRates.mayMove);
  const effect = changesTotal(ofMovable, horizonMonths);
  const inPlace = toScenarios((reads) => stay[reads] + effect[reads]);
  const others = allowedMoves(context, bucket, prefix, placements).map((move) =>
    totalOver(horizonMonths, move),
  );
  return { total: { stay, inPlace }, others };
}

/** One of the answers for all of the prefix that is not archived; a colder archive is cheaper. */
function confidenceOfChange(
  context: DecisionContext,
  bucket: PricedBucket,
  change: Change,
  options: readonly PrefixOptions[],
): Confidence {
  const { group } = change;
  const option = options.find(({ prefix }) => prefix === group.prefix);
  const isAmongArchives = !group.classRates.mayMove || !option?.placements;
  const scenarios = isAmongArchives
    ? SCENARIOS.length
    : timesLeastInPlace(answersFor(context, bucket, option));
  const isUncertain = !bucket.region.isSure && isUncertainChange(context, bucket, change);
  return confidenceFor(scenarios, doubtsOf(context, bucket, isUncertain));
}

function isUncertainChange(
  { sure }: DecisionContext,
  bucket: PricedBucket,
  { group, change, stay, changed }: Change,
): boolean {
  const sureBucket = sure.bucket(bucket.inventory.name);
  const ofPrefix = sureBucket.groups.filter(({ prefix }) => prefix === group.prefix);
  const sameGroup = sureBucket.groups[bucket.groups.indexOf(group)];
  const surely = openChanges(sureBucket, ofPrefix, expiresAfterDays(bucket.inventory, group.prefix))
    .flat()
    .find(
      (each) => each.group === sameGroup && each.change.to.storageClass === change.to.storageClass,
    );
  return differ(stay, surely?.stay) || differ(changed, surely?.changed);
}

function timesLeastInPlace({ total, others }: ReturnType<typeof answersFor>): number {
  return timesLeast(total.inPlace, [total.stay, ...others]);
}

const DELETED: Readonly<Record<CleanUpKind, (bucket: PricedBucket) => readonly PricedObjects[]>> = {
  abort_multipart_uploads: ({ abortableParts }) => [abortableParts],
  expire_old_versions: ({ oldVersions }) => oldVersions.filter(({ isDeletable }) => isDeletable),
};

/** A clean-up is the cheapest in every scenario. */
function confidenceOfCleanUp(
  { sure }: DecisionContext,
  { kind, bucket }: CleanUpCandidate,
): Confidence {
  const certain = sure.bucket(bucket.inventory.name);
  const costOf = (of: PricedBucket) =>
    DELETED[kind](of).flatMap((objects) => [
      storageCost(of, [objects]).monthlyCostUsd,
      earlyDeletionUsd(of, [objects]),
    ]);
  const sureCosts = costOf(certain);
  const hasUncertainPrice = costOf(bucket).some((usd, at) => usd !== sureCosts[at]);
  return confidenceFor(SCENARIOS.length, { ...SURE, hasUncertainPrice });
}

function differ(a: Forecast, b: Forecast | undefined): boolean {
  if (!b) throw new Error('no forecast at sure prices');
  const isOther = (of: Scenarios, other: Scenarios) =>
    SCENARIOS.some((reads) => of[reads] !== other[reads]);
  return a.oneOffUsd !== b.oneOffUsd || isOther(a.monthly, b.monthly);
}
