import { UPLOADS_PREFIX } from '../common/file-keys.ts';
import { DAY_MS } from '../common/time.ts';
import { REST_PREFIX } from '../inventory/bands.ts';
import { KEY_MARKS, type BucketInventory, type Expiration } from '../inventory/inventory.ts';
import type { LeftAlonePatterns } from '../inventory/key-marks.ts';
import type { PricedGroup } from './model.ts';
import type { LeftAloneCode } from './types.ts';

/** What an expert does not touch (`docs/pricing.md`). */

/** Younger buckets may hold a first load: what was written lately is no flow. */
const YOUNG_DAYS = 60;
/**
 * A prefix in the first age bands of a bucket of at least this age is deleted before it is older.
 */
const SHORT_LIVED = [
  { bucketDays: 60, bands: 1 },
  { bucketDays: 180, bands: 2 },
] as const;
/** An object that expires later is worth a move. */
const EXPIRES_WITHIN_DAYS = 730;

/** Why nothing of a bucket moves; null: no reason. */
export function bucketCode(
  { name, use }: BucketInventory,
  { toolOf }: LeftAlonePatterns,
): LeftAloneCode | null {
  if (use.isKept) return 'kept';
  if (use.isLocked) return 'locked';
  if (use.isReplicated) return 'replicated';
  return toolOf(name) ? 'tool' : null;
}

/** Why a prefix of a bucket is left alone; null: no reason. */
export function prefixCode(
  inventory: BucketInventory,
  prefix: string,
  ofPrefix: readonly PricedGroup[],
  startedAt: Date,
): LeftAloneCode | null {
  if (inventory.isRouted && prefix === UPLOADS_PREFIX) return 'routed';
  const { marks = [] } = inventory.marks.find((each) => each.prefix === prefix) ?? {};
  const marked = KEY_MARKS.find((mark) => marks.includes(mark));
  if (marked) return marked;
  const touching = inventory.expirations.filter((each) => touches(inventory, each, prefix));
  if (touching.some(({ days }) => days <= EXPIRES_WITHIN_DAYS)) return 'expires';
  return isShortLived(inventory, ofPrefix, startedAt) ? 'short_lived' : null;
}

/** Whether a rule that deletes later than that touches the prefix. */
export function expiresLater(inventory: BucketInventory, prefix: string): boolean {
  return inventory.expirations.some(
    (each) => each.days > EXPIRES_WITHIN_DAYS && touches(inventory, each, prefix),
  );
}

/** The days after which a rule deletes every object of a prefix; infinite without one. */
export function expiresAfterDays({ expirations }: BucketInventory, prefix: string): number {
  const covering = expirations.filter((each) => !each.isConditional && isWithin(each, prefix));
  return Math.min(Infinity, ...covering.map(({ days }) => days));
}

/** Whether what was written lately may be a first load. */
export function isYoung(inventory: BucketInventory, startedAt: Date): boolean {
  return ageDays(inventory, startedAt) < YOUNG_DAYS;
}

function ageDays({ createdAt, oldestAt }: BucketInventory, startedAt: Date): number {
  const times = [createdAt, oldestAt].flatMap((at) => at?.getTime() ?? []);
  return (startedAt.getTime() - Math.min(startedAt.getTime(), ...times)) / DAY_MS;
}

/** Whether a prefix is young in an older bucket: it is deleted before a change pays. */
export function isShortLived(
  inventory: BucketInventory,
  ofPrefix: readonly PricedGroup[],
  startedAt: Date,
): boolean {
  const held = ofPrefix.filter(({ statistics }) => statistics.bytes > 0);
  const age = ageDays(inventory, startedAt);
  return (
    held.length > 0 &&
    SHORT_LIVED.some(
      ({ bucketDays, bands }) => age >= bucketDays && held.every(({ ageBand }) => ageBand < bands),
    )
  );
}

/** Whether a rule deletes something that is or may come below a prefix. */
function touches({ groups }: BucketInventory, { prefix: of }: Expiration, prefix: string): boolean {
  if (isWithin({ prefix: of }, prefix)) return true;
  if (prefix !== REST_PREFIX) return of.startsWith(prefix);
  return !groups.some((group) => group.prefix !== REST_PREFIX && of.startsWith(group.prefix));
}

/** Whether all keys of a prefix begin with that of a rule. Of the keys of `*` nothing is known. */
function isWithin({ prefix: of }: Pick<Expiration, 'prefix'>, prefix: string): boolean {
  return of === '' || (prefix !== REST_PREFIX && prefix.startsWith(of));
}
