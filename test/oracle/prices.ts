import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { Fraction } from './fraction.ts';
import {
  INSIDE_READ_PER_GB,
  PROJECT_PRICES,
  sheetFacts,
  type Band,
  type CatalogueStore,
  type PriceData,
  type RegionFacts,
  type StoreFacts,
  type Value,
} from './price-files.ts';

/** Section 1 of the pricing rules: the figures of the sheets. */

/** Prices with what was looked up in them. */
interface Prices {
  readonly stores: ReadonlyMap<ProviderName, CatalogueStore>;
  readonly facts: ReadonlyMap<ProviderName, StoreFacts>;
  readonly found: Map<string, Figure | null>;
  /** Each store with each class that it has. */
  readonly classes: ReadonlySet<string>;
  readonly minimumSizes: { all: readonly number[] | null };
}

function pricesOf({ facts, stores }: PriceData): Prices {
  const known = stores.flatMap(({ provider, sheet, confidence = 'high' }) => {
    const own = facts[provider] ?? (sheet && sheetFacts(sheet, confidence));
    return own ? [[provider, own] as const] : [];
  });
  const classes = known.flatMap(([provider, { regions }]) =>
    Object.values(regions).flatMap((region) =>
      Object.keys(region.classes).map((storageClass) => `${provider} ${storageClass}`),
    ),
  );
  return {
    stores: new Map(stores.map((store) => [store.provider, store])),
    facts: new Map(known),
    found: new Map(),
    classes: new Set(classes),
    minimumSizes: { all: null },
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
export const STANDARD = 'STANDARD';
/** Where prices are taken from that another region does not have. */
const HOME = 'us-east-1';

/** All stores, in the catalogue's order. */
export const allStores = (): readonly ProviderName[] => [...current.stores.keys()];
/** What objects of a store may move to, in the catalogue's order. */
export const targetsOf = (source: ProviderName): readonly ProviderName[] =>
  allStores().filter((provider) => provider !== source);

function factsOf(provider: ProviderName): StoreFacts {
  const facts = current.facts.get(provider);
  if (facts === undefined) throw new Error(`no prices of ${provider}`);
  return facts;
}

/** A number as it is written, powers of ten too. */
export function exact(value: number): Fraction {
  const [digits = '', power = '0'] = String(value).split('e');
  const ten = Fraction.of(10n ** BigInt(Math.abs(Number(power))));
  const whole = Fraction.of(digits);
  return Number(power) < 0 ? whole.dividedBy(ten) : whole.times(ten);
}

/** A figure of a sheet; uncertain where it comes from another region or is not of high confidence. */
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

/** So many times an amount. */
export function scaled({ usd, uncertain }: Amount, times: Fraction): Amount {
  const product = usd.times(times);
  return { usd: product, uncertain: uncertain && !product.isZero() };
}

/** A quantity times the first band of each figure. An amount of zero is never uncertain. */
export function amount(quantity: Fraction, ...figures: readonly Figure[]): Amount {
  const usd = figures.reduce((product, figure) => product.times(first(figure)), quantity);
  return { usd, uncertain: !usd.isZero() && figures.some(({ uncertain }) => uncertain) };
}

const ONE = Fraction.of(1);

/** The figure, each of its bands a multiple. */
export function multiple(figure: Figure, factor: Fraction): Figure {
  if (factor.compare(ONE) === 0) return figure;
  const bands = figure.bands.map(({ uptoGb, usd }) => ({ uptoGb, usd: usd.times(factor) }));
  return { bands, uncertain: figure.uncertain };
}

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
  return Fraction.of(bytes).dividedBy(Fraction.of(factsOf(provider).bytesPerGb));
}

/** Where objects are; a class of objects in a region of a provider. */
export interface Place {
  readonly provider: ProviderName;
  readonly region: string;
  readonly storageClass: string;
}

function asFigure(value: Value, uncertain: boolean): Figure {
  const bands = (Array.isArray(value) ? value : [{ uptoGb: null, usd: value }]) as readonly Band[];
  return {
    bands: bands.map(({ uptoGb, usd }, index) => ({
      uptoGb: uptoGb === null || index === bands.length - 1 ? null : exact(uptoGb),
      usd: exact(usd),
    })),
    uncertain,
  };
}

type Find = (region: RegionFacts) => Value | undefined;

const valueIn = (region: RegionFacts | undefined, find: Find): Value | undefined =>
  region && find(region);

function own({ provider, region }: Omit<Place, 'storageClass'>, find: Find): Figure | null {
  const { regions } = factsOf(provider);
  const here = regions[region] ?? regions['*'];
  const value = valueIn(here, find);
  return value === undefined ? null : asFigure(value, here?.confidence !== 'high');
}

/** The highest figure of all regions; of lists, the one that begins highest. */
function highest(provider: ProviderName, find: Find): Figure | null {
  const all = Object.values(factsOf(provider).regions).flatMap((region) => {
    const value = find(region);
    return value === undefined ? [] : [asFigure(value, true)];
  });
  return all.sort((a, b) => first(b).compare(first(a)))[0] ?? null;
}

/** That of us-east-1, times what STANDARD costs here of what it costs there. */
function asAtHome({ provider, region }: Place, find: Find): Figure | null {
  const { regions } = factsOf(provider);
  const value = valueIn(regions[HOME], find);
  if (value === undefined) return null;
  const standard = (name: string) => {
    const rate = regions[name]?.classes[STANDARD]?.['storagePerGbMonth'];
    return rate === undefined ? null : first(asFigure(rate, false));
  };
  const [here, there] = [standard(region), standard(HOME)];
  const factor = here && there ? here.dividedBy(there) : Fraction.of(1);
  return multiple(asFigure(value, true), factor);
}

function remembered(id: string, find: () => Figure | null): Figure | null {
  const known = current.found.get(id);
  if (known !== undefined) return known;
  const found = find();
  current.found.set(id, found);
  return found;
}

const idOf = ({ provider, region, storageClass }: Place, name: string) =>
  [provider, region, storageClass, name].join(' ');

const STORAGE = 'storagePerGbMonth';
export const TIERS = {
  frequent: 'frequentPerGbMonth',
  infrequent: 'infrequentPerGbMonth',
  archiveInstant: 'archiveInstantPerGbMonth',
} as const;

/** A storage rate; null where the store has no such class, or the class no such rate. */
const storageOrNone = (place: Place, name: string = STORAGE): Figure | null =>
  remembered(idOf(place, name), () => {
    const find: Find = ({ classes }) => classes[place.storageClass]?.[name];
    return own(place, find) ?? asAtHome(place, find);
  });

/** A figure of a class that is no storage rate, `part` of it where it has several; null where there is none. */
export const figureOrNone = (place: Place, name: string, part?: string): Figure | null =>
  remembered(idOf(place, `${name} ${part}`), () => {
    const find: Find = ({ classes }) => {
      const value = classes[place.storageClass]?.[name];
      return part === undefined ? value : (value as Record<string, number> | undefined)?.[part];
    };
    return own(place, find) ?? highest(place.provider, find);
  });

function required(found: Figure | null, place: Place, name: string): Figure {
  if (found === null) throw new Error(`no ${name} of ${place.storageClass} in ${place.region}`);
  return found;
}

export const storageRate = (place: Place, name: string = STORAGE): Figure =>
  required(storageOrNone(place, name), place, name);

const REQUESTS = { PerRequest: '1', Per1000: '0.001', PerMillion: '0.000001' };

type Request = 'put' | 'get' | 'list' | 'transitionInto';

function requestOrNone(place: Place, name: Request): Figure | null {
  for (const [unit, share] of Object.entries(REQUESTS)) {
    const many = figureOrNone(place, name + unit);
    if (many !== null) return multiple(many, Fraction.of(share));
  }
  return name === 'list' ? perRequest({ ...place, storageClass: STANDARD }, 'put') : null;
}

/** Of one request. Where a store has no figure for listings, they cost what STANDARD's puts do. */
export function perRequest(place: Place, name: Request): Figure {
  const found = remembered(idOf(place, `one ${name}`), () => requestOrNone(place, name));
  return required(found, place, name);
}

export const retrievalPerGb = (place: Place): Figure =>
  figureOrNone(place, 'retrievalPerGb') ?? flat(Fraction.ZERO);

export const monitoringPerObject = (place: Place): Figure =>
  multiple(
    required(figureOrNone(place, 'monitoringPer1000ObjectsMonth'), place, 'monitoring'),
    Fraction.of('0.001'),
  );

/** The fewest days that are billed of an object of a class. */
export const minimumDays = (place: Place): Figure =>
  figureOrNone(place, 'minDays') ?? flat(Fraction.ZERO);

/** Egress to the internet per GB. */
export function egressPerGb(place: Place): Figure {
  const find: Find = ({ egressPerGb: value }) => value;
  const found = remembered(
    idOf({ ...place, storageClass: '' }, 'egress'),
    () => own(place, find) ?? highest(place.provider, find),
  );
  return required(found, place, 'egress');
}

/** What machines in AWS pay for a GB that they read from elsewhere. */
export const insideReadPerGb = (): Fraction => exact(INSIDE_READ_PER_GB);

/** The region that a store is priced in where none is configured. */
export const defaultRegion = (provider: ProviderName): string => {
  const store = current.stores.get(provider);
  return store?.defaultRegion ?? store?.regionExample ?? '';
};

/** Objects that have to be restored before they are read. */
export const isArchived = ({ provider, storageClass }: Omit<Place, 'region'>): boolean =>
  provider === AWS && ['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass);

/** Whether the store has such a class. */
export const hasSheet = ({ provider, storageClass }: Place): boolean =>
  current.classes.has(`${provider} ${storageClass}`);

/** The region of a usage type by what it begins with; null where no region has that. */
export const regionOfBillPrefix = (prefix: string): string | null =>
  Object.entries(factsOf(AWS).regions).find(([, { billPrefixes }]) =>
    billPrefixes.includes(prefix),
  )?.[0] ?? null;

/** Full reads per month without egress cost. */
export const freeReads = (provider: ProviderName): Fraction =>
  exact(factsOf(provider).freeMultiple);

/** Whether more than the free egress is against the terms. */
export const refusesMore = (provider: ProviderName): boolean => factsOf(provider).refusesMore;

/** The least that a provider charges a month. */
export const floorUsd = (provider: ProviderName): Fraction =>
  exact(factsOf(provider).floorUsdPerMonth);

/** The largest object that a provider stores, in bytes. */
export const maxObjectBytes = (provider: ProviderName): number =>
  current.stores.get(provider)?.limits.objectBytes ?? Infinity;

/** The least that is billed of an object of a class, in bytes; 0 for most. */
export function minimumBytes(place: Place): number {
  const kib = figureOrNone(place, 'minBillableKiB');
  if (kib !== null) return first(kib).times(Fraction.of(1024)).toDecimals(0);
  const bytes = figureOrNone(place, 'minBillableBytes');
  return bytes === null ? 0 : first(bytes).toDecimals(0);
}

/** All minimum sizes that there are, smallest first. */
export function minimumSizes(): readonly number[] {
  current.minimumSizes.all ??= findMinimumSizes();
  return current.minimumSizes.all;
}

function findMinimumSizes(): readonly number[] {
  const sizes = [...current.facts].flatMap(([provider, { regions }]) =>
    Object.entries(regions).flatMap(([region, { classes }]) =>
      Object.keys(classes).map((storageClass) => minimumBytes({ provider, region, storageClass })),
    ),
  );
  return [...new Set(sizes)].filter((bytes) => bytes > 0).sort((a, b) => a - b);
}
