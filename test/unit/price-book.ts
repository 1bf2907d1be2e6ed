import { readFileSync } from 'node:fs';
import { createLeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import { createPriceBook } from '../../domain/pricing/price-book.ts';
import type { StoreData } from '../../domain/providers/catalogue.ts';

/** The project's own prices, as the service loads them. */
export const priceBookData = JSON.parse(
  readFileSync(new URL('../../data/price-book.json', import.meta.url), 'utf8'),
) as {
  sources: Record<string, unknown>;
  providers: Record<
    string,
    { regions: Record<string, { sources: string[]; classes: Record<string, object> }> }
  >;
};

/** The project's own catalogue of stores. */
export const stores = JSON.parse(
  readFileSync(new URL('../../data/stores.json', import.meta.url), 'utf8'),
) as readonly StoreData[];

export const priceBook = createPriceBook(priceBookData, stores);
export const { catalogue } = priceBook;
export const leftAlonePatterns = createLeftAlonePatterns(
  JSON.parse(readFileSync(new URL('../../data/left-alone.json', import.meta.url), 'utf8')),
);
