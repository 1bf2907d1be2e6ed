import { sumBy } from '../common/sums.ts';
import { TIERS, type AccountUsage, type Tier, type TierBytes } from '../bill/bill.ts';
import { AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import type { ProviderName } from '../providers/catalogue.ts';
import type { PricedGroup } from './model.ts';
import { isTiered, tierUsd } from './storage-rates.ts';

/** The tiers of a class that moves objects by itself, as a listing cannot show them. */

/** The class whose storage rate an archive tier has. */
const CLASS_OF_TIER: Readonly<Partial<Record<Tier, string>>> = {
  archive: 'GLACIER',
  deepArchive: 'DEEP_ARCHIVE',
};
/** Months without a read in the tiers before the last one. */
const MONTHS = { frequent: 1, infrequent: 2 } as const;
const LONGEST_MONTHS = 12;
/** By index into `AGE_BANDS`: how long objects are in the band, where that is shorter. */
const MONTHS_IN_BAND: Readonly<Record<number, number>> = { 1: 2 };

/**
 * USD per month for larger objects that change to a class with tiers: a month in the frequent one,
 * two in the infrequent one, then in the last one, save what a read brings back.
 *
 * @param requests a month for each object
 * @param monthsLeft until a rule of the customer deletes the objects
 */
export function tieredUsd(
  sheet: ClassSheet,
  { ageBand, statistics: { objects, bytes } }: PricedGroup,
  requests: number,
  monthsLeft: number,
): number {
  const frequentUsd = tierUsd(sheet, 0);
  const infrequentUsd = tierUsd(sheet, 30);
  const lastUsd = tierUsd(sheet, 90);
  const months = Math.min(LONGEST_MONTHS, MONTHS_IN_BAND[ageBand] ?? LONGEST_MONTHS, monthsLeft);
  const frequentMonths = Math.min(MONTHS.frequent, months);
  const infrequentMonths = Math.min(MONTHS.infrequent, Math.max(0, months - MONTHS.frequent));
  const lastMonths = Math.max(0, months - MONTHS.frequent - MONTHS.infrequent);
  const broughtBack = Math.min(1, requests);
  const atMostInfrequent = Math.min(1, 3 * requests);
  const perGb =
    frequentMonths * frequentUsd +
    infrequentMonths * (broughtBack * frequentUsd + (1 - broughtBack) * infrequentUsd) +
    lastMonths *
      (broughtBack * frequentUsd +
        (atMostInfrequent - broughtBack) * infrequentUsd +
        (1 - atMostInfrequent) * lastUsd);
  return ((bytes / sheet.bytesPerGb) * perGb) / months + objects * sheet.monitoring.value;
}

/**
 * What the storage of a bucket's larger objects and old versions in that class costs, in parts of
 * what it costs with the tiers that their ages suggest; null where the tiers were not measured, or
 * nothing is in them.
 */
export function tierFactor(
  { name, region, groups, oldVersions }: BucketInventory,
  { metrics }: AccountUsage,
  book: PriceBook,
  source: ProviderName,
): number | null {
  const measured = metrics.get(name)?.tiers;
  if (!measured) return null;
  const sheetOf = (storageClass: string) => book.classSheet(source, region, storageClass);
  const tiered = [...groups, ...oldVersions].filter(({ storageClass }) => {
    const sheet = sheetOf(storageClass);
    return sheet !== null && isTiered(sheet);
  });
  const [first] = tiered;
  const sheet = first && sheetOf(first.storageClass);
  if (!sheet) return null;
  const byAge = sumBy(tiered, ({ bytes, smallBytes, ageBand }) => {
    return (bytes - smallBytes) * tierUsd(sheet, AGE_BAND_FIRST_DAY[ageBand]);
  });
  const rateOf = (tier: Tier) => {
    const ofClass = CLASS_OF_TIER[tier];
    const { tiers = [] } = ofClass === undefined ? sheet : (sheetOf(ofClass) ?? {});
    return tiers[ofClass === undefined ? TIERS.indexOf(tier) : 0]?.perGbMonth.value[0].usd ?? 0;
  };
  const byTier = sumBy(TIERS, (tier) => largerBytes(measured, tiered)[tier] * rateOf(tier));
  return byAge > 0 ? byTier / byAge : null;
}

/** Small objects are always in the frequent tier. */
function largerBytes(
  measured: TierBytes,
  tiered: readonly { readonly smallBytes: number }[],
): TierBytes {
  const small = sumBy(tiered, ({ smallBytes }) => smallBytes);
  return { ...measured, frequent: Math.max(0, measured.frequent - small) };
}
