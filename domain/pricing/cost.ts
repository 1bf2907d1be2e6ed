import { DAYS_PER_MONTH } from '../../shared/units.ts';
import type { Bands } from './price-data.ts';
import type { ClassSheet } from './price-sheet.ts';

/** How long a file is kept and how often it is read in full. */
export interface AccessProfile {
  readonly monthsKept: number;
  readonly fullReadsPerMonth: number;
}

/**
 * The cost of one file in USD per month, unrounded, spread over the months that it is kept:
 *
 *     gb(max(S, minimum)) × rate × max(1, minimum days / (30 × months))
 *       + put / months + reads × (gb(S) × retrieval + get) + egress
 *
 * One file is priced by the first band of each figure; free tiers and discounts are left out.
 */
export function fileMonthlyCostUsd(
  sheet: ClassSheet,
  sizeBytes: number,
  profile: AccessProfile,
): number {
  const { monthsKept, fullReadsPerMonth } = profile;
  const gb = sizeBytes / sheet.bytesPerGb;
  const billedGb = Math.max(sizeBytes, sheet.minBillableBytes.value) / sheet.bytesPerGb;
  const billedTime = Math.max(1, sheet.minDays.value / (DAYS_PER_MONTH * monthsKept));
  const storage = billedGb * sheet.tiers[0].perGbMonth.value[0].usd * billedTime;
  const reads = fullReadsPerMonth * (gb * sheet.retrievalPerGb.value + sheet.get.value);
  const billedReads = Math.max(0, fullReadsPerMonth - sheet.egressFreeMultipleOfStorage);
  const egress = gb * billedReads * sheet.egressPerGb.value[0].usd;
  return storage + sheet.put.value / monthsKept + reads + egress;
}

/** The price of a quantity by cumulative bands; the last band has no end. */
export function bandedUsd(bands: Bands, gb: number): number {
  let usd = 0;
  let from = 0;
  for (const [index, band] of bands.entries()) {
    const isLast = index === bands.length - 1;
    const end = isLast || band.uptoGb === null ? gb : Math.min(gb, band.uptoGb);
    if (end <= from) break;
    usd += (end - from) * band.usd;
    from = end;
  }
  return usd;
}

/** The one rate at which `rawBytes` cost as much as by their bands, so that parts add up. */
export function blendedPerGb(bands: Bands, rawBytes: number, bytesPerGb: number): number {
  const [first] = bands;
  const gb = rawBytes / bytesPerGb;
  if (bands.length === 1 || first.uptoGb === null || gb <= first.uptoGb) return first.usd;
  return bandedUsd(bands, gb) / gb;
}
