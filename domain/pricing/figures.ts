import type { PriceBand } from '../provider/store-sheet.ts';

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

interface Figure {
  readonly value:
    number | Bands | { readonly atClassRate: number; readonly atStandardRate: number };
  readonly confidence: string;
}

interface RegionData {
  readonly classes: Readonly<Record<string, Readonly<Record<string, Figure>>>>;
  readonly egressPerGb?: Figure;
}

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
  /** The region whose figures apply if a region lacks its own; `*` applies to every region. */
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  /** More egress than what is free is against the provider's terms. False by default. */
  readonly refusesEgressBeyondFree?: boolean;
  /** The least that the provider charges a month, in USD. 0 by default. */
  readonly floorUsdPerMonth?: number;
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

export type SourcedFigure = SourcedPrice<Figure['value']>;

/** The figures of a class in a region; those of the provider's fallback region if it has none. */
export function findFigures(provider: ProviderData, region: string, storageClass: string) {
  const own = provider.regions[region];
  const fallback = provider.regions[provider.fallbackRegion];
  const isOwn = provider.fallbackRegion === '*' || region === provider.fallbackRegion;
  const fallbackRegion = isOwn ? null : provider.fallbackRegion;

  const figure = (
    name: string,
    read: (data: RegionData) => Figure | undefined,
  ): SourcedFigure | undefined => {
    const found = own && read(own);
    if (found)
      return { value: found.value, name, fallbackRegion: null, confidence: found.confidence };
    const other = fallback && read(fallback);
    return other && { value: other.value, name, fallbackRegion, confidence: other.confidence };
  };
  return {
    ofClass: (name: string) => figure(name, (data) => data.classes[storageClass]?.[name]),
    egress: () => figure('egress', (data) => data.egressPerGb),
  };
}

/** A figure that neither region lists is free. */
export function absent(name: string): SourcedFigure {
  return { value: 0, name, fallbackRegion: null, confidence: 'high' };
}

export function sourced<T>(
  figure: SourcedFigure,
  read: (value: Figure['value']) => T,
): SourcedPrice<T> {
  return { ...figure, value: read(figure.value) };
}

export function perThousand(figure: SourcedFigure): SourcedPrice<number> {
  return sourced(figure, (value) => parseAmount(value) / 1000);
}

export function parseBands(value: Figure['value']): Bands {
  if (typeof value === 'number') return [{ uptoGb: null, usd: value }];
  if ('atClassRate' in value) throw new Error('the price book has a figure without bands');
  return value;
}

export function parseAmount(value: Figure['value']): number {
  return parseBands(value)[0].usd;
}

export function parseOverhead(value: Figure['value']): { ownBytes: number; baseBytes: number } {
  if (typeof value === 'number' || !('atClassRate' in value)) return { ownBytes: 0, baseBytes: 0 };
  return { ownBytes: value.atClassRate * 1024, baseBytes: value.atStandardRate * 1024 };
}
