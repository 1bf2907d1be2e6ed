import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { BucketInventory, ObjectStatistics } from '../../domain/inventory/inventory.ts';
import { Fraction } from './fraction.ts';
import * as prices from './prices.ts';
import { amount, gb, sum, type Amount, type Figure } from './prices.ts';

/** Sections 1 and 3 of the pricing rules: the cost of storage. */

export const SOURCE: ProviderName = 'aws';
export const STANDARD = 'STANDARD';
const ARCHIVED: ReadonlySet<string> = new Set(['GLACIER', 'DEEP_ARCHIVE']);

const KIB = 1024;
const PER_1000 = Fraction.of('0.001');

/** The raw bytes of each class in each region over the whole scan; the bands of the bill apply to them. */
export type ScanBytes = ReadonlyMap<string, bigint>;

const place = (region: string, storageClass: string): string =>
  JSON.stringify([region, storageClass]);

export function scanBytesOf(buckets: readonly BucketInventory[]): ScanBytes {
  const bytes = new Map<string, bigint>();
  const add = (region: string, storageClass: string, more: number): void => {
    const key = place(region, storageClass);
    bytes.set(key, (bytes.get(key) ?? 0n) + BigInt(more));
  };
  for (const { region, groups, oldVersions, incompleteUploads } of buckets) {
    for (const group of groups) add(region, group.storageClass, group.bytes);
    for (const versions of oldVersions) add(region, versions.storageClass, versions.bytes);
    add(region, STANDARD, incompleteUploads.bytes);
  }
  return bytes;
}

export function isArchived(storageClass: string): boolean {
  return ARCHIVED.has(storageClass);
}

export function mayMove(region: string, storageClass: string): boolean {
  return prices.hasSheet(SOURCE, region, storageClass) && !isArchived(storageClass);
}

/** The class that prices this one: itself, or STANDARD where it has no sheet. */
export function pricedAs(region: string, storageClass: string): string {
  return prices.hasSheet(SOURCE, region, storageClass) ? storageClass : STANDARD;
}

/** The blended rate of a class in a region. */
function blended(scan: ScanBytes, region: string, storageClass: string): Figure {
  const sheet = pricedAs(region, storageClass);
  const listed = prices.figure(SOURCE, region, sheet, 'storagePerGbMonth');
  const raw = gb(SOURCE, scan.get(place(region, storageClass)) ?? 0n);
  if (raw.isZero()) return listed;
  const usd = prices.banded(listed, raw).usd.dividedBy(raw);
  return { bands: [{ uptoGb: null, usd }], uncertain: listed.uncertain };
}

/** Objects of one class and age. */
export interface Held extends ObjectStatistics {
  readonly storageClass: string;
  readonly ageBand: number;
}

function tieredStorage(region: string, held: Held): Amount {
  const rate = (name: string): Figure => prices.figure(SOURCE, region, held.storageClass, name);
  const byAge = [
    'frequentPerGbMonth',
    'infrequentPerGbMonth',
    'archiveInstantPerGbMonth',
    'archiveInstantPerGbMonth',
  ][held.ageBand];
  const monitored = Fraction.of(held.objects - held.smallObjects).times(PER_1000);
  return sum([
    amount(gb(SOURCE, held.bytes - held.smallBytes), rate(byAge ?? '')),
    amount(gb(SOURCE, held.smallBytes), rate('frequentPerGbMonth')),
    amount(monitored, rate('monitoringPer1000ObjectsMonth')),
  ]);
}

/** Monthly storage and monitoring at a rate per GB. */
export function storageAt(region: string, held: Held, rate: Figure): Amount {
  const { objects, bytes, smallObjects, smallBytes } = held;
  const sheet = pricedAs(region, held.storageClass);
  const overhead = (part: string): Figure | null =>
    prices.figureOrNone(SOURCE, region, sheet, 'overheadKiB', part);
  const atClassRate = overhead('atClassRate');
  const atStandardRate = overhead('atStandardRate');
  if (atClassRate !== null && atStandardRate !== null) {
    const standard = prices.figure(SOURCE, region, STANDARD, 'storagePerGbMonth');
    return sum([
      amount(gb(SOURCE, bytes), rate),
      amount(gb(SOURCE, BigInt(objects) * BigInt(KIB)), atClassRate, rate),
      amount(gb(SOURCE, BigInt(objects) * BigInt(KIB)), atStandardRate, standard),
    ]);
  }
  const minimumKiB = prices.figureOrNone(SOURCE, region, sheet, 'minBillableKiB');
  if (minimumKiB !== null) {
    return sum([
      amount(gb(SOURCE, bytes - smallBytes), rate),
      amount(gb(SOURCE, BigInt(smallObjects) * BigInt(KIB)), minimumKiB, rate),
    ]);
  }
  return amount(gb(SOURCE, bytes), rate);
}

/** Monthly storage and monitoring at the source. */
export function storage(scan: ScanBytes, region: string, held: Held): Amount {
  const frequent = prices.figureOrNone(SOURCE, region, held.storageClass, 'frequentPerGbMonth');
  if (frequent !== null) return tieredStorage(region, held);
  return storageAt(region, held, blended(scan, region, held.storageClass));
}

/** Parts of incomplete uploads are billed as STANDARD. */
export function partsStorage(scan: ScanBytes, region: string, bytes: number): Amount {
  return amount(gb(SOURCE, bytes), blended(scan, region, STANDARD));
}
