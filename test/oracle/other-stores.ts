import type { StoreData } from '../../domain/providers/catalogue.ts';
import { PROJECT_PRICES, type PriceData } from './price-files.ts';

/**
 * Stores as an operator may add them, and cheaper than the project's own: with their prices, objects move to stores with
 * a floor or with limited egress, and out of stores whose egress is free up to a multiple. No project's prices do that.
 */

const limits = { singlePutBytes: 5_368_709_120, objectBytes: 5_497_558_138_880, parts: 10_000 };
const common = { regionPattern: 'main', regionExample: 'main', pathStyle: true, limits } as const;
const sheet = { bytesPerGb: 1e9, retrievalPerGb: 0, minDays: 0, floorUsdPerMonth: 0 };

const OTHERS: readonly StoreData[] = [
  {
    ...common,
    provider: 'attic',
    title: 'Attic',
    kind: 'archive',
    host: 'attic.example.com',
    sheet: {
      ...sheet,
      storagePerGbMonth: 0.004,
      putPerRequest: 2e-7,
      getPerRequest: 4e-7,
      listPerRequest: 5e-6,
      egress: { freeMultiple: 0.25, overagePerGb: 0.02 },
      minDays: 45,
      minBillableBytes: 65_536,
      floorUsdPerMonth: 3,
      classes: { STANDARD_IA: { storagePerGbMonth: 0.002, retrievalPerGb: 0.01, minDays: 90 } },
    },
    confidence: 'low',
  },
  {
    ...common,
    provider: 'barn',
    title: 'Barn',
    kind: 'general',
    host: 'barn.example.com',
    sheet: {
      ...sheet,
      bytesPerGb: 2 ** 30,
      storagePerGbMonth: 0.0035,
      putPerRequest: 0,
      getPerRequest: 0,
      listPerRequest: 1e-6,
      egress: { freeMultiple: 1, overagePerGb: null },
      minBillableBytes: 262_144,
      floorUsdPerMonth: 25,
    },
  },
  {
    ...common,
    provider: 'cellar',
    title: 'Cellar',
    kind: 'general',
    host: 'cellar.example.com',
    limits: { ...limits, objectBytes: 1e12 },
    sheet: {
      ...sheet,
      storagePerGbMonth: [
        { uptoGb: 1000, usd: 0.006 },
        { uptoGb: null, usd: 0.003 },
      ],
      putPerRequest: 1e-6,
      getPerRequest: 1e-7,
      listPerRequest: 1e-6,
      egress: {
        bands: [
          { uptoGb: 100, usd: 0 },
          { uptoGb: null, usd: 0.03 },
        ],
      },
      minBillableBytes: 131_072,
    },
    confidence: 'medium',
  },
];

/** The project's catalogue and those stores. */
export const moreStores: readonly StoreData[] = [
  ...(PROJECT_PRICES.stores as unknown as readonly StoreData[]),
  ...OTHERS,
];
export const morePrices: PriceData = {
  ...PROJECT_PRICES,
  stores: moreStores,
};
