import type { TierBytes } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import type { BucketInventory, Group, ObjectStatistics } from '../../domain/inventory/inventory.ts';
import type { Discount } from './bill.ts';
import { Fraction } from './fraction.ts';
import { UPLOADS } from './inventory.ts';
import * as prices from './prices.ts';
import { amount, AWS, gb, sum, thousands, type Amount } from './prices.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { Reads } from './reads.ts';

/** Sections 1 and 3 of the pricing rules: the cost of storage. */

export const STANDARD = 'STANDARD';
const KIB = 1024;

/** Objects of one class and age in a region. */
export interface Held extends ObjectStatistics {
  readonly provider: ProviderName;
  readonly region: string;
  readonly storageClass: string;
  readonly ageBand: number;
  /** By how much the tiers that were measured differ from those by age. */
  readonly tiered?: prices.Figure;
  /** Of its bucket. */
  readonly reads?: Reads;
}

export type HeldGroup = Group & Held;

/** A bucket whose groups know their region. */
export interface Bucket extends BucketInventory {
  readonly reads: Reads;
  readonly groups: readonly HeldGroup[];
  readonly copied: readonly HeldGroup[];
}

export function locate(
  provider: ProviderName,
  bucket: BucketInventory,
  reads: Reads,
  tiered: prices.Figure,
): Bucket {
  const own = { provider, region: bucket.region, reads, tiered };
  const here = (group: Group): HeldGroup => Object.assign({}, own, group);
  return { ...bucket, reads, groups: bucket.groups.map(here), copied: bucket.copied.map(here) };
}

export interface Scan {
  readonly source: ProviderName;
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

/** The lines that figures belong to; transitions take the factor of all lines. */
const LINES: Readonly<Record<string, PriceLine | null>> = {
  transitionPer1000: null,
  egressPerGb: 'egress',
  putPer1000: 'put',
  getPer1000: 'get',
  listPer1000: 'put',
  retrievalPerGb: 'retrieval',
  monitoringPer1000ObjectsMonth: 'monitoring',
};

/** A figure at the price that the customer pays: at the source with the discount of its line. */
export function own(scan: Scan, place: prices.Place, name: string, found: prices.Figure) {
  if (place.provider !== scan.source) return found;
  const { [name]: line = 'storage' } = LINES;
  const hasClass = line !== null && line !== 'egress' && line !== 'monitoring';
  const factor = scan.discount(place.region, line, hasClass ? place.storageClass : null);
  return prices.multiple(found, factor);
}

/** A figure of a place at the customer's own price. @throws where there is none. */
export const figure = (scan: Scan, place: prices.Place, name: string): prices.Figure =>
  own(scan, place, name, prices.figure(place, name));

/** Files of the service stay where they are. */
export const isRouted = (bucket: BucketInventory, { prefix }: Group): boolean =>
  bucket.isRouted === true && prefix === UPLOADS;

export const mayMove = (group: HeldGroup): boolean =>
  prices.hasSheet(group) && !prices.isArchived(group);

/** The sheet that prices a class: its own, or STANDARD's where it has none. */
export function sheetOf({ provider, region, storageClass }: prices.Place): prices.Place {
  const own = { provider, region, storageClass };
  return prices.hasSheet(own) ? own : { provider, region, storageClass: STANDARD };
}

/** The blended rate of a class in a region. */
function blended(scan: Scan, place: prices.Place): prices.Figure {
  const { region, storageClass } = place;
  const listed = prices.figure(sheetOf(place), 'storagePerGbMonth');
  const raw = gb(scan.source, scan.bytes.get(`${region} ${storageClass}`) ?? 0n);
  const usd = raw.isZero() ? null : prices.banded(listed, raw).usd.dividedBy(raw);
  const rate = usd === null ? listed : { ...listed, bands: [{ uptoGb: null, usd }] };
  return own(scan, sheetOf(place), 'storagePerGbMonth', rate);
}

const TIERS = ['frequent', 'infrequent', 'archiveInstant', 'archiveInstant'];
const UNTIERED = prices.flat(Fraction.of(1));

/** What the large objects of that class cost in the tiers that were measured, as a multiple of that by age. */
export function tiersOf({ region, groups }: BucketInventory, tiers: TierBytes | null) {
  if (tiers === null) return UNTIERED;
  const held = groups.filter(({ storageClass }) => storageClass === 'INTELLIGENT_TIERING');
  const rate = (storageClass: string, name: string) =>
    prices.figure({ provider: AWS, region, storageClass }, `${name}PerGbMonth`);
  const inTier = (name: string) => rate('INTELLIGENT_TIERING', name);
  const byAge = held.map(({ ageBand, bytes, smallBytes }) =>
    amount(gb(AWS, bytes - smallBytes), inTier(TIERS[ageBand] ?? '')),
  );
  const small = held.reduce((total, { smallBytes }) => total + smallBytes, 0);
  const { usd, uncertain } = sum([
    amount(gb(AWS, Math.max(0, tiers.frequent - small)), inTier('frequent')),
    amount(gb(AWS, tiers.infrequent), inTier('infrequent')),
    amount(gb(AWS, tiers.archiveInstant), inTier('archiveInstant')),
    amount(gb(AWS, tiers.archive), rate('GLACIER', 'storage')),
    amount(gb(AWS, tiers.deepArchive), rate('DEEP_ARCHIVE', 'storage')),
  ]);
  const aged = sum(byAge).usd;
  return aged.isZero() ? UNTIERED : { ...prices.flat(usd.dividedBy(aged)), uncertain };
}

function tieredStorage(scan: Scan, held: Held): Amount {
  const rate = (name: string) => figure(scan, held, name);
  const { tiered = UNTIERED } = held;
  const large = gb(held.provider, held.bytes - held.smallBytes);
  return sum([
    amount(large, rate(`${TIERS[held.ageBand]}PerGbMonth`), tiered),
    amount(gb(held.provider, held.smallBytes), rate('frequentPerGbMonth')),
    amount(thousands(held.objects - held.smallObjects), rate('monitoringPer1000ObjectsMonth')),
  ]);
}

/** The objects that are smaller than the least that a class bills. */
export function belowMinimum(place: prices.Place, held: ObjectStatistics) {
  const minBytes = prices.minimumBytes(place);
  if (minBytes === 131_072) return { objects: held.smallObjects, bytes: held.smallBytes };
  const found = held.undersized?.find((counted) => counted.minBytes === minBytes);
  return found ?? { objects: 0, bytes: 0 };
}

/** Monthly storage of some objects in a class at a rate per GB: the larger of their size and the least that it bills. */
export function storageAt(
  scan: Scan,
  place: prices.Place,
  held: ObjectStatistics,
  rate: prices.Figure,
): Amount {
  const { provider, region } = place;
  const { objects, bytes } = held;
  const gbOfKib = (many: number) => gb(provider, BigInt(many) * BigInt(KIB));
  const atClassRate = prices.figureOrNone(place, 'overheadKiB', 'atClassRate');
  const atStandardRate = prices.figureOrNone(place, 'overheadKiB', 'atStandardRate');
  if (atClassRate !== null && atStandardRate !== null) {
    const standard = { provider, region, storageClass: STANDARD };
    return sum([
      amount(gb(provider, bytes), rate),
      amount(gbOfKib(objects), atClassRate, rate),
      amount(gbOfKib(objects), atStandardRate, figure(scan, standard, 'storagePerGbMonth')),
    ]);
  }
  const minimumKiB = prices.figureOrNone(place, 'minBillableKiB');
  if (minimumKiB === null) return amount(gb(provider, bytes), rate);
  const below = belowMinimum(place, held);
  return sum([
    amount(gb(provider, bytes - below.bytes), rate),
    amount(gbOfKib(below.objects), minimumKiB, rate),
  ]);
}

/** Monthly storage and monitoring at the source. */
export function storage(scan: Scan, held: Held): Amount {
  return prices.figureOrNone(held, 'frequentPerGbMonth')
    ? tieredStorage(scan, held)
    : storageAt(scan, sheetOf(held), held, blended(scan, held));
}

/** Parts of incomplete uploads are billed as STANDARD. */
export const partsStorage = (scan: Scan, region: string, bytes: number): Amount =>
  amount(
    gb(scan.source, bytes),
    blended(scan, { provider: scan.source, region, storageClass: STANDARD }),
  );
