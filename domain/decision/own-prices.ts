import { factorOf, regionFactor, type PriceFactors } from '../bill/price-factors.ts';
import { timesBands, type Bands, type SourcedPrice } from '../pricing/price-data.ts';
import { memoizeSheets, type PriceBook } from '../pricing/price-book.ts';
import { isSure, type ClassSheet, type StorageTier } from '../pricing/price-sheet.ts';
import type { ProviderName } from '../providers/catalogue.ts';

/** The price book with the source's classes at the customer's own prices; the rest at list. */
export function atOwnPrices(
  book: PriceBook,
  source: ProviderName,
  factors: PriceFactors,
): PriceBook {
  const classSheet = memoizeSheets((provider, region, storageClass) => {
    const sheet = book.classSheet(provider, region, storageClass);
    return sheet && provider === source ? discounted(sheet, region, factors) : sheet;
  });
  return { ...book, classSheet };
}

function discounted(sheet: ClassSheet, region: string, factors: PriceFactors): ClassSheet {
  const { storageClass } = sheet;
  const storage = factorOf(factors, region, 'storage', storageClass);
  const retrieval = factorOf(factors, region, 'retrieval', storageClass);
  const [first, ...tiers] = sheet.tiers;
  const tier = ({ fromDay, perGbMonth }: StorageTier): StorageTier => ({
    fromDay,
    perGbMonth: times(perGbMonth, (bands) => timesBands(bands, storage)),
  });
  const timesAmount = (price: SourcedPrice<number>, factor: number) =>
    times(price, (usd) => usd * factor);
  return {
    ...sheet,
    tiers: [tier(first), ...tiers.map(tier)],
    monitoring: timesAmount(sheet.monitoring, factorOf(factors, region, 'monitoring', null)),
    put: timesAmount(sheet.put, factorOf(factors, region, 'put', storageClass)),
    list: timesAmount(sheet.list, factorOf(factors, region, 'put', storageClass)),
    get: timesAmount(sheet.get, factorOf(factors, region, 'get', storageClass)),
    retrievalPerGb: timesAmount(sheet.retrievalPerGb, retrieval),
    egressPerGb: times(sheet.egressPerGb, (bands) =>
      timesBands(bands, factorOf(factors, region, 'egress', null)),
    ),
    transition: sheet.transition && timesAmount(sheet.transition, regionFactor(factors, region)),
  };
}

function times<T>(price: SourcedPrice<T>, by: (value: T) => T): SourcedPrice<T> {
  return { ...price, value: by(price.value) };
}

/** The price book with every unsure price taken as 0: shows what these prices contribute. */
export function withSurePrices(book: PriceBook): PriceBook {
  const sure = <T>(price: SourcedPrice<T>, none: (value: T) => T) =>
    isSure(price) ? price : times(price, none);
  const amount = (price: SourcedPrice<number>) => sure(price, () => 0);
  const bands = (price: SourcedPrice<Bands>) => sure(price, (value) => timesBands(value, 0));
  const tier = ({ fromDay, perGbMonth }: StorageTier) => ({
    fromDay,
    perGbMonth: bands(perGbMonth),
  });
  const classSheet = memoizeSheets((provider, region, storageClass) => {
    const sheet = book.classSheet(provider, region, storageClass);
    if (!sheet) return null;
    const [first, ...tiers] = sheet.tiers;
    return {
      ...sheet,
      tiers: [tier(first), ...tiers.map(tier)],
      monitoring: amount(sheet.monitoring),
      overhead: sure(sheet.overhead, () => ({ ownBytes: 0, baseBytes: 0 })),
      put: amount(sheet.put),
      get: amount(sheet.get),
      list: amount(sheet.list),
      retrievalPerGb: amount(sheet.retrievalPerGb),
      egressPerGb: bands(sheet.egressPerGb),
      minDays: amount(sheet.minDays),
      minBillableBytes: amount(sheet.minBillableBytes),
      transition: sheet.transition && amount(sheet.transition),
    };
  });
  return { ...book, classSheet };
}
