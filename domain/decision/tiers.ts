import { TIERS, type AccountUsage, type Tier, type TierBytes } from '../bill/bill.ts';
import { AGE_BAND_FIRST_DAY } from '../inventory/bands.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import type { ProviderName } from '../provider/catalogue.ts';
import { sumBy } from './amounts.ts';

/** The tiers of a class that moves objects by itself, as a listing cannot show them. */

/** The class whose storage rate an archive tier has. */
const CLASS_OF_TIER: Readonly<Partial<Record<Tier, string>>> = {
  archive: 'GLACIER',
  deepArchive: 'DEEP_ARCHIVE',
};

export function isTiered(sheet: ClassSheet): boolean {
  return sheet.tiers.length > 1;
}

/**
 * For each bucket whose tiers were measured: what the storage of its larger objects of that class costs, in
 * parts of what it costs with the tiers that their ages suggest.
 */
export function tierFactors(
  buckets: readonly BucketInventory[],
  { metrics }: AccountUsage,
  book: PriceBook,
  source: ProviderName,
): ReadonlyMap<string, number> {
  return new Map(
    buckets.flatMap((bucket): [string, number][] => {
      const tiers = metrics.get(bucket.name)?.tiers;
      const factor = tiers ? tierFactor(bucket, tiers, book, source) : null;
      return factor === null ? [] : [[bucket.name, factor]];
    }),
  );
}

/** Null if the bucket has no larger objects of a class with tiers. */
function tierFactor(
  { region, groups }: BucketInventory,
  measured: TierBytes,
  book: PriceBook,
  source: ProviderName,
): number | null {
  const sheets = new Map(
    groups.map(({ storageClass }) => [storageClass, book.classSheet(source, region, storageClass)]),
  );
  const tiered = groups.filter(({ storageClass }) => {
    const sheet = sheets.get(storageClass);
    return sheet ? isTiered(sheet) : false;
  });
  const sheet = sheets.get(tiered[0]?.storageClass ?? '');
  if (!sheet) return null;
  const rateOf = (tier: Tier) => {
    const ofClass = CLASS_OF_TIER[tier];
    const tiers =
      ofClass === undefined ? sheet.tiers : book.classSheet(source, region, ofClass)?.tiers;
    const at = ofClass === undefined ? TIERS.indexOf(tier) : 0;
    return tiers?.[at]?.perGbMonth.value[0].usd ?? 0;
  };
  const byAge = sumBy(tiered, ({ bytes, smallBytes, ageBand }) => {
    const firstDay = AGE_BAND_FIRST_DAY[ageBand] ?? 0;
    const tier = sheet.tiers.findLast(({ fromDay }) => fromDay <= firstDay) ?? sheet.tiers[0];
    return (bytes - smallBytes) * tier.perGbMonth.value[0].usd;
  });
  // Small objects are always in the frequent tier.
  const small = sumBy(tiered, ({ smallBytes }) => smallBytes);
  const frequent = Math.max(0, measured.frequent - small);
  const byTier = sumBy(TIERS, (tier) => ({ ...measured, frequent })[tier] * rateOf(tier));
  return byAge > 0 ? byTier / byAge : null;
}
