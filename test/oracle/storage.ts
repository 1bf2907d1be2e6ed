import type { AgeBandIndex } from '../../domain/inventory/bands.ts';
import type { TierBytes } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import type {
  BucketInventory,
  Group,
  ObjectStatistics,
  OldVersions,
} from '../../domain/inventory/inventory.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import type { Discount } from './bill.ts';
import { Fraction } from './fraction.ts';
import * as prices from './prices.ts';
import { amount, AWS, gb, STANDARD, sum, TIERS, type Amount } from './prices.ts';
import type { Reads } from './reads.ts';
import { DAY_MS } from './rules.ts';

/** Sections 1 and 4 of the pricing rules: the cost of storage. */

const KIB = 1024;

/** Objects of one class and age in a region. */
export interface Held extends ObjectStatistics {
  readonly provider: ProviderName;
  readonly region: string;
  readonly storageClass: string;
  readonly ageBand: AgeBandIndex;
  /** By how much the tiers that were measured differ from those by age. */
  readonly tiered: prices.Figure;
  /** Of its bucket. */
  readonly reads: Reads;
  /** Its bucket is too young to tell what arrives in it from a first load. */
  readonly isYoung: boolean;
}

export type HeldGroup = Group & Held;
export type HeldVersions = OldVersions & Held;

/** A bucket whose groups know their region. */
export interface Bucket extends BucketInventory {
  readonly reads: Reads;
  readonly groups: readonly HeldGroup[];
  readonly copied: readonly HeldGroup[];
  readonly oldVersions: readonly HeldVersions[];
  /** Since when it is there; null for one that holds nothing and whose creation nobody knows. */
  readonly ageMs: number | null;
  readonly isYoung: boolean;
}

/** The age of a bucket: from its creation or its oldest content to the start of the scan. */
export function ageMsOf({ createdAt, oldestAt }: BucketInventory, startedAt: Date): number | null {
  const times = [createdAt, oldestAt].flatMap((time) => (time ? [time.getTime()] : []));
  return times.length === 0 ? null : startedAt.getTime() - Math.min(...times);
}

/** Of a younger bucket nobody can tell what arrives from a first load. */
export const YOUNG_DAYS = 60;
export const isAtLeast = ({ ageMs }: Pick<Bucket, 'ageMs'>, days: number): boolean =>
  ageMs !== null && ageMs >= days * DAY_MS;

export function locate(
  provider: ProviderName,
  bucket: BucketInventory,
  startedAt: Date,
  reads: Reads,
  tiered: prices.Figure,
): Bucket {
  const ageMs = ageMsOf(bucket, startedAt);
  const isYoung = !isAtLeast({ ageMs }, YOUNG_DAYS);
  const here = { provider, region: bucket.region, reads, tiered, isYoung };
  const held = (group: Group): HeldGroup => Object.assign({}, here, group);
  return {
    ...bucket,
    reads,
    groups: bucket.groups.map(held),
    copied: bucket.copied.map(held),
    oldVersions: bucket.oldVersions.map((one): HeldVersions => Object.assign({}, here, one)),
    ageMs,
    isYoung,
  };
}

export interface Scan {
  readonly source: ProviderName;
  readonly startedAt: Date;
  /** Where each target is priced. */
  readonly regionOf: (target: ProviderName) => string;
  /** Egress that the source does not charge, in GB. */
  readonly freeGb: Fraction;
  /** The stores that are left out because of their floor. */
  readonly leftOut: ReadonlySet<ProviderName>;
  /** The raw bytes of each class in each region over the whole scan; the bands of the bill apply to them. */
  readonly bytes: ReadonlyMap<string, bigint>;
  readonly horizonMonths: Fraction;
  readonly discount: Discount;
  /** Less than 70 % of what is billed for storage was listed. */
  readonly isLittleExplained: boolean;
  /** The bill has a line with a price below list. */
  readonly hasOwnPrices: boolean;
}

export function rawBytesOf(buckets: readonly BucketInventory[]): Scan['bytes'] {
  const bytes = new Map<string, bigint>();
  for (const { region, groups, oldVersions, incompleteUploads } of buckets) {
    const parts = { storageClass: STANDARD, bytes: incompleteUploads.bytes };
    for (const { storageClass, bytes: more } of [...groups, ...oldVersions, parts]) {
      const key = `${region} ${storageClass}`;
      bytes.set(key, (bytes.get(key) ?? 0n) + BigInt(more));
    }
  }
  return bytes;
}

/**
 * Section 8: a figure at the price that the customer pays: at the source with the discount of its line, and of its class
 * where the line has one; null is the factor of all lines.
 */
export function own(
  scan: Scan,
  place: prices.Place,
  line: PriceLine | null,
  found: prices.Figure,
): prices.Figure {
  if (place.provider !== scan.source) return found;
  const hasClass = line !== null && line !== 'egress' && line !== 'monitoring';
  const factor = scan.discount(place.region, line, hasClass ? place.storageClass : null);
  return prices.multiple(found, factor);
}

const rateOf = (scan: Scan, place: prices.Place, name?: string): prices.Figure =>
  own(scan, place, 'storage', prices.storageRate(place, name));

/** The storage rate of a new class or at a target: the first band. */
export const newRate = (scan: Scan, place: prices.Place): prices.Figure => rateOf(scan, place);

/** The rate of one of the tiers of INTELLIGENT_TIERING. */
export const tierRate = (scan: Scan, place: prices.Place, tier: keyof typeof TIERS) =>
  rateOf(scan, place, TIERS[tier]);

export const monitoring = (scan: Scan, place: prices.Place): prices.Figure =>
  own(scan, place, 'monitoring', prices.monitoringPerObject(place));

export const transition = (scan: Scan, place: prices.Place): prices.Figure =>
  own(scan, place, null, prices.perRequest(place, 'transitionInto'));

/** Neither archived nor of a class that the store's sheet does not have. */
export const isMovable = (group: Held): boolean =>
  prices.hasSheet(group) && !prices.isArchived(group);

/** The sheet that prices a class: its own, or STANDARD's where it has none. */
export function sheetOf({ provider, region, storageClass }: prices.Place): prices.Place {
  const place = { provider, region, storageClass };
  return prices.hasSheet(place) ? place : { provider, region, storageClass: STANDARD };
}

/** The blended rate of a class in a region. */
function blended(scan: Scan, place: prices.Place): prices.Figure {
  const { region, storageClass } = place;
  const listed = prices.storageRate(sheetOf(place));
  const raw = gb(scan.source, scan.bytes.get(`${region} ${storageClass}`) ?? 0n);
  const usd = raw.isZero() ? null : prices.banded(listed, raw).usd.dividedBy(raw);
  const rate = usd === null ? listed : { ...listed, bands: [{ uptoGb: null, usd }] };
  return own(scan, sheetOf(place), 'storage', rate);
}

/** The tier by age. */
const TIER_OF_BAND = ['frequent', 'infrequent', 'archiveInstant', 'archiveInstant'] as const;
export const INTELLIGENT_TIERING = 'INTELLIGENT_TIERING';
const UNTIERED = prices.flat(Fraction.of(1));

const tierOf = (ageBand: number) => TIER_OF_BAND[ageBand] ?? 'archiveInstant';

/** Section 8: what that class's large objects and versions cost in the tiers that were measured, as a multiple of that by age. */
export function tiersOf(
  bucket: BucketInventory,
  tiers: TierBytes | null,
  discount: Discount,
): prices.Figure {
  if (tiers === null) return UNTIERED;
  const { region, groups, oldVersions } = bucket;
  const place = { provider: AWS, region, storageClass: INTELLIGENT_TIERING };
  const held = [...groups, ...oldVersions].filter(
    ({ storageClass }) => storageClass === INTELLIGENT_TIERING,
  );
  const paid = (storageClass: string, name?: string) =>
    prices.multiple(
      prices.storageRate({ ...place, storageClass }, name),
      discount(region, 'storage', storageClass),
    );
  const inTier = (name: keyof typeof TIERS) => paid(INTELLIGENT_TIERING, TIERS[name]);
  const byAge = held.map(({ ageBand, bytes, smallBytes }) =>
    amount(gb(AWS, bytes - smallBytes), inTier(tierOf(ageBand))),
  );
  const small = held.reduce((total, { smallBytes }) => total + smallBytes, 0);
  const { usd, uncertain } = sum([
    amount(gb(AWS, Math.max(0, tiers.frequent - small)), inTier('frequent')),
    amount(gb(AWS, tiers.infrequent), inTier('infrequent')),
    amount(gb(AWS, tiers.archiveInstant), inTier('archiveInstant')),
    amount(gb(AWS, tiers.archive), paid('GLACIER')),
    amount(gb(AWS, tiers.deepArchive), paid('DEEP_ARCHIVE')),
  ]);
  const aged = sum(byAge).usd;
  return aged.isZero() ? UNTIERED : { ...prices.flat(usd.dividedBy(aged)), uncertain };
}

function tieredStorage(scan: Scan, held: Held): Amount {
  const large = gb(held.provider, held.bytes - held.smallBytes);
  const watched = Fraction.of(held.objects - held.smallObjects);
  return sum([
    amount(large, tierRate(scan, held, tierOf(held.ageBand)), held.tiered),
    amount(gb(held.provider, held.smallBytes), tierRate(scan, held, 'frequent')),
    amount(watched, monitoring(scan, held)),
  ]);
}

/** The objects that are smaller than the least that a class bills. */
export function belowMinimum(place: prices.Place, held: ObjectStatistics) {
  const minBytes = prices.minimumBytes(place);
  if (minBytes === 131_072) return { objects: held.smallObjects, bytes: held.smallBytes };
  const found = held.undersized?.find((counted) => counted.minBytes === minBytes);
  return found ?? { objects: 0, bytes: 0 };
}

/** The bytes that a class bills of some objects: at its own rate, and at that of STANDARD's first band. */
export function billedBytes(place: prices.Place, held: ObjectStatistics) {
  const kib = (part: string) => {
    const overhead = prices.figureOrNone(place, 'overheadKiB', part);
    const each = overhead === null ? 0 : prices.first(overhead).toDecimals(0) * KIB;
    return BigInt(held.objects) * BigInt(each);
  };
  const below = belowMinimum(place, held);
  const filled = BigInt(below.objects) * BigInt(prices.minimumBytes(place)) - BigInt(below.bytes);
  return {
    own: BigInt(held.bytes) + filled + kib('atClassRate'),
    standard: kib('atStandardRate'),
  };
}

/** Monthly storage of some objects in a class at a rate per GB, with its minimum sizes and overheads. */
export function storageAt(
  scan: Scan,
  place: prices.Place,
  held: ObjectStatistics,
  rate: prices.Figure,
): Amount {
  const billed = billedBytes(place, held);
  const standard = { ...place, storageClass: STANDARD };
  return sum([
    amount(gb(place.provider, billed.own), rate),
    billed.standard === 0n
      ? prices.NOTHING
      : amount(gb(place.provider, billed.standard), newRate(scan, standard)),
  ]);
}

/** Monthly storage and monitoring at the source. */
export const storage = (scan: Scan, held: Held): Amount =>
  held.provider === AWS && held.storageClass === INTELLIGENT_TIERING
    ? tieredStorage(scan, held)
    : storageAt(scan, sheetOf(held), held, blended(scan, held));

/** Parts of incomplete uploads are billed as STANDARD. */
export const partsStorage = (scan: Scan, region: string, bytes: number): Amount =>
  amount(
    gb(scan.source, bytes),
    blended(scan, { provider: scan.source, region, storageClass: STANDARD }),
  );

/** The early deletion of objects that are at least so old. */
export function earlyDeletion(scan: Scan, held: Held, ageDays: number): Amount {
  const minDays = prices.minimumDays(sheetOf(held));
  const days = prices.first(minDays).minus(Fraction.of(ageDays));
  if (!days.isPositive()) return prices.NOTHING;
  const month = storage(scan, held);
  const { usd } = prices.scaled(month, days.dividedBy(Fraction.of(30)));
  return { usd, uncertain: !usd.isZero() && (month.uncertain || minDays.uncertain) };
}
