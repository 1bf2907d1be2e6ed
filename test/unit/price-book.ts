import { readFileSync } from 'node:fs';
import { createPriceBook } from '../../domain/pricing/price-book.ts';

/** The project's own prices, as the service loads them. */
export const priceBookData = JSON.parse(
  readFileSync(new URL('../../data/price-book.json', import.meta.url), 'utf8'),
) as {
  sources: Record<string, unknown>;
  providers: Record<string, { regions: Record<string, { classes: Record<string, unknown> }> }>;
};

export const priceBook = createPriceBook(priceBookData);
