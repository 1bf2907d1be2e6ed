import { AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { ObjectStatistics } from '../inventory/inventory.ts';
import { bytesToMinimum } from '../inventory/statistics.ts';
import { isSureSheet, type ClassSheet } from '../pricing/price-sheet.ts';

/** USD per month for storing the objects of one class and age band, as flat factors. */
export interface StorageRates {
  readonly objectUsd: number;
  /** For each object that the class monitors. */
  readonly largeObjectUsd: number;
  readonly largeByteUsd: number;
  /** Also of what is billed beyond the bytes of objects below the minimum size. */
  readonly smallByteUsd: number;
  /** 0 for none. */
  readonly minBillableBytes: number;
  /** Months of storage that are billed although the objects are deleted. */
  readonly earlyDeletionMonths: number;
}

export interface ClassRates {
  readonly storageClass: string;
  /** The base class's if the class has none. */
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** It has a sheet and is not archived. */
  readonly mayMove: boolean;
  readonly isSure: boolean;
  /** By index into `AGE_BANDS`. */
  readonly bands: readonly StorageRates[];
}

export interface ClassTerms {
  readonly storageClass: string;
  readonly sheet: ClassSheet;
  readonly hasSheet: boolean;
  /** In USD, for a class that has one rate for every age. */
  readonly perGbMonth: number;
  /** The rate of the part of an object's overhead that is billed in the base class. */
  readonly basePerGbMonth: number;
}

/** The flat rates of one class in one region, by age band. */
export function classRates(terms: ClassTerms): ClassRates {
  const { sheet, hasSheet, storageClass } = terms;
  return {
    storageClass,
    sheet,
    hasSheet,
    mayMove: hasSheet && !sheet.archived,
    isSure: isSureSheet(sheet),
    bands: AGE_BAND_FIRST_DAY.map((day) => storageRates(terms, day)),
  };
}

/** The rates of a class that objects would be moved into: its first band. */
export function firstBandRates(sheet: ClassSheet, basePerGbMonth: number): ClassRates {
  const { storageClass } = sheet;
  return classRates({
    storageClass,
    sheet,
    hasSheet: true,
    perGbMonth: firstBandUsd(sheet),
    basePerGbMonth,
  });
}

/** USD per GB and month: the first band, of a class with tiers in its first tier. */
export function firstBandUsd({ tiers }: ClassSheet): number {
  return tiers[0].perGbMonth.value[0].usd;
}

/** Whether the class moves its objects between tiers by itself. */
export function isTiered({ tiers }: ClassSheet): boolean {
  return tiers.length > 1;
}

/** USD per month for storage and monitoring. `tierFactor`: measured tiers of the larger objects. */
export function storageUsd(
  rates: StorageRates,
  statistics: ObjectStatistics,
  tierFactor = 1,
): number {
  const filledBytes = bytesToMinimum(statistics, rates.minBillableBytes);
  return (
    (statistics.bytes - statistics.smallBytes) * rates.largeByteUsd * tierFactor +
    (statistics.smallBytes + filledBytes) * rates.smallByteUsd +
    statistics.objects * rates.objectUsd +
    (statistics.objects - statistics.smallObjects) * rates.largeObjectUsd
  );
}

function storageRates(
  { sheet, perGbMonth, basePerGbMonth }: ClassTerms,
  firstDay: number,
): StorageRates {
  const byteUsdFrom = (day: number) =>
    (isTiered(sheet) ? tierUsd(sheet, day) : perGbMonth) / sheet.bytesPerGb;
  const youngByteUsd = byteUsdFrom(0);
  const { ownBytes, baseBytes } = sheet.overhead.value;
  return {
    objectUsd: ownBytes * youngByteUsd + (baseBytes / sheet.bytesPerGb) * basePerGbMonth,
    largeObjectUsd: sheet.monitoring.value,
    largeByteUsd: byteUsdFrom(firstDay),
    smallByteUsd: youngByteUsd,
    minBillableBytes: sheet.minBillableBytes.value,
    earlyDeletionMonths: Math.max(0, sheet.minDays.value - firstDay) / 30,
  };
}

/** USD per GB and month of an object from an age on, in the tier that its age suggests. */
export function tierUsd({ tiers }: ClassSheet, day: number): number {
  const tier = tiers.findLast(({ fromDay }) => fromDay <= day) ?? tiers[0];
  return tier.perGbMonth.value[0].usd;
}
