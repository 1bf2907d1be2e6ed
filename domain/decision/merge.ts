import { groupBy, itemOf } from '../common/sums.ts';
import { AGE_BANDS, REST_PREFIX } from '../inventory/bands.ts';
import { movable } from './bucket.ts';
import { placementsOf, savingsUsd, sumForecasts, withoutFlow } from './costs.ts';
import type {
  Change,
  ChangeCandidate,
  DecisionContext,
  Move,
  MoveCandidate,
  Placements,
  PrefixOptions,
  PricedBucket,
  PricedGroup,
} from './model.ts';
import { isTiered } from './storage-rates.ts';

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
export function mergeMoves(
  context: DecisionContext,
  bucket: PricedBucket,
  options: readonly PrefixOptions[],
): MergedMoves {
  const whole = wholeBucketMove(context, bucket, options);
  if (whole) {
    const staying = options.filter(({ placements }) => placements === null);
    return { candidates: [whole], withoutSelector: [], staying };
  }
  const candidates = options.flatMap((option) =>
    option.move && option.placements
      ? [moveCandidate(bucket, option.prefix, [option], option.placements, option.move)]
      : [],
  );
  return {
    candidates: candidates.filter(({ prefix }) => prefix !== REST_PREFIX),
    withoutSelector: candidates.filter(({ prefix }) => prefix === REST_PREFIX),
    staying: options.filter(({ prefix, move }) => move === null || prefix === REST_PREFIX),
  };
}

function wholeBucketMove(
  { targets }: DecisionContext,
  bucket: PricedBucket,
  options: readonly PrefixOptions[],
): MoveCandidate | null {
  const moving = options.filter(({ placements }) => placements !== null);
  const provider = moving[0]?.move?.target.provider;
  const isPartial = bucket.migratedPrefixes.size > 0 || bucket.leftAlonePrefixes.size > 0;
  if (provider === undefined || isPartial) return null;
  if (moving.some(({ move }) => move?.target.provider !== provider)) return null;
  const placements = placementsOf(targets, bucket, movable(bucket.totals));
  const move = placements.moves.find(({ target }) => target.provider === provider);
  return move ? moveCandidate(bucket, null, moving, placements, move) : null;
}

function moveCandidate(
  bucket: PricedBucket,
  prefix: string | null,
  parts: readonly PrefixOptions[],
  placements: Placements,
  move: Move,
): MoveCandidate {
  return {
    kind: 'move',
    bucket,
    prefix,
    parts,
    placements,
    move,
    freeEgressGb: bucket.region.freeEgressGb,
    objects: placements.total.objects,
    bytes: placements.total.bytes,
    savingsUsd: savingsUsd(placements.stay, move),
  };
}

/**
 * Band by band, changes to one class become one of the whole bucket if every group of that class
 * and band takes it: groups of small objects and of moving prefixes included. None does if the
 * bucket holds files of this service, which the rule would cover. Then bands with the same change
 * merge, over empty bands between them.
 */
export function mergeChanges(bucket: PricedBucket, changes: readonly Change[]): MergedChanges {
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
  changeByGroup: ReadonlyMap<PricedGroup, Change>,
): readonly ChangeCandidate[] {
  const bands = AGE_BANDS.map((_, band) => groups.filter(({ ageBand }) => ageBand === band));
  const shared = bands
    .filter((ofBand) => ofBand.length > 0 && !bucket.inventory.isRouted)
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
  changeByGroup: ReadonlyMap<PricedGroup, Change>,
): readonly Change[] {
  const changes = groups.flatMap((group) => changeByGroup.get(group) ?? []);
  const isSame = changes.every((change) => commonClass([change]) === commonClass(changes));
  return isSame && changes.length === groups.length ? changes : [];
}

/** Merges neighbours with the same class; each item holds the changes of one age band. */
function mergeBands(bands: readonly (readonly Change[])[]): readonly (readonly Change[])[] {
  const merged: Change[][] = [];
  for (const changes of bands) {
    const last = merged.at(-1);
    if (last && commonClass(last) === commonClass(changes)) last.push(...changes);
    else merged.push([...changes]);
  }
  return merged.filter((changes) => changes.length > 0);
}

/** The class that some changes lead to; undefined if there are none. */
function commonClass(changes: readonly Change[]): string | undefined {
  return changes[0]?.change.to.storageClass;
}

/** The sum of its parts; what goes on arriving is changed once, in the first band. */
function changeCandidate(
  bucket: PricedBucket,
  prefix: string | null,
  parts: readonly Change[],
): ChangeCandidate {
  const bands = parts.map(({ group }) => group.ageBand).sort((a, b) => a - b);
  const firstBand = itemOf(bands, 0);
  const stay = sumForecasts(parts.map((part) => part.stay));
  const changed = sumForecasts(
    parts.map((part) => (part.group.ageBand === firstBand ? part.changed : withoutFlow(part))),
  );
  const { group, change } = itemOf(parts, 0);
  return {
    kind: 'change_class',
    bucket,
    prefix,
    fromClass: group.classRates.storageClass,
    toClass: commonClass(parts) ?? '',
    firstBand,
    lastBand: itemOf(bands, bands.length - 1),
    parts,
    stay,
    changed,
    objects: parts.reduce((sum, { objects }) => sum + objects, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    savingsUsd: savingsUsd(stay, changed) * (isTiered(change.to.sheet) ? TIERED_SHARE : 1),
  };
}

/** The tiers depend on future reads: half of the saving is promised. */
const TIERED_SHARE = 1 / 2;
