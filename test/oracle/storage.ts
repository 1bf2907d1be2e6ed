import type { TierBytes } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import type { BucketInventory, Group, ObjectStatistics } from '../../domain/inventory/inventory.ts';
import type { Discount } from './bill.ts';
import { Fraction } from './fraction.ts';
import * as prices from './prices.ts';
import { amount, gb, SOURCE, sourceAt, sum, thousands, type Amount } from './prices.ts';
import type { Reads } from './reads.ts';

/** Sections 1 and 3 of the pricing rules: the cost of storage. */

export const STANDARD = 'STANDARD';
const KIB = 1024;

/** Objects of one class and age in a region. */
export interface Held extends ObjectStatistics {
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

export function locate(bucket: BucketInventory, reads: Reads, tiered: prices.Figure): Bucket {
  const own = { region: bucket.region, reads, tiered };
  const here = (group: Group): HeldGroup => Object.assign({}, own, group);
  return { ...bucket, reads, groups: bucket.groups.map(here), copied: bucket.copied.map(here) };
}

export interface Scan {
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
  retrievalPerGb: 'retrieval',
  monitoringPer1000ObjectsMonth: 'monitoring',
};

/** A figure at the price that the customer pays: at the source with the discount of its line. */
export function own(scan: Scan, place: prices.Place, name: string, found: prices.Figure) {
  if (place.provider !== SOURCE) return found;
  const { [name]: line = 'storage' } = LINES;
  const hasClass = line !== null && line !== 'egress' && line !== 'monitoring';
  const factor = scan.discount(place.region, line, hasClass ? place.storageClass : null);
  return prices.multiple(found, factor);
}

/** A figure of a place at the customer's own price. @throws where there is none. */
export const figure = (scan: Scan, place: prices.Place, name: string): prices.Figure =>
  own(scan, place, name, prices.figure(place, name));

export const mayMove = (group: HeldGroup): boolean =>
  prices.hasSheet({ provider: SOURCE, ...group }) && !prices.isArchived(group);

/** The sheet that prices a class: its own, or STANDARD's where it has none. */
export function sheetOf(region: string, storageClass: string): prices.Place {
  const own = sourceAt(region, storageClass);
  return prices.hasSheet(own) ? own : sourceAt(region, STANDARD);
}

/** The blended rate of a class in a region. */
function blended(scan: Scan, region: string, storageClass: string): prices.Figure {
  const listed = prices.figure(sheetOf(region, storageClass), 'storagePerGbMonth');
  const raw = gb(SOURCE, scan.bytes.get(`${region} ${storageClass}`) ?? 0n);
  const usd = raw.isZero() ? null : prices.banded(listed, raw).usd.dividedBy(raw);
  const rate = usd === null ? listed : { ...listed, bands: [{ uptoGb: null, usd }] };
  return own(scan, sheetOf(region, storageClass), 'storagePerGbMonth', rate);
}

const TIERS = ['frequent', 'infrequent', 'archiveInstant', 'archiveInstant'];
const UNTIERED = prices.flat(Fraction.of(1));

/** What the large objects of that class cost in the tiers that were measured, as a multiple of that by age. */
export function tiersOf({ region, groups }: BucketInventory, tiers: TierBytes | null) {
  if (tiers === null) return UNTIERED;
  const held = groups.filter(({ storageClass }) => storageClass === 'INTELLIGENT_TIERING');
  const rate = (storageClass: string, name: string) =>
    prices.figure(sourceAt(region, storageClass), `${name}PerGbMonth`);
  const inTier = (name: string) => rate('INTELLIGENT_TIERING', name);
  const byAge = held.map(({ ageBand, bytes, smallBytes }) =>
    amount(gb(SOURCE, bytes - smallBytes), inTier(TIERS[ageBand] ?? '')),
  );
  const small = held.reduce((total, { smallBytes }) => total + smallBytes, 0);
  const { usd, uncertain } = sum([
    amount(gb(SOURCE, Math.max(0, tiers.frequent - small)), inTier('frequent')),
    amount(gb(SOURCE, tiers.infrequent), inTier('infrequent')),
    amount(gb(SOURCE, tiers.archiveInstant), inTier('archiveInstant')),
    amount(gb(SOURCE, tiers.archive), rate('GLACIER', 'storage')),
    amount(gb(SOURCE, tiers.deepArchive), rate('DEEP_ARCHIVE', 'storage')),
  ]);
  const aged = sum(byAge).usd;
  return aged.isZero() ? UNTIERED : { ...prices.flat(usd.dividedBy(aged)), uncertain };
}

function tieredStorage(scan: Scan, { region, storageClass, ...held }: Held): Amount {
  const rate = (name: string) => figure(scan, sourceAt(region, storageClass), name);
  const { tiered = UNTIERED } = held;
  const large = gb(SOURCE, held.bytes - held.smallBytes);
  return sum([
    amount(large, rate(`${TIERS[held.ageBand]}PerGbMonth`), tiered),
    amount(gb(SOURCE, held.smallBytes), rate('frequentPerGbMonth')),
    amount(thousands(held.objects - held.smallObjects), rate('monitoringPer1000ObjectsMonth')),
  ]);
}

/** Monthly storage and monitoring at a rate per GB. */
export function storageAt(scan: Scan, held: Held, rate: prices.Figure): Amount {
  const { region, objects, bytes, smallObjects, smallBytes } = held;
  const sheet = sheetOf(region, held.storageClass);
  const gbOfKib = (many: number) => gb(SOURCE, BigInt(many) * BigInt(KIB));
  const atClassRate = prices.figureOrNone(sheet, 'overheadKiB', 'atClassRate');
  const atStandardRate = prices.figureOrNone(sheet, 'overheadKiB', 'atStandardRate');
  if (atClassRate !== null && atStandardRate !== null) {
    const standard = figure(scan, sourceAt(region, STANDARD), 'storagePerGbMonth');
    return sum([
      amount(gb(SOURCE, bytes), rate),
      amount(gbOfKib(objects), atClassRate, rate),
      amount(gbOfKib(objects), atStandardRate, standard),
    ]);
  }
  const minimumKiB = prices.figureOrNone(sheet, 'minBillableKiB');
  if (minimumKiB === null) return amount(gb(SOURCE, bytes), rate);
  return sum([
    amount(gb(SOURCE, bytes - smallBytes), rate),
    amount(gbOfKib(smallObjects), minimumKiB, rate),
  ]);
}

/** Monthly storage and monitoring at the source. */
export function storage(scan: Scan, held: Held): Amount {
  const { region, storageClass } = held;
  const isTiered = prices.figureOrNone(sourceAt(region, storageClass), 'frequentPerGbMonth');
  return isTiered
    ? tieredStorage(scan, held)
    : storageAt(scan, held, blended(scan, region, storageClass));
}

/** Parts of incomplete uploads are billed as STANDARD. */
export const partsStorage = (scan: Scan, region: string, bytes: number): Amount =>
  amount(gb(SOURCE, bytes), blended(scan, region, STANDARD));
