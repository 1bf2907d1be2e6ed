/** The prices of one storage class of one provider in one region, from the price book's figures. */

/** A price that holds up to a cumulative bound in the provider's own GB; `null` is no bound. */
export interface Band {
  readonly uptoGb: number | null;
  readonly usd: number;
}

export type Bands = readonly [Band, ...Band[]];

/** The prices of one file. Every amount in USD, unrounded. */
export interface PriceSheet {
  readonly bytesPerGb: number;
  readonly storagePerGbMonth: Bands;
  readonly putUsd: number;
  readonly getUsd: number;
  readonly retrievalPerGb: number;
  readonly egressPerGb: Bands;
  /** Egress costs nothing up to this multiple of what is stored. */
  readonly egressFreeMultipleOfStorage: number;
  readonly minDays: number;
  readonly minBillableBytes: number;
  /** One sentence for each figure that comes from another region. */
  readonly assumptions: readonly string[];
}

/** A price with its source. */
export interface SourcedPrice<T> {
  readonly value: T;
  /** As the book names it. */
  readonly name: string;
  /** The region that it comes from; null where it is the region's own. */
  readonly fallbackRegion: string | null;
  readonly confidence: string;
}

/** The storage rate of objects from an age on. */
export interface StorageTier {
  readonly fromDay: number;
  readonly perGbMonth: SourcedPrice<Bands>;
}

/** The prices of a storage class in a region. Every amount in USD, unrounded. */
export interface ClassSheet {
  readonly storageClass: string;
  readonly region: string;
  readonly bytesPerGb: number;
  /** Its objects have to be restored before they can be read. */
  readonly archived: boolean;
  /** By age, the youngest first; several for a class with automatic tiers. */
  readonly tiers: readonly [StorageTier, ...StorageTier[]];
  /** Per object and month, of the objects that the class monitors. */
  readonly monitoring: SourcedPrice<number>;
  /** Bytes billed on top of each object, at the class's own rate and at the base class's. */
  readonly overhead: SourcedPrice<{ readonly ownBytes: number; readonly baseBytes: number }>;
  readonly put: SourcedPrice<number>;
  readonly get: SourcedPrice<number>;
  /** Zero for an archived class: its objects are not read. */
  readonly retrievalPerGb: SourcedPrice<number>;
  readonly egressPerGb: SourcedPrice<Bands>;
  readonly egressFreeMultipleOfStorage: number;
  readonly minDays: SourcedPrice<number>;
  readonly minBillableBytes: SourcedPrice<number>;
  /** Per object that a lifecycle rule moves into the class; null where the book has no such price. */
  readonly transition: SourcedPrice<number> | null;
}

interface Figure {
  readonly value:
    number | Bands | { readonly atClassRate: number; readonly atStandardRate: number };
  readonly confidence: string;
}

/** A limit of the provider, with its source in the book. */
interface Limit {
  readonly value: number;
}

export interface RegionData {
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
  /** The region whose figures apply where a region lacks its own; `*` applies to every region. */
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  readonly maxSinglePutBytes: Limit;
  readonly maxObjectBytes: Limit;
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

type SourcedFigure = SourcedPrice<Figure['value']>;

/** The tier of an object by its age, for a class with automatic tiers. */
const TIERS_BY_AGE = [
  { fromDay: 0, name: 'frequentPerGbMonth' },
  { fromDay: 30, name: 'infrequentPerGbMonth' },
  { fromDay: 90, name: 'archiveInstantPerGbMonth' },
] as const;

/** The figures of a class in a region; those of the provider's fallback region where it has none. */
function findFigures(provider: ProviderData, region: string, storageClass: string) {
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

/** @throws Error where neither the region nor the fallback region has a figure: a defect of the book. */
export function buildSheet(
  provider: ProviderData,
  region: string,
  storageClass: string,
): PriceSheet {
  const { ofClass, egress } = findFigures(provider, region, storageClass);
  const assumptions: string[] = [];
  const noted = (found: SourcedFigure | undefined) => {
    if (found?.fallbackRegion)
      assumptions.push(
        `${storageClass} ${found.name} in ${region} is priced as in ${found.fallbackRegion}`,
      );
    return found;
  };
  const required = (name: string, found: SourcedFigure | undefined): SourcedFigure => {
    if (!found) throw new Error(`the price book has no ${name} for ${storageClass} in ${region}`);
    return found;
  };
  const bands = (name: string, found: SourcedFigure | undefined) =>
    parseBands(required(name, noted(found)).value);
  const amount = (name: string) => parseAmount(required(name, noted(ofClass(name))).value);
  const limit = (name: string) => parseAmount(noted(ofClass(name))?.value ?? 0);

  return {
    bytesPerGb: provider.bytesPerGb,
    storagePerGbMonth: bands('storagePerGbMonth', ofClass('storagePerGbMonth')),
    putUsd: amount('putPer1000') / 1000,
    getUsd: amount('getPer1000') / 1000,
    retrievalPerGb: amount('retrievalPerGb'),
    egressPerGb: bands('egressPerGb', egress()),
    egressFreeMultipleOfStorage: provider.egressFreeMultipleOfStorage,
    minDays: limit('minDays'),
    minBillableBytes: limit('minBillableKiB') * 1024,
    assumptions,
  };
}

/** Null where neither the region nor its fallback lists the class with the figures needed. */
export function buildClassSheet(
  provider: ProviderData,
  region: string,
  storageClass: string,
): ClassSheet | null {
  const { ofClass, egress } = findFigures(provider, region, storageClass);
  const archived = provider.archivedClasses.includes(storageClass);
  const tiers = parseTiers(ofClass);
  const put = ofClass('putPer1000');
  const get = ofClass('getPer1000');
  const retrieval = archived ? absent('retrievalPerGb') : ofClass('retrievalPerGb');
  const egressPerGb = egress();
  if (!tiers || !put || !get || !retrieval || !egressPerGb) return null;
  const limit = (name: string) => ofClass(name) ?? absent(name);
  const transition = ofClass('transitionPer1000');

  return {
    storageClass,
    region,
    bytesPerGb: provider.bytesPerGb,
    archived,
    tiers,
    monitoring: perThousand(limit('monitoringPer1000ObjectsMonth')),
    overhead: sourced(limit('overheadKiB'), parseOverhead),
    put: perThousand(put),
    get: perThousand(get),
    retrievalPerGb: sourced(retrieval, parseAmount),
    egressPerGb: sourced(egressPerGb, parseBands),
    egressFreeMultipleOfStorage: provider.egressFreeMultipleOfStorage,
    minDays: sourced(limit('minDays'), parseAmount),
    minBillableBytes: sourced(limit('minBillableKiB'), (value) => parseAmount(value) * 1024),
    transition: transition ? perThousand(transition) : null,
  };
}

function parseTiers(
  ofClass: (name: string) => SourcedFigure | undefined,
): readonly [StorageTier, ...StorageTier[]] | null {
  const flat = ofClass('storagePerGbMonth');
  if (flat) return [{ fromDay: 0, perGbMonth: sourced(flat, parseBands) }];
  const tiers: StorageTier[] = [];
  for (const { fromDay, name } of TIERS_BY_AGE) {
    const rate = ofClass(name);
    if (rate) tiers.push({ fromDay, perGbMonth: sourced(rate, parseBands) });
  }
  const [first, ...rest] = tiers;
  return first && tiers.length === TIERS_BY_AGE.length ? [first, ...rest] : null;
}

/** A figure that neither region lists is free. */
function absent(name: string): SourcedFigure {
  return { value: 0, name, fallbackRegion: null, confidence: 'high' };
}

function sourced<T>(figure: SourcedFigure, read: (value: Figure['value']) => T): SourcedPrice<T> {
  return { ...figure, value: read(figure.value) };
}

function perThousand(figure: SourcedFigure): SourcedPrice<number> {
  return sourced(figure, (value) => parseAmount(value) / 1000);
}

function parseBands(value: Figure['value']): Bands {
  if (typeof value === 'number') return [{ uptoGb: null, usd: value }];
  if ('atClassRate' in value) throw new Error('the price book has a figure without bands');
  return value;
}

function parseAmount(value: Figure['value']): number {
  return parseBands(value)[0].usd;
}

function parseOverhead(value: Figure['value']): { ownBytes: number; baseBytes: number } {
  if (typeof value === 'number' || !('atClassRate' in value)) return { ownBytes: 0, baseBytes: 0 };
  return { ownBytes: value.atClassRate * 1024, baseBytes: value.atStandardRate * 1024 };
}
