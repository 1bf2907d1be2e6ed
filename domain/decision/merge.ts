import { AGE_BANDS, REST_PREFIX } from '../inventory/bands.ts';
import { totalsByClass, groupBy } from './bucket.ts';
import { changeCost, placementCost, savingsUsd } from './costs.ts';
import type {
  ChangeCandidate,
  InPlaceChange,
  MoveCandidate,
  MoveCost,
  PlacementCost,
  PrefixOptions,
  PricedBucket,
  PricedGroup,
} from './model.ts';

/** Candidates of one bucket; those without a selector cannot be recommended. */
export interface MergedMoves {
  readonly candidates: readonly MoveCandidate[];
  readonly withoutSelector: readonly MoveCandidate[];
  /** The prefixes that do not move and keep their changes in place. */
  readonly staying: readonly PrefixOptions[];
}

export interface MergedChanges {
  readonly candidates: readonly ChangeCandidate[];
  readonly withoutSelector: readonly ChangeCandidate[];
}

/**
 * | the prefixes that may move                                      | become                                |
 * |-----------------------------------------------------------------|---------------------------------------|
 * | all take the same provider, none is migrated or left alone      | one move of the whole bucket          |
 * | differ, or others are migrated or left alone                    | a move for each prefix that takes one |
 * | `*` takes one among others that are not merged                  | no selector: it keeps its changes     |
 */
export function mergeMoves(bucket: PricedBucket, options: readonly PrefixOptions[]): MergedMoves {
  const whole = wholeBucketMove(bucket, options);
  if (whole) return { candidates: [whole], withoutSelector: [], staying: [] };
  const candidates = options.flatMap((option) =>
    option.move ? [moveCandidate(bucket, option.prefix, [option], option.cost, option.move)] : [],
  );
  return {
    candidates: candidates.filter(({ prefix }) => prefix !== REST_PREFIX),
    withoutSelector: candidates.filter(({ prefix }) => prefix === REST_PREFIX),
    staying: options.filter(({ prefix, move }) => move === null || prefix === REST_PREFIX),
  };
}

function wholeBucketMove(
  bucket: PricedBucket,
  options: readonly PrefixOptions[],
): MoveCandidate | null {
  const provider = options[0]?.move?.target.provider;
  const isPartial = bucket.migratedPrefixes.size > 0 || bucket.leftAlone.size > 0;
  if (provider === undefined || isPartial) return null;
  if (options.some(({ move }) => move?.target.provider !== provider)) return null;
  const totals = totalsByClass(options.flatMap(({ groups }) => groups));
  const cost = placementCost(bucket.targets, bucket.region, totals);
  const move = cost.moves.find(({ target }) => target.provider === provider);
  return move ? moveCandidate(bucket, null, options, cost, move) : null;
}

function moveCandidate(
  bucket: PricedBucket,
  prefix: string | null,
  parts: readonly PrefixOptions[],
  cost: PlacementCost,
  move: MoveCost,
): MoveCandidate {
  return {
    kind: 'move',
    bucket,
    prefix,
    parts,
    cost,
    move,
    freeEgressGb: bucket.region.freeEgressGb,
    objects: cost.objects,
    bytes: cost.bytes,
    savingsUsd: savingsUsd(cost.stay, move.monthly),
  };
}

/**
 * Band by band, changes to one class become one of the whole bucket if every group of that class
 * and band takes it: groups of small objects and of moving prefixes included. None does if a prefix is left alone,
 * which the rule would cover. Then bands with the same change merge, over empty bands between them.
 */
export function mergeChanges(
  bucket: PricedBucket,
  changes: readonly InPlaceChange[],
): MergedChanges {
  const changeByGroup = new Map(changes.map((change) => [change.group, change]));
  const byClass = groupBy(bucket.groups, ({ classRates }) => classRates.storageClass);
  const candidates = [...byClass.values()].flatMap((groups) =>
    changesOfClass(bucket, groups, changeByGroup),
  );
  return {
    candidates: candidates.filter(({ prefix }) => prefix !== REST_PREFIX),
    withoutSelector: candidates.filter(({ prefix }) => prefix === REST_PREFIX),
  };
}

function changesOfClass(
  bucket: PricedBucket,
  groups: readonly PricedGroup[],
  changeByGroup: ReadonlyMap<PricedGroup, InPlaceChange>,
): readonly ChangeCandidate[] {
  const bands = AGE_BANDS.map((_, band) => groups.filter(({ ageBand }) => ageBand === band));
  const shared = bands
    .filter((ofBand) => ofBand.length > 0 && bucket.leftAlone.size === 0)
    .map((ofBand) => sharedChanges(ofBand, changeByGroup));
  const isShared = new Set(shared.flat());
  const ownChange = (group: PricedGroup) => {
    const change = changeByGroup.get(group);
    return change && !isShared.has(change) ? [change] : [];
  };
  const ofPrefixes = [...groupBy(groups, ({ prefix }) => prefix)];
  return [
    ...mergeBands(shared).map((parts) => changeCandidate(bucket, null, parts)),
    ...ofPrefixes.flatMap(([prefix, ofPrefix]) =>
      mergeBands(ofPrefix.map(ownChange)).map((parts) => changeCandidate(bucket, prefix, parts)),
    ),
  ];
}

/** The changes of some groups if each of them takes the same class, else none. */
function sharedChanges(
  groups: readonly PricedGroup[],
  changeByGroup: ReadonlyMap<PricedGroup, InPlaceChange>,
): readonly InPlaceChange[] {
  const found = groups.flatMap((group) => changeByGroup.get(group) ?? []);
  const isSame = found.every((change) => commonClass([change]) === commonClass(found));
  return isSame && found.length === groups.length ? found : [];
}

/** Merges neighbours with the same class; each item holds the changes of one age band. */
function mergeBands(
  bands: readonly (readonly InPlaceChange[])[],
): readonly (readonly InPlaceChange[])[] {
  const merged: InPlaceChange[][] = [];
  for (const changes of bands) {
    const last = merged.at(-1);
    if (last && commonClass(last) === commonClass(changes)) last.push(...changes);
    else merged.push([...changes]);
  }
  return merged.filter((changes) => changes.length > 0);
}

/** The class that some changes lead to; undefined if there are none. */
function commonClass(changes: readonly InPlaceChange[]): string | undefined {
  return changes[0]?.change.to.storageClass;
}

function changeCandidate(
  bucket: PricedBucket,
  prefix: string | null,
  parts: readonly InPlaceChange[],
): ChangeCandidate {
  const groups = parts.map(({ group }) => group);
  const toClass = commonClass(parts) ?? '';
  const cost = changeCost(totalsByClass(groups), toClass);
  return {
    kind: 'change_class',
    bucket,
    prefix,
    fromClass: groups[0]?.classRates.storageClass ?? '',
    toClass,
    firstBand: Math.min(...groups.map(({ ageBand }) => ageBand)),
    lastBand: Math.max(...groups.map(({ ageBand }) => ageBand)),
    parts,
    cost,
    objects: cost.objects,
    bytes: cost.bytes,
    savingsUsd: savingsUsd(cost.stay, cost.changed),
  };
}
