import type { Group } from '../inventory/inventory.ts';
import type { ClassChange } from './types.ts';

/** What a lifecycle rule of S3 changes besides: it selects by neither class nor highest age. */

/**
 * The classes from which a lifecycle rule changes objects to a class.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
 */
const CHANGED_FROM: Readonly<Record<string, readonly string[]>> = {
  STANDARD_IA: ['STANDARD', 'REDUCED_REDUNDANCY'],
  INTELLIGENT_TIERING: ['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA'],
  GLACIER_IR: ['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'INTELLIGENT_TIERING'],
  DEEP_ARCHIVE: [
    'STANDARD',
    'REDUCED_REDUNDANCY',
    'STANDARD_IA',
    'INTELLIGENT_TIERING',
    'ONEZONE_IA',
    'GLACIER_IR',
    'GLACIER',
  ],
};

/**
 * The changes that one rule makes if all that it changes is recommended to be changed so: the
 * candidate, and those of the same class at higher ages that are needed for that.
 */
export function changesOfRule(
  candidate: ClassChange,
  recommended: readonly ClassChange[],
): readonly ClassChange[] | null {
  const { prefix, fromClass, lastBand } = candidate;
  const others = ofBucket(candidate, recommended);
  const later = others
    .filter((each) => each.prefix === prefix && each.fromClass === fromClass)
    .filter(({ firstBand }) => firstBand > lastBand)
    .sort((a, b) => a.firstBand - b.firstBand);
  for (let count = 0; count <= later.length; count += 1) {
    const changes = [candidate, ...later.slice(0, count)] as const;
    if (isChain(changes) && isAdvised(changes, [candidate, ...others])) return changes;
  }
  return null;
}

function ofBucket(
  { bucket }: ClassChange,
  recommended: readonly ClassChange[],
): readonly ClassChange[] {
  return recommended.filter((each) => each.bucket.inventory.name === bucket.inventory.name);
}

/** Whether each change continues from the class of the one before, as S3 requires of a rule. */
function isChain(changes: readonly ClassChange[]): boolean {
  return changes.every(({ toClass }, at) => {
    const previous = changes[at - 1];
    return !previous || isChangedFrom(previous.toClass, toClass);
  });
}

/** Whether a rule of some changes, each at a higher age, changes only what is recommended. */
function isAdvised(
  changes: readonly [ClassChange, ...ClassChange[]],
  recommended: readonly ClassChange[],
): boolean {
  return groupsBelow(changes[0]).every((group) => {
    const ruled = changes.findLast((change) => isRuled(change, group));
    return !ruled || hasNoLarge(group) || isSelectedFor(ruled.toClass, recommended, group);
  });
}

/** How many objects a rule without a tag would change although that is not recommended. */
export function changedBeside(candidate: ClassChange, recommended: readonly ClassChange[]): number {
  const advised = [candidate, ...ofBucket(candidate, recommended)];
  return groupsBelow(candidate)
    .filter((group) => isRuled(candidate, group))
    .filter((group) => !isSelectedFor(candidate.toClass, advised, group))
    .reduce((sum, { objects, smallObjects }) => sum + objects - smallObjects, 0);
}

/** All that is below the prefix of a change. */
export function groupsBelow({ bucket, prefix }: ClassChange): readonly Group[] {
  const { groups } = bucket.inventory;
  return prefix === null ? groups : groups.filter((group) => group.prefix === prefix);
}

function hasNoLarge({ objects, smallObjects }: Group): boolean {
  return objects === smallObjects;
}

/** Whether some change to a class selects the objects of a group. */
function isSelectedFor(
  toClass: string,
  changes: readonly ClassChange[],
  { prefix, storageClass, ageBand }: Group,
): boolean {
  return changes.some(
    (change) =>
      change.toClass === toClass &&
      change.fromClass === storageClass &&
      (change.prefix === null || change.prefix === prefix) &&
      ageBand >= change.firstBand &&
      ageBand <= change.lastBand,
  );
}

/** Whether a rule changes the larger objects of a group, by their age and class. */
function isRuled({ firstBand, toClass }: ClassChange, group: Group): boolean {
  return group.ageBand >= firstBand && isChangedFrom(group.storageClass, toClass);
}

function isChangedFrom(fromClass: string, toClass: string): boolean {
  return (CHANGED_FROM[toClass] ?? []).includes(fromClass);
}
