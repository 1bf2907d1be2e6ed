import type { PriceBand } from '../providers/store-sheet.ts';

/** The price book's figures as `data/price-book.json` has them, and how they are found and read. */

export type Band = PriceBand;

export type Bands = readonly [Band, ...Band[]];

/** A price with its source. */
export interface SourcedPrice<T> {
  readonly value: T;
  /** As the book names it. */
  readonly name: string;
  /** The region that it comes from; null if it is the region's own. */
  readonly fallbackRegion: string | null;
  readonly confidence: string;
}

/** What is billed on top of each object, in KiB. */
interface Overhead {
  readonly atClassRate: number;
  readonly atStandardRate: number;
}

export type Figure = number | Bands | Overhead;

interface RegionData {
  /** Confidence in all its figures. */
  readonly confidence: string;
  /** What usage types of the region begin with on a bill; an empty one stands for none. */
  readonly billPrefixes?: readonly string[];
  readonly classes: Readonly<Record<string, Readonly<Record<string, Figure>>>>;
  readonly egressPerGb?: Figure;
}

/** The entry whose figures hold in every region that has none of its own. */
export const EVERY_REGION = '*';

/**
 * A law that forbids a provider to charge customers for switching to another one, egress included.
 * It holds for data in some of the provider's regions from a day on.
 */
export interface SwitchingChargeBan {
  /** The first day, in UTC, as `2027-01-12`. */
  readonly from: string;
  /** Its name within a sentence. */
  readonly law: string;
  readonly territory: string;
  readonly regions: readonly string[];
}

export interface ProviderData {
  readonly bytesPerGb: number;
  /** The region whose storage rates stand for those that another one lacks. */
  readonly fallbackRegion?: string;
  readonly egressFreeMultipleOfStorage: number;
  /** More egress than what is free is against the provider's terms. False by default. */
  readonly refusesEgressBeyondFree?: boolean;
  /** The least that the provider charges a month, in USD. 0 by default. */
  readonly floorUsdPerMonth?: number;
  /** Per GB that the customer's machines at the provider read from a store outside. Default 0. */
  readonly insideReadPerGb?: { readonly usd: number; readonly confidence: string };
  readonly switchingChargeBan?: SwitchingChargeBan;
  /** The class that listings, parts of uploads and classes without a sheet are priced by. */
  readonly baseClass: string;
  readonly archivedClasses: readonly string[];
  readonly inPlaceSteps: readonly {
    readonly from: string;
    readonly to: string;
    readonly minAgeDays: number;
  }[];
  readonly regions: Readonly<Record<string, RegionData>>;
}

export type SourcedFigure = SourcedPrice<Figure>;

/** A name of a figure and how a region's entry has it. */
interface Wanted {
  readonly name: string;
  readonly read: (data: RegionData) => Figure | undefined;
}

/** What the names of storage rates end with. */
const STORAGE_RATE = 'PerGbMonth';

/**
 * The figures of a class in a region. Where neither it nor {@link EVERY_REGION} has one, another
 * region's stands for it:
 *
 * | figure         | what stands for it                                                                |
 * |----------------|-----------------------------------------------------------------------------------|
 * | a storage rate | the fallback region's, scaled by what the base class costs here and there         |
 * | any other      | the highest of all regions                                                        |
 */
export function findFigures(provider: ProviderData, region: string, storageClass: string) {
  const find = (wanted: Wanted) =>
    ownFigure(provider, region, wanted) ??
    (wanted.name.endsWith(STORAGE_RATE)
      ? scaledFigure(provider, region, wanted)
      : highestFigure(provider, wanted));
  return {
    ofClass: (name: string) => find({ name, read: ({ classes }) => classes[storageClass]?.[name] }),
    egress: () => find({ name: 'egress', read: ({ egressPerGb }) => egressPerGb }),
  };
}

function ownFigure(
  { regions }: ProviderData,
  region: string,
  { name, read }: Wanted,
): SourcedFigure | undefined {
  for (const data of [regions[region], regions[EVERY_REGION]]) {
    const value = data && read(data);
    if (data && value !== undefined)
      return { value, name, fallbackRegion: null, confidence: data.confidence };
  }
  return undefined;
}

function scaledFigure(
  provider: ProviderData,
  region: string,
  wanted: Wanted,
): SourcedFigure | undefined {
  const { fallbackRegion, baseClass } = provider;
  if (fallbackRegion === undefined) return undefined;
  const rate = ownFigure(provider, fallbackRegion, wanted);
  const base: Wanted = {
    name: 'storagePerGbMonth',
    read: ({ classes }) => classes[baseClass]?.['storagePerGbMonth'],
  };
  const here = ownFigure(provider, region, base);
  const there = ownFigure(provider, fallbackRegion, base);
  const scale = here && there ? parseAmount(here.value) / parseAmount(there.value) : 1;
  return rate && { ...rate, value: timesBands(parseBands(rate.value), scale), fallbackRegion };
}

function highestFigure(
  { regions }: ProviderData,
  { name, read }: Wanted,
): SourcedFigure | undefined {
  let highest: SourcedFigure | undefined;
  for (const [fallbackRegion, data] of Object.entries(regions)) {
    const value = read(data);
    if (value !== undefined && (!highest || size(value) > size(highest.value)))
      highest = { value, name, fallbackRegion, confidence: data.confidence };
  }
  return highest;
}

/** By which figures of one name are compared. */
function size(figure: Figure): number {
  return isOverhead(figure) ? figure.atClassRate : parseAmount(figure);
}

/** A figure that no region lists is free. */
export function absent(name: string): SourcedFigure {
  return { value: 0, name, fallbackRegion: null, confidence: 'high' };
}

export function sourced<T>(figure: SourcedFigure, read: (value: Figure) => T): SourcedPrice<T> {
  return { ...figure, value: read(figure.value) };
}

export function perThousand(figure: SourcedFigure): SourcedPrice<number> {
  return sourced(figure, (value) => parseAmount(value) / 1000);
}

export function parseBands(value: Figure): Bands {
  if (typeof value === 'number') return [{ uptoGb: null, usd: value }];
  if (isOverhead(value)) throw new Error('the price book has a figure without bands');
  return value;
}

export function parseAmount(value: Figure): number {
  return parseBands(value)[0].usd;
}

export function parseOverhead(value: Figure): { ownBytes: number; baseBytes: number } {
  if (!isOverhead(value)) return { ownBytes: 0, baseBytes: 0 };
  return { ownBytes: value.atClassRate * 1024, baseBytes: value.atStandardRate * 1024 };
}

/** Whether a value of a file has one of the forms of a figure. */
export function isFigure(value: unknown): value is Figure {
  if (isAmount(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value)) {
    const { atClassRate, atStandardRate } = value as Partial<Overhead>;
    return isAmount(atClassRate) && isAmount(atStandardRate);
  }
  const bands = value as readonly Partial<Band>[];
  return (
    bands.length > 0 &&
    bands.every(({ uptoGb, usd }) => (uptoGb === null || isAmount(uptoGb)) && isAmount(usd))
  );
}

export function timesBands([first, ...more]: Bands, factor: number): Bands {
  const scaled = (band: Band) => ({ ...band, usd: band.usd * factor });
  return [scaled(first), ...more.map(scaled)];
}

function isOverhead(value: Figure): value is Overhead {
  return typeof value === 'object' && 'atClassRate' in value;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
