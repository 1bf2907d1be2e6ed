import { isBelowLimit, sumBy, groupBy, addTo, totalOf } from '../common/sums.ts';
import type { PriceFactors } from '../bill/price-factors.ts';
import type { Bill } from '../bill/bill.ts';
import { readUsageType, type BillRegions } from '../bill/usage-types.ts';
import { compareKeys, compareNullable } from '../inventory/key-order.ts';
import { bytesToMinimum } from '../inventory/statistics.ts';
import { roundTo } from '../pricing/money.ts';
import { shown } from './amounts.ts';
import type { PricedBucket, PricedObjects } from './model.ts';
import type { RegionRates } from './region-rates.ts';
import { MAX_UNEXPLAINED, type BillLine, type BillSummary, type UnexplainedLine } from './types.ts';

/** Below this share the figures of a scan rest on less than what is paid. */
const LEAST_EXPLAINED = 0.7;
const QUANTITY_DECIMALS = 6;
const SHARE_DECIMALS = 4;

/** Listed GB by region and class. */
type ListedGb = ReadonlyMap<string, number>;

/** The bill beside what was listed, and whether much of it is not explained by that. */
export function compareBill(
  bill: Bill,
  factors: PriceFactors,
  buckets: readonly PricedBucket[],
  billRegions: BillRegions,
): { readonly summary: BillSummary; readonly isLittleExplained: boolean } {
  const listed = listedGb(buckets);
  const lines = billLines(bill, listed, billRegions);
  const places = storagePlaces(lines, listed);
  const billedUsd = sumBy(places, ({ usd }) => usd);
  const unexplainedUsd = sumBy(places, ({ usd, found }) => usd * (1 - found));
  const share = billedUsd > 0 ? (billedUsd - unexplainedUsd) / billedUsd : null;
  const summary = {
    period: bill.period,
    estimated: bill.estimated,
    listUsd: shown(sumBy(bill.rows, ({ listUsd }) => listUsd)),
    netUsd: shown(sumBy(bill.rows, ({ netUsd }) => netUsd)),
    explainedShare: share === null ? null : roundTo(share, SHARE_DECIMALS),
    factors: factors.own
      .map((own) => ({ ...own, factor: roundTo(own.factor, SHARE_DECIMALS) }))
      .filter(({ factor }) => factor < 1),
    unexplainedUsd: shown(unexplainedUsd, billedUsd),
    unexplained: unexplainedLines(places),
    lines: lines.map(shownLine),
  };
  return { summary, isLittleExplained: share !== null && isBelowLimit(share, LEAST_EXPLAINED) };
}

function shownLine(line: BillLine): BillLine {
  const { quantity, listUsd, netUsd, listedQuantity } = line;
  return {
    ...line,
    quantity: roundTo(quantity, QUANTITY_DECIMALS),
    listUsd: shown(listUsd),
    netUsd: shown(netUsd),
    listedQuantity: listedQuantity === null ? null : roundTo(listedQuantity, QUANTITY_DECIMALS),
  };
}

/** One for each region and usage type; amounts unrounded. */
function billLines(
  { rows }: Bill,
  listed: ListedGb,
  billRegions: BillRegions,
): readonly BillLine[] {
  const types = rows.map((row) => ({ ...row, ...readUsageType(row.usageType, billRegions) }));
  return [...groupBy(types, ({ region, name }) => `${region} ${name}`).values()]
    .map((same): BillLine => {
      const [{ region, name, line, storageClass, unit }] = same;
      return {
        region,
        usageType: name,
        line,
        storageClass,
        quantity: sumBy(same, ({ quantity }) => quantity),
        unit,
        listUsd: sumBy(same, ({ listUsd }) => listUsd),
        netUsd: sumBy(same, ({ netUsd }) => netUsd),
        listedQuantity: line === 'storage' ? totalOf(listed, placeOf(region, storageClass)) : null,
      };
    })
    .sort(
      (a, b) =>
        b.listUsd - a.listUsd ||
        compareNullable(a.region, b.region) ||
        compareKeys(a.usageType, b.usageType),
    );
}

/** The storage lines of one region and class, and the share of what they bill that was listed. */
interface StoragePlace {
  readonly lines: readonly BillLine[];
  readonly usd: number;
  readonly found: number;
}

function storagePlaces(lines: readonly BillLine[], listed: ListedGb): readonly StoragePlace[] {
  const storage = lines.filter(({ line }) => line === 'storage');
  return [...groupBy(storage, (line) => placeOf(line.region, line.storageClass))].map(
    ([place, ofPlace]) => {
      const billedGb = sumBy(ofPlace, ({ quantity }) => quantity);
      const listUsd = sumBy(ofPlace, (line) => line.listUsd);
      return {
        lines: ofPlace,
        usd: Math.max(0, listUsd),
        found: billedGb > 0 ? Math.min(1, totalOf(listed, place) / billedGb) : 1,
      };
    },
  );
}

/** Each storage line with the share of its class that nothing listed explains. */
function unexplainedLines(places: readonly StoragePlace[]): readonly UnexplainedLine[] {
  return places
    .flatMap(({ lines, found }) =>
      lines.map(({ region, usageType, listUsd }) => ({
        region,
        usageType,
        usd: shown(listUsd * (1 - found), listUsd),
      })),
    )
    .filter(({ usd }) => usd > 0)
    .sort(
      (a, b) =>
        b.usd - a.usd ||
        compareNullable(a.region, b.region) ||
        compareKeys(a.usageType, b.usageType),
    )
    .slice(0, MAX_UNEXPLAINED);
}

/** The GB that the scan would be billed, with minimum sizes, overheads, old versions and parts. */
function listedGb(buckets: readonly PricedBucket[]): ListedGb {
  const listed = new Map<string, number>();
  const add = ({ region, bytesPerGb }: RegionRates, storageClass: string, bytes: number) => {
    const place = placeOf(region, storageClass);
    addTo(listed, place, bytes / bytesPerGb);
  };
  for (const { region, totals, oldVersions, uploadParts } of buckets) {
    for (const objects of [...totals, ...oldVersions, uploadParts]) {
      const { own, base } = billedBytes(objects);
      add(region, objects.classRates.storageClass, own);
      add(region, region.base.storageClass, base);
    }
  }
  return listed;
}

function billedBytes({ classRates: { sheet, hasSheet }, statistics }: PricedObjects) {
  if (!hasSheet) return { own: statistics.bytes, base: 0 };
  const { objects, bytes } = statistics;
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const filledBytes = bytesToMinimum(statistics, sheet.minBillableBytes.value);
  return { own: bytes + filledBytes + objects * ownBytes, base: objects * baseBytes };
}

function placeOf(region: string | null, storageClass: string | null): string {
  return `${region} ${storageClass}`;
}
