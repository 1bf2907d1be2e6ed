import { CATALOGUE, PROVIDER_NAMES, type ProviderName } from '../provider/catalogue.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import { firstBandRates } from './class-rates.ts';
import type { Target } from './model.ts';

/** The size limits of all targets, smallest first: what a scan compares its objects with. */
export function targetSizeLimits(book: PriceBook, source: ProviderName): readonly number[] {
  const limits = targetNames(source).map((provider) => book.maxObjectBytes(provider));
  return [...new Set(limits)].sort((a, b) => a - b);
}

/**
 * Every provider of the catalogue except the source, at the rates of its default region.
 *
 * @throws Error where the book has no sheet for a provider's upload class: a defect of the book.
 */
export function targetsFor(book: PriceBook, source: ProviderName): readonly Target[] {
  return targetNames(source).map((provider) => {
    const { uploadClass, defaultRegion } = CATALOGUE[provider];
    const sheet = book.classSheet(provider, defaultRegion, uploadClass);
    if (!sheet) throw new Error(`price book ${book.version} has no sheet for ${uploadClass}`);
    const rates = firstBandRates(sheet, sheet.tiers[0].perGbMonth);
    const maxObjectBytes = book.maxObjectBytes(provider);
    return { provider, storageClass: uploadClass, rates, putUsd: sheet.put.value, maxObjectBytes };
  });
}

function targetNames(source: ProviderName): readonly ProviderName[] {
  return PROVIDER_NAMES.filter((provider) => provider !== source);
}
