import type { Count, Expiration, Group } from '../../domain/inventory/inventory.ts';
import { Fraction } from './fraction.ts';
import { REST } from './inventory.ts';
import { exact } from './prices.ts';
import { isAtLeast, isMovable, type Bucket, type HeldGroup } from './storage.ts';

/** Section 3 of the pricing rules: what arrives in a bucket, what reaches an age, and what the customer's rules delete. */

/** n0 and B0 of some groups. */
export function arrivals(groups: readonly HeldGroup[]): Count {
  const young = groups.filter(({ ageBand, isYoung }) => ageBand === 0 && !isYoung);
  return {
    objects: young.reduce((total, { objects }) => total + objects, 0),
    bytes: young.reduce((total, { bytes }) => total + bytes, 0),
  };
}

/** Objects and bytes of a month. */
export interface Flow {
  readonly objects: Fraction;
  readonly bytes: Fraction;
}

/** From which band objects reach the start of a band, and how much of it in a month. */
const REACHED_FROM = [
  { band: 0, share: Fraction.of(1) },
  { band: 0, share: Fraction.of(1) },
  { band: 1, share: Fraction.of('0.5') },
  { band: 2, share: Fraction.of(6).dividedBy(Fraction.of(55)) },
];

/** F: the large objects of a prefix and class that reach the start of a band in a month. */
export function reaching(bucket: Bucket, group: Group): Flow {
  const { band, share } = REACHED_FROM[group.ageBand] ?? { band: 0, share: Fraction.ZERO };
  const below = bucket.groups.find(
    ({ prefix, storageClass, ageBand }) =>
      prefix === group.prefix && storageClass === group.storageClass && ageBand === band,
  );
  if (below === undefined || bucket.isYoung)
    return { objects: Fraction.ZERO, bytes: Fraction.ZERO };
  return {
    objects: Fraction.of(below.objects - below.smallObjects).times(share),
    bytes: Fraction.of(below.bytes - below.smallBytes).times(share),
  };
}

/** Whether the expiration's prefix, its other conditions aside, is over the whole of a prefix of keys. */
const isOver = ({ prefix: rule }: Expiration, prefix: string): boolean =>
  rule === '' || (prefix !== REST && prefix.startsWith(rule));

const covers = (expiration: Expiration, prefix: string): boolean =>
  !expiration.isConditional && isOver(expiration, prefix);

export function touches({ groups }: Bucket, expiration: Expiration, prefix: string): boolean {
  const rule = expiration.prefix;
  if (prefix !== REST) return isOver(expiration, prefix) || rule.startsWith(prefix);
  const others = groups.map((group) => group.prefix).filter((name) => name !== REST);
  return rule === '' || !others.some((name) => rule.startsWith(name));
}

/** E(prefix); null is infinite. */
export function expiryDays({ expirations }: Bucket, prefix: string): Fraction | null {
  const all = expirations.filter((one) => covers(one, prefix)).map(({ days }) => exact(days));
  return all.length === 0 ? null : all.reduce((least, days) => least.min(days));
}

/** Whether the bytes of a prefix are all younger than the bucket allows to be chance. */
export function isShortLived(bucket: Bucket, prefix: string): boolean {
  const bytesIn = (...bands: readonly number[]) =>
    bucket.groups
      .filter((group) => group.prefix === prefix && bands.includes(group.ageBand))
      .reduce((total, { bytes }) => total + bytes, 0);
  if (bytesIn(0, 1, 2, 3) === 0) return false;
  return (
    (isAtLeast(bucket, 60) && bytesIn(1, 2, 3) === 0) ||
    (isAtLeast(bucket, 180) && bytesIn(2, 3) === 0)
  );
}

/** The groups of a bucket by prefix. */
export function prefixesIn(groups: readonly HeldGroup[]): ReadonlyMap<string, HeldGroup[]> {
  const found = new Map<string, HeldGroup[]>();
  for (const group of groups) found.set(group.prefix, [...(found.get(group.prefix) ?? []), group]);
  return found;
}

/** Whether a migration has copied objects of the prefix, or was to: then nothing is recommended there. */
export function isMigrated({ copied, moved = [] }: Bucket, prefix: string): boolean {
  return (
    copied.some((group) => group.prefix === prefix) ||
    moved.some((migration) => [null, prefix].includes(migration.prefix))
  );
}

export const movableOf = (groups: readonly HeldGroup[]): readonly HeldGroup[] =>
  groups.filter(isMovable);
