import type { ProviderName } from '../../domain/provider/catalogue.ts';
import { Fraction } from './fraction.ts';
import {
  asProvider,
  PROJECT_PRICES,
  type Band,
  type PriceData,
  type RawFigure,
  type RawProvider,
  type RawRegion,
  type RawStore,
} from './price-files.ts';

/** The figures of the price book and of the stores' own sheets. */

/** Prices with what was looked up in them. */
interface Prices {
  readonly stores: ReadonlyMap<ProviderName, RawStore>;
  readonly providers: ReadonlyMap<ProviderName, RawProvider>;
  readonly found: Map<string, Figure | null>;
}

function pricesOf({ book, stores }: PriceData): Prices {
  const providers = stores.flatMap((store) => {
    const raw = book.providers[store.provider] ?? asProvider(store);
    return raw ? [[store.provider, raw] as const] : [];
  });
  return {
    stores: new Map(stores.map((store) => [store.provider, store])),
    providers: new Map(providers),
    found: new Map(),
  };
}

let current = pricesOf(PROJECT_PRICES);

/** What a computation gives with other prices than the project's own. */
export function withPrices<T>(data: PriceData, compute: () => T): T {
  const own = current;
  current = pricesOf(data);
  try {
    return compute();
  } finally {
    current = own;
  }
}

export const AWS: ProviderName = 'aws';
/** All stores, in the catalogue's order. */
export const allStores = (): readonly ProviderName[] => [...current.stores.keys()];
/** What objects of a store may move to, in the catalogue's order. */
export const targetsOf = (source: ProviderName): readonly ProviderName[] =>
  allStores().filter((provider) => provider !== source);

function rawOf(provider: ProviderName): RawProvider {
  const raw = current.providers.get(provider);
  if (raw === undefined) throw new Error(`no prices of ${provider}`);
  return raw;
}
const storeOf = (provider: ProviderName) => current.stores.get(provider);

/** A number as it is written, powers of ten too. */
function exact(value: number): Fraction {
  const [digits = '', power = '0'] = String(value).split('e');
  const ten = Fraction.of(10n ** BigInt(Math.abs(Number(power))));
  const whole = Fraction.of(digits);
  return Number(power) < 0 ? whole.dividedBy(ten) : whole.times(ten);
}

/** A figure of the book; uncertain where it comes from another region or is not of high confidence. */
export interface Figure {
  /** Each holds up to its bound in the provider's own GB, the last one without end. */
  readonly bands: readonly { readonly uptoGb: Fraction | null; readonly usd: Fraction }[];
  readonly uncertain: boolean;
}

/** An amount of money; uncertain where an uncertain figure adds to it. */
export interface Amount {
  readonly usd: Fraction;
  readonly uncertain: boolean;
}

/** A figure without bands, which is sure. */
export const flat = (usd: Fraction): Figure => ({
  bands: [{ uptoGb: null, usd }],
  uncertain: false,
});

export const NOTHING: Amount = { usd: Fraction.ZERO, uncertain: false };

export function sum(amounts: readonly Amount[]): Amount {
  return {
    usd: Fraction.sum(amounts.map(({ usd }) => usd)),
    uncertain: amounts.some(({ uncertain }) => uncertain),
  };
}

/** A quantity times the first band of each figure. An amount of zero is never uncertain. */
export function amount(quantity: Fraction, ...figures: readonly Figure[]): Amount {
  const usd = figures.reduce((product, figure) => product.times(first(figure)), quantity);
  return { usd, uncertain: !usd.isZero() && figures.some(({ uncertain }) => uncertain) };
}

/** The figure, each of its bands a multiple. */
export const multiple = ({ bands, uncertain }: Figure, factor: Fraction): Figure => ({
  bands: bands.map(({ uptoGb, usd }) => ({ uptoGb, usd: usd.times(factor) })),
  uncertain,
});

/** The figure's value where it has no bands, else its first band's. */
export function first({ bands: [band] }: Figure): Fraction {
  if (band === undefined) throw new Error('a figure without a value');
  return band.usd;
}

/** The cost of a number of GB, each band's share at its own rate. */
export function banded({ bands, uncertain }: Figure, gb: Fraction): Amount {
  let [usd, from] = [Fraction.ZERO, Fraction.ZERO];
  for (const { uptoGb, usd: rate } of bands) {
    const upTo = uptoGb === null ? gb : gb.min(uptoGb);
    if (from.isBelow(upTo)) usd = usd.plus(upTo.minus(from).times(rate));
    from = uptoGb ?? gb;
  }
  return { usd, uncertain: !usd.isZero() && uncertain };
}

/** Bytes in the provider's own GB. */
export function gb(provider: ProviderName, bytes: number | bigint): Fraction {
  return Fraction.of(bytes).dividedBy(Fraction.of(rawOf(provider).bytesPerGb));
}

/** So many in thousands, as requests are priced. */
export const thousands = (many: number): Fraction => Fraction.of(many).times(Fraction.of('0.001'));

function lookUp(
  provider: ProviderName,
  region: string,
  find: (region: RawRegion | undefined) => RawFigure | undefined,
  part?: string,
): Figure | null {
  const { regions, fallbackRegion } = rawOf(provider);
  const here = find(regions[region]);
  const raw = here ?? find(regions[fallbackRegion]);
  if (raw === undefined) return null;
  const isFallback = here === undefined && fallbackRegion !== '*';
  const value = part === undefined ? raw.value : (raw.value as Record<string, number>)[part];
  const bands = (Array.isArray(value) ? value : [{ uptoGb: null, usd: value }]) as readonly Band[];
  return {
    bands: bands.map(({ uptoGb, usd }, index) => ({
      uptoGb: uptoGb === null || index === bands.length - 1 ? null : exact(uptoGb),
      usd: exact(usd).times(Fraction.of(raw.times ?? '1')),
    })),
    uncertain: isFallback || raw.confidence !== 'high',
  };
}

/** Where objects are; a class of objects in a region of a provider. */
export interface Place {
  readonly provider: ProviderName;
  readonly region: string;
  readonly storageClass: string;
}

/** The region that a store is priced in where none is configured. */
export const defaultRegion = (provider: ProviderName): string =>
  storeOf(provider)?.defaultRegion ?? storeOf(provider)?.regionExample ?? '';

export const isArchived = ({ provider, storageClass }: Omit<Place, 'region'>): boolean =>
  provider === AWS && ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass);

/** Whether the region or its fallback region lists the class. */
export function hasSheet({ provider, region, storageClass }: Place): boolean {
  const { regions, fallbackRegion } = rawOf(provider);
  return [region, fallbackRegion].some((name) => regions[name]?.classes[storageClass]);
}

/** A class's figure by its name in the file, null where there is none. `part` is a field of its value. */
export function figureOrNone(place: Place, name: string, part?: string): Figure | null {
  const { provider, region, storageClass } = place;
  const id = [provider, region, storageClass, name, part].join(' ');
  const known = current.found.get(id);
  if (known !== undefined) return known;
  const found = lookUp(provider, region, (raw) => raw?.classes[storageClass]?.[name], part);
  current.found.set(id, found);
  return found;
}

/** As `figureOrNone()`. @throws where there is none. */
export function figure(place: Place, name: string): Figure {
  const found = figureOrNone(place, name);
  if (found === null) throw new Error(`no ${name} of ${place.storageClass} in ${place.region}`);
  return found;
}

/** Egress to the internet per GB. */
export function egressPerGb({ provider, region }: Place): Figure {
  const found = lookUp(provider, region, (raw) => raw?.egressPerGb);
  if (found === null) throw new Error(`no egress in ${region}`);
  return found;
}

/** Full reads per month without egress cost. */
export const freeReads = (provider: ProviderName): Fraction =>
  exact(rawOf(provider).egressFreeMultipleOfStorage);

/** Whether more than the free egress is against the terms. */
export const refusesMore = (provider: ProviderName): boolean =>
  rawOf(provider).refusesEgressBeyondFree ?? false;

/** The least that a provider charges a month. */
export const floorUsd = (provider: ProviderName): Fraction =>
  exact(rawOf(provider).floorUsdPerMonth ?? 0);

/** The largest object that a provider stores, in bytes. */
export const maxObjectBytes = (provider: ProviderName): number =>
  storeOf(provider)?.limits.objectBytes ?? Infinity;

/** The least that is billed of an object of a class, in bytes; 0 for most. */
export function minimumBytes(place: Place): number {
  const kib = figureOrNone(place, 'minBillableKiB');
  return kib === null ? 0 : first(kib).times(Fraction.of(1024)).toDecimals(0);
}

/** All minimum sizes that there are, smallest first. */
export function minimumSizes(): readonly number[] {
  const sizes = [...current.providers].flatMap(([provider, { regions }]) =>
    Object.entries(regions).flatMap(([region, { classes }]) =>
      Object.keys(classes).map((storageClass) => minimumBytes({ provider, region, storageClass })),
    ),
  );
  return [...new Set(sizes)].filter((bytes) => bytes > 0).sort((a, b) => a - b);
}
