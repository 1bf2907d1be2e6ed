import type { BucketInventory, Group, ObjectStatistics } from '../../domain/inventory/inventory.ts';
import { Fraction } from './fraction.ts';
import * as prices from './prices.ts';
import { amount, gb, SOURCE, sourceAt, sum, thousands, type Amount } from './prices.ts';

/** Sections 1 and 3 of the pricing rules: the cost of storage. */

export const STANDARD = 'STANDARD';
const KIB = 1024;

/** Objects of one class and age in a region. */
export interface Held extends ObjectStatistics {
  readonly region: string;
  readonly storageClass: string;
  readonly ageBand: number;
}

export type HeldGroup = Group & Held;

/** A bucket whose groups know their region. */
export interface Bucket extends BucketInventory {
  readonly groups: readonly HeldGroup[];
  readonly copied: readonly HeldGroup[];
}

export function locate(bucket: BucketInventory): Bucket {
  const here = (group: Group): HeldGroup => Object.assign({ region: bucket.region }, group);
  return { ...bucket, groups: bucket.groups.map(here), copied: bucket.copied.map(here) };
}

export interface Scan {
  /** The raw bytes of each class in each region over the whole scan; the bands of the bill apply to them. */
  readonly bytes: ReadonlyMap<string, bigint>;
  readonly horizonMonths: Fraction;
}

export function scanOf(buckets: readonly BucketInventory[], horizonMonths: number): Scan {
  const bytes = new Map<string, bigint>();
  for (const { region, groups, oldVersions, incompleteUploads } of buckets) {
    const parts = { storageClass: STANDARD, bytes: incompleteUploads.bytes };
    for (const { storageClass, bytes: more } of [...groups, ...oldVersions, parts]) {
      const key = `${region} ${storageClass}`;
      bytes.set(key, (bytes.get(key) ?? 0n) + BigInt(more));
    }
  }
  return { bytes, horizonMonths: Fraction.of(horizonMonths) };
}

export const isArchived = ({ storageClass }: { readonly storageClass: string }): boolean =>
  ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass);

export const mayMove = (group: HeldGroup): boolean =>
  prices.hasSheet({ provider: SOURCE, ...group }) && !isArchived(group);

/** The sheet that prices a class: its own, or STANDARD's where it has none. */
export function sheetOf(region: string, storageClass: string): prices.Place {
  const own = sourceAt(region, storageClass);
  return prices.hasSheet(own) ? own : sourceAt(region, STANDARD);
}

/** The blended rate of a class in a region. */
function blended(scan: Scan, region: string, storageClass: string): prices.Figure {
  const listed = prices.figure(sheetOf(region, storageClass), 'storagePerGbMonth');
  const raw = gb(SOURCE, scan.bytes.get(`${region} ${storageClass}`) ?? 0n);
  if (raw.isZero()) return listed;
  const usd = prices.banded(listed, raw).usd.dividedBy(raw);
  return { bands: [{ uptoGb: null, usd }], uncertain: listed.uncertain };
}

const TIERS = ['frequent', 'infrequent', 'archiveInstant', 'archiveInstant'];

function tieredStorage({ region, storageClass, ...held }: Held): Amount {
  const rate = (name: string) => prices.figure(sourceAt(region, storageClass), name);
  return sum([
    amount(gb(SOURCE, held.bytes - held.smallBytes), rate(`${TIERS[held.ageBand]}PerGbMonth`)),
    amount(gb(SOURCE, held.smallBytes), rate('frequentPerGbMonth')),
    amount(thousands(held.objects - held.smallObjects), rate('monitoringPer1000ObjectsMonth')),
  ]);
}

/** Monthly storage and monitoring at a rate per GB. */
export function storageAt(held: Held, rate: prices.Figure): Amount {
  const { region, objects, bytes, smallObjects, smallBytes } = held;
  const sheet = sheetOf(region, held.storageClass);
  const gbOfKib = (many: number) => gb(SOURCE, BigInt(many) * BigInt(KIB));
  const atClassRate = prices.figureOrNone(sheet, 'overheadKiB', 'atClassRate');
  const atStandardRate = prices.figureOrNone(sheet, 'overheadKiB', 'atStandardRate');
  if (atClassRate !== null && atStandardRate !== null) {
    const standard = prices.figure(sourceAt(region, STANDARD), 'storagePerGbMonth');
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
  return isTiered ? tieredStorage(held) : storageAt(held, blended(scan, region, storageClass));
}

/** Parts of incomplete uploads are billed as STANDARD. */
export const partsStorage = (scan: Scan, region: string, bytes: number): Amount =>
  amount(gb(SOURCE, bytes), blended(scan, region, STANDARD));
