import { createHash } from 'node:crypto';
import {
  createCatalogue,
  type Catalogue,
  type ProviderName,
  type StoreData,
} from '../providers/catalogue.ts';
import { SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import {
  EVERY_REGION,
  isFigure,
  parseAmount,
  type ProviderData,
  type SourcedPrice,
  type SwitchingChargeBan,
} from './price-data.ts';
import { toProviderData } from './store-sheet.ts';
import { buildSheet, type ClassSheet } from './price-sheet.ts';

/** A change of class that a rule of the provider can make on objects of an age or older. */
export interface InPlaceStep {
  readonly to: string;
  readonly minAgeDays: number;
}

/** The facts about prices, at one version. Every stored decision names that version. */
export interface PriceBook {
  readonly version: string;
  /** Names its content. */
  readonly id: string;
  /** The stores that it prices. */
  readonly catalogue: Catalogue;
  /** Names what is in force at a time: it changes on each day on which a law forbids a charge. */
  editionAt(at: Date): string;
  /**
   * The prices of a storage class; null if the book does not price the class.
   *
   * @throws Error if the book has no such provider: a defect of the book.
   */
  readonly classSheet: FindSheet;
  /** The class that listings, parts of uploads and classes without a sheet are priced by. */
  baseClass(provider: ProviderName): string;
  /** The changes of class that may be recommended, the preferred one of equals first. */
  inPlaceSteps(provider: ProviderName, storageClass: string): readonly InPlaceStep[];
  /** Those that it has prices of by name; none if it has the same prices in all. */
  regions(provider: ProviderName): readonly string[];
  /** Whether it has prices of the region itself. */
  hasRegion(provider: ProviderName, region: string): boolean;
  /** The regions by the prefixes of their usage types; `''` is the region without one. */
  readonly billRegions: ReadonlyMap<string, string>;
  /** What a GB costs at the provider that the customer's machines there read from another store. */
  insideReadPerGb(provider: ProviderName): SourcedPrice<number>;
  /** The least that the provider charges a month, in USD; 0 for most. */
  floorUsdPerMonth(provider: ProviderName): number;
  /**
   * The minimum billable sizes of the catalogue that a scan has to count objects below, in bytes,
   * smallest first: without the size of small objects, which it counts anyway.
   */
  readonly minBillableSizes: readonly number[];
  /** Null if no such law is known. */
  switchingChargeBan(provider: ProviderName): SwitchingChargeBan | null;
}

export type FindSheet = (
  provider: ProviderName,
  region: string,
  storageClass: string,
) => ClassSheet | null;

interface PriceBookData {
  readonly version: string;
  readonly providers: Readonly<Record<string, ProviderData>>;
}

const FREE = { usd: 0, confidence: 'high' };

/**
 * Reads a price book from its data file (`data/price-book.json`), for the stores of a catalogue:
 * those that the book does not price have a sheet of their own. Sheets are built once.
 */
export function createPriceBook(data: unknown, stores: readonly StoreData[]): PriceBook {
  const book = data as PriceBookData;
  if (typeof book.version !== 'string') throw new Error('the price book has no version');
  const own = stores.flatMap(({ provider, sheet, confidence }) =>
    sheet ? [[provider, toProviderData(sheet, confidence)]] : [],
  );
  const providers: PriceBookData['providers'] = { ...Object.fromEntries(own), ...book.providers };

  const providerData = (provider: ProviderName): ProviderData => {
    const data = providers[provider];
    if (!data) throw new Error(`price book ${book.version} has no provider ${provider}`);
    return data;
  };

  const content = createHash('sha256')
    .update(JSON.stringify([data, stores]))
    .digest('hex');
  const id = `${book.version}/${content.slice(0, 12)}`;
  const banDays = Object.values(providers).flatMap(({ switchingChargeBan: ban }) =>
    ban ? [Date.parse(ban.from)] : [],
  );

  return {
    version: book.version,
    id,
    catalogue: createCatalogue(stores),
    editionAt: (at) => `${id}/${banDays.filter((day) => day <= at.getTime()).length}`,
    classSheet: memoizeSheets((provider, region, storageClass) =>
      buildSheet(providerData(provider), region, storageClass),
    ),
    baseClass: (provider) => providerData(provider).baseClass,
    inPlaceSteps: (provider, storageClass) =>
      providerData(provider).inPlaceSteps.filter(({ from }) => from === storageClass),
    regions: (provider) =>
      Object.keys(providerData(provider).regions).filter((region) => region !== EVERY_REGION),
    hasRegion(provider, region) {
      const { fallbackRegion, regions } = providerData(provider);
      return fallbackRegion === undefined || Object.hasOwn(regions, region);
    },
    billRegions: billRegions(Object.values(providers)),
    insideReadPerGb(provider) {
      const { usd, confidence } = providerData(provider).insideReadPerGb ?? FREE;
      return { value: usd, name: 'insideReadPerGb', fallbackRegion: null, confidence };
    },
    floorUsdPerMonth: (provider) => providerData(provider).floorUsdPerMonth ?? 0,
    minBillableSizes: minBillableSizes(Object.values(providers)),
    switchingChargeBan: (provider) => providerData(provider).switchingChargeBan ?? null,
  };
}

/** The prices of a class. @throws Error if the book lacks them: a defect of the book. */
export function requireSheet(
  { version, classSheet }: Pick<PriceBook, 'version' | 'classSheet'>,
  provider: ProviderName,
  region: string,
  storageClass: string,
): ClassSheet {
  const sheet = classSheet(provider, region, storageClass);
  if (!sheet) throw new Error(`price book ${version} has no sheet for ${provider} ${storageClass}`);
  return sheet;
}

function minBillableSizes(providers: readonly ProviderData[]): readonly number[] {
  const sizes = new Set<number>();
  for (const { regions } of providers)
    for (const { classes } of Object.values(regions))
      for (const { minBillableKiB } of Object.values(classes))
        if (minBillableKiB !== undefined) sizes.add(parseAmount(minBillableKiB) * 1024);
  return [...sizes]
    .filter((bytes) => bytes > 0 && bytes !== SMALL_OBJECT_BYTES)
    .sort((a, b) => a - b);
}

function billRegions(providers: readonly ProviderData[]): ReadonlyMap<string, string> {
  return new Map(
    providers.flatMap(({ regions }) =>
      Object.entries(regions).flatMap(([region, { billPrefixes = [] }]) =>
        billPrefixes.map((prefix): [string, string] => [prefix, region]),
      ),
    ),
  );
}

/**
 * A price book of an operator.
 *
 * @throws Error that names what it lacks
 */
export function parsePriceBook(data: unknown, stores: readonly StoreData[]): PriceBook {
  const { providers = {} } = (data ?? {}) as Partial<PriceBookData>;
  for (const [provider, each] of Object.entries(providers)) checkProvider(provider, each);
  const book = createPriceBook(data, stores);
  for (const provider of book.catalogue.providers) {
    const baseClass = book.baseClass(provider);
    const { regions = {} } = providers[provider] ?? {};
    for (const [region, { classes }] of Object.entries(regions))
      for (const storageClass of [baseClass, ...Object.keys(classes)])
        if (!book.classSheet(provider, region, storageClass))
          throw new Error(`it lacks figures of ${provider} ${storageClass} in ${region}`);
  }
  return book;
}

const REQUIRED = [
  'bytesPerGb',
  'egressFreeMultipleOfStorage',
  'baseClass',
  'archivedClasses',
  'inPlaceSteps',
  'regions',
] as const satisfies (keyof ProviderData)[];

/** @throws Error that names what the entry lacks */
function checkProvider(provider: string, data: Partial<ProviderData>): void {
  const lacks = (what: string): never => {
    throw new Error(`${provider} lacks ${what}`);
  };
  for (const name of REQUIRED) if (data[name] === undefined) lacks(name);
  const { fallbackRegion, regions = {} } = data;
  if (fallbackRegion !== undefined && !regions[fallbackRegion])
    lacks(`its fallback region ${fallbackRegion}`);
  for (const [region, each] of Object.entries(regions)) {
    const { confidence, billPrefixes, classes, egressPerGb } = each;
    if (typeof confidence !== 'string') lacks(`the confidence of ${region}`);
    if (fallbackRegion !== undefined && region !== EVERY_REGION && !Array.isArray(billPrefixes))
      lacks(`billPrefixes of ${region}`);
    if (typeof classes !== 'object') lacks(`the classes of ${region}`);
    if (egressPerGb !== undefined && !isFigure(egressPerGb))
      lacks(`a price for egressPerGb of ${region}`);
    for (const [storageClass, figures] of Object.entries(classes))
      for (const [name, figure] of Object.entries(figures))
        if (!isFigure(figure)) lacks(`a price for ${name} of ${storageClass} in ${region}`);
  }
}

/** Keeps one sheet for each provider, region and class. */
export function memoizeSheets(build: FindSheet): FindSheet {
  const built = new Map<string, ClassSheet | null>();
  return (provider, region, storageClass) => {
    const id = `${provider}/${region}/${storageClass}`;
    const cached = built.get(id);
    if (cached !== undefined) return cached;
    const sheet = build(provider, region, storageClass);
    built.set(id, sheet);
    return sheet;
  };
}
