import type { PriceFactors } from '../bill/price-factors.ts';
import type { Bill } from '../bill/bill.ts';
import { readUsageType } from '../bill/usage-types.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { bytesToMinimum } from '../inventory/statistics.ts';
import { roundTo } from '../pricing/money.ts';
import { isBelowLimit, shown, sumBy } from './amounts.ts';
import { groupBy } from './bucket.ts';
import type { PricedBucket, PricedObjects, RegionRates } from './model.ts';
import type { BillLine, BillSummary } from './types.ts';

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
): { readonly summary: BillSummary; readonly isLittleExplained: boolean } {
  const listed = listedGb(buckets);
  const lines = billLines(bill, listed);
  const share = explainedShare(lines, listed);
  const summary = {
    period: bill.period,
    estimated: bill.estimated,
    listUsd: shown(sumBy(bill.rows, ({ listUsd }) => listUsd)),
    netUsd: shown(sumBy(bill.rows, ({ netUsd }) => netUsd)),
    explainedShare: share === null ? null : roundTo(share, SHARE_DECIMALS),
    factors: factors.own
      .map((own) => ({ ...own, factor: roundTo(own.factor, SHARE_DECIMALS) }))
      .filter(({ factor }) => factor < 1),
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
function billLines({ rows }: Bill, listed: ListedGb): readonly BillLine[] {
  const types = rows.map((row) => ({ ...row, ...readUsageType(row.usageType) }));
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
        listedQuantity:
          line === 'storage' ? (listed.get(placeOf(region, storageClass)) ?? 0) : null,
      };
    })
    .sort(
      (a, b) =>
        b.listUsd - a.listUsd ||
        compareKeys(a.region ?? '', b.region ?? '') ||
        compareKeys(a.usageType, b.usageType),
    );
}

/** By cost: of each region and class, what was listed of what was billed. */
function explainedShare(lines: readonly BillLine[], listed: ListedGb): number | null {
  const storage = lines.filter(({ line }) => line === 'storage');
  const places = [...groupBy(storage, (line) => placeOf(line.region, line.storageClass))].map(
    ([place, ofPlace]) => {
      const billedGb = sumBy(ofPlace, ({ quantity }) => quantity);
      const found = billedGb > 0 ? Math.min(1, (listed.get(place) ?? 0) / billedGb) : 1;
      return {
        usd: Math.max(
          0,
          sumBy(ofPlace, ({ listUsd }) => listUsd),
        ),
        found,
      };
    },
  );
  const billedUsd = sumBy(places, ({ usd }) => usd);
  return billedUsd > 0 ? sumBy(places, ({ usd, found }) => usd * found) / billedUsd : null;
}

/** The GB that the scan would be billed: minimum sizes and overheads, old versions and parts included. */
function listedGb(buckets: readonly PricedBucket[]): ListedGb {
  const listed = new Map<string, number>();
  const add = ({ region, bytesPerGb }: RegionRates, storageClass: string, bytes: number) => {
    const place = placeOf(region, storageClass);
    listed.set(place, (listed.get(place) ?? 0) + bytes / bytesPerGb);
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
