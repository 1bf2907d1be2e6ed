import leftAlone from '../../data/left-alone.json' with { type: 'json' };
import prices from '../../data/price-book.json' with { type: 'json' };
import stores from '../../data/stores.json' with { type: 'json' };
import { createLeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import { createPriceBook } from '../../domain/pricing/price-book.ts';
import type { StoreData } from '../../domain/providers/catalogue.ts';

/** The service's own data, which the bundle contains. */
export const PRICE_BOOK = createPriceBook(prices, stores as readonly StoreData[]);
export const LEFT_ALONE = createLeftAlonePatterns(leftAlone);
