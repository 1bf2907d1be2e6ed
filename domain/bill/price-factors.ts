import { compareKeys, compareNullable } from '../inventory/key-order.ts';
import type { Bill, BillRow } from './bill.ts';
import { PRICE_LINES, readUsageType, type BillRegions, type PriceLine } from './usage-types.ts';

/** The share of the list price that a customer pays for one price line. */
export interface PriceFactor {
  readonly region: string;
  readonly line: PriceLine;
  readonly storageClass: string | null;
  /** Above 0 only where something is paid; at most 1. */
  readonly factor: number;
}

/**
 * A negotiated discount, read from a bill: by price line, and for what has too little of its own by
 * region. It can be stored: the price of a move that was approved under it is compared under it.
 */
export interface PriceFactors {
  /** The lines with a factor of their own. */
  readonly own: readonly PriceFactor[];
  /** One factor for all lines of a region. */
  readonly ofRegions: readonly { readonly region: string; readonly factor: number }[];
}

export const LIST_PRICES: PriceFactors = { own: [], ofRegions: [] };

/** A line that costs less says too little about its discount. */
const LEAST_LIST_USD = 0.01;

/** The factors of a bill; those of a region whose bill has too little are 1 and left out. */
export function priceFactors(bill: Bill | null, billRegions: BillRegions): PriceFactors {
  const own = new Map<string, { factor: Omit<PriceFactor, 'factor'>; costs: BillRow[] }>();
  const ofRegions = new Map<string, BillRow[]>();
  for (const row of bill?.rows ?? []) {
    const { region, line, storageClass } = readUsageType(row.usageType, billRegions);
    if (region === null) continue;
    const id = `${region} ${line} ${storageClass}`;
    const priced = own.get(id) ?? { factor: { region, line, storageClass }, costs: [] };
    priced.costs.push(row);
    own.set(id, priced);
    const ofRegion = ofRegions.get(region) ?? [];
    ofRegion.push(row);
    ofRegions.set(region, ofRegion);
  }
  return {
    own: [...own.values()]
      .flatMap(({ factor, costs }) => withFactor(factor, costs))
      .sort(
        (a, b) =>
          compareKeys(a.region, b.region) ||
          PRICE_LINES.indexOf(a.line) - PRICE_LINES.indexOf(b.line) ||
          compareNullable(a.storageClass, b.storageClass),
      ),
    ofRegions: [...ofRegions].flatMap(([region, costs]) => withFactor({ region }, costs)),
  };
}

/** Less says too little about what a GB costs. */
const LEAST_INTERNET_GB = 1;

/** What a region's reads from the internet cost per GB in USD; null if the bill has too few. */
export function paidInternetRate(
  bill: Bill,
  billRegions: BillRegions,
  region: string,
): number | null {
  const rows = bill.rows.filter((row) => {
    const read = readUsageType(row.usageType, billRegions);
    return read.region === region && read.transfer === 'internet';
  });
  const gb = rows.reduce((sum, row) => sum + row.quantity, 0);
  const netUsd = rows.reduce((sum, row) => sum + row.netUsd, 0);
  return gb < LEAST_INTERNET_GB ? null : Math.max(0, netUsd / gb);
}

/** The factor of a price line: its own, else its region's, else 1. */
export function factorOf(
  factors: PriceFactors,
  region: string,
  line: PriceLine,
  storageClass: string | null,
): number {
  const own = factors.own.find(
    (each) => each.region === region && each.line === line && each.storageClass === storageClass,
  );
  return own?.factor ?? regionFactor(factors, region);
}

/** The factor of all lines of a region together, 1 if there are none. */
export function regionFactor({ ofRegions }: PriceFactors, region: string): number {
  return ofRegions.find((each) => each.region === region)?.factor ?? 1;
}

/** The factors of one region. */
export function factorsOfRegion({ own, ofRegions }: PriceFactors, region: string): PriceFactors {
  return {
    own: own.filter((each) => each.region === region),
    ofRegions: ofRegions.filter((each) => each.region === region),
  };
}

function withFactor<T extends object>(
  of: T,
  costs: readonly BillRow[],
): (T & { factor: number })[] {
  const listUsd = costs.reduce((sum, row) => sum + row.listUsd, 0);
  const netUsd = costs.reduce((sum, row) => sum + row.netUsd, 0);
  if (listUsd < LEAST_LIST_USD) return [];
  return [{ ...of, factor: Math.min(1, Math.max(0, netUsd / listUsd)) }];
}
