import { compareGroups, type Group } from '../inventory/inventory.ts';
import { compareKeys } from '../inventory/key-order.ts';
import type { DecisionRequest } from './answer.ts';
import type { PricedBucket } from './bucket.ts';
import { shown } from './rounding.ts';
import { storageOfGroups } from './stock.ts';
import { BAND_COUNT, tableOf, type BucketTable } from './table.ts';
import { regionRates, type RegionRates } from './tariff.ts';

/** What of a scan its rates depend on: a class costs what all its bytes together are billed. */
export type ScanStock = Pick<DecisionRequest, 'buckets' | 'priceBook' | 'source'>;

/** Some objects of one region. */
export interface RegionGroups {
  readonly region: string;
  readonly groups: readonly Group[];
}

/** What lies there costs so much per month, at the rates of a scan; rounded, one figure for each. */
export function storageAtScanRates(
  stock: ScanStock,
  held: readonly RegionGroups[],
): readonly number[] {
  const rates = ratesByRegion(stock, stock.buckets.map(tableOf));
  return held.map(({ region, groups }) => {
    const ofRegion = rates.get(region);
    return ofRegion ? shown(storageOfGroups(ofRegion, groups.toSorted(compareGroups))) : 0;
  });
}

/** The buckets by name, with the rates of their regions. */
export function pricedBuckets(stock: ScanStock): readonly PricedBucket[] {
  const tables = stock.buckets
    .map(tableOf)
    .sort((a, b) => compareKeys(a.bucket.name, b.bucket.name));
  const rates = ratesByRegion(stock, tables);
  return tables.map((table, rank) => {
    const region = rates.get(table.bucket.region);
    if (!region) throw new Error(`no rates for ${table.bucket.region}`);
    const ofClasses = table.classes.map((name) => region.classes.get(name) ?? region.base);
    return { table, region, rates: ofClasses, rank };
  });
}

function ratesByRegion(
  { priceBook, source }: ScanStock,
  tables: readonly BucketTable[],
): ReadonlyMap<string, RegionRates> {
  const base = priceBook.baseClass(source);
  const rawBytes = new Map<string, Map<string, number>>();
  for (const table of tables) {
    const { region } = table.bucket;
    const ofRegion = rawBytes.get(region) ?? new Map<string, number>();
    rawBytes.set(region, ofRegion);
    addRawBytes(ofRegion, table, base);
  }
  const rates = new Map<string, RegionRates>();
  for (const [region, ofRegion] of rawBytes) {
    rates.set(region, regionRates(priceBook, source, region, ofRegion));
  }
  return rates;
}

/** Current objects, old versions and, of the base class, the parts of incomplete uploads. */
function addRawBytes(sum: Map<string, number>, table: BucketTable, base: string): void {
  const addBytes = (storageClass: string, bytes: number) =>
    sum.set(storageClass, (sum.get(storageClass) ?? 0) + bytes);

  for (const [at, tally] of table.whole.entries()) {
    const storageClass = table.classes[Math.floor(at / BAND_COUNT)];
    if (tally && storageClass !== undefined) addBytes(storageClass, tally.bytes);
  }
  // One that was listed as another class a moment ago still needs a rate.
  for (const { storageClass } of table.copied) addBytes(storageClass, 0);
  for (const { storageClass, bytes } of table.bucket.oldVersions) addBytes(storageClass, bytes);
  addBytes(base, table.bucket.incompleteUploads.bytes);
}
