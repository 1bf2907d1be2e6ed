/** What one provider asks for one storage class in one region, made of the price book's figures. */

/** A price that holds up to a cumulative bound in the provider's own GB; `null` is no bound. */
export interface Band {
  readonly uptoGb: number | null;
  readonly usd: number;
}

export type Bands = readonly [Band, ...Band[]];

/** What one file is priced by. Every amount in USD, unrounded. */
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
  /** Figures that another region had to lend, in words. */
  readonly assumptions: readonly string[];
}

/** A figure with what is known of it. */
export interface Known<T> {
  readonly value: T;
  /** As the book names it. */
  readonly name: string;
  /** The region that lent it, null where it is the region's own. */
  readonly lentBy: string | null;
  readonly confidence: string;
}

/** The storage rate of objects from an age on. */
export interface StorageTier {
  readonly fromDay: number;
  readonly perGbMonth: Known<Bands>;
}

/** What the stock of a storage class is priced by. Every amount in USD, unrounded. */
export interface ClassSheet {
  readonly storageClass: string;
  readonly region: string;
  readonly bytesPerGb: number;
  /** Its objects have to be restored before they can be read. */
  readonly archived: boolean;
  /** By age, the youngest first; several where the class moves objects between tiers by itself. */
  readonly tiers: readonly [StorageTier, ...StorageTier[]];
  /** Per object and month, of the objects that the class watches. */
  readonly monitoring: Known<number>;
  /** Bytes billed on top of each object, at the class's own rate and at the base class's. */
  readonly overhead: Known<{ readonly ownBytes: number; readonly baseBytes: number }>;
  readonly put: Known<number>;
  readonly get: Known<number>;
  /** Zero for an archived class: its objects are not read. */
  readonly retrievalPerGb: Known<number>;
  readonly egressPerGb: Known<Bands>;
  readonly egressFreeMultipleOfStorage: number;
  readonly minDays: Known<number>;
  readonly minBillableBytes: Known<number>;
  /** Per object that a rule brings into the class; null where the book has no such price. */
  readonly transition: Known<number> | null;
}

interface Figure {
  readonly value:
    number | Bands | { readonly atClassRate: number; readonly atStandardRate: number };
  readonly confidence: string;
}

export interface RegionData {
  readonly classes: Readonly<Record<string, Readonly<Record<string, Figure>>>>;
  readonly egressPerGb?: Figure;
}

export interface ProviderData {
  readonly bytesPerGb: number;
  /** Whose figures stand in for the ones that a region lacks; `*` holds for every region. */
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  readonly maxSinglePutBytes: number;
  /** What listings, parts of uploads and classes without a sheet are priced by. */
  readonly baseClass: string;
  readonly archivedClasses: readonly string[];
  readonly inPlaceSteps: readonly {
    readonly from: string;
    readonly to: string;
    readonly minAgeDays: number;
  }[];
  readonly regions: Readonly<Record<string, RegionData>>;
}

type KnownFigure = Known<Figure['value']>;

/** How the rate of a class that moves objects between tiers follows their age. */
const TIERS_BY_AGE = [
  { fromDay: 0, name: 'frequentPerGbMonth' },
  { fromDay: 30, name: 'infrequentPerGbMonth' },
  { fromDay: 90, name: 'archiveInstantPerGbMonth' },
] as const;

/** The figures of a class as a region has them, or as its provider's fallback lends them. */
function figuresOf(provider: ProviderData, region: string, storageClass: string) {
  const own = provider.regions[region];
  const { fallbackRegion } = provider;
  const lender = provider.regions[fallbackRegion];
  const lendsSilently = fallbackRegion === '*' || region === fallbackRegion;

  const figure = (
    name: string,
    read: (data: RegionData) => Figure | undefined,
  ): KnownFigure | undefined => {
    const found = own && read(own);
    if (found) return { value: found.value, name, lentBy: null, confidence: found.confidence };
    const lent = lender && read(lender);
    const lentBy = lendsSilently ? null : fallbackRegion;
    return lent && { value: lent.value, name, lentBy, confidence: lent.confidence };
  };
  return {
    ofClass: (name: string) => figure(name, (data) => data.classes[storageClass]?.[name]),
    egress: () => figure('egress', (data) => data.egressPerGb),
  };
}

/** @throws Error where a figure is neither the region's own nor lent: a defect of the book. */
export function buildSheet(
  provider: ProviderData,
  region: string,
  storageClass: string,
): PriceSheet {
  const { ofClass, egress } = figuresOf(provider, region, storageClass);
  const assumptions: string[] = [];
  const told = (found: KnownFigure | undefined) => {
    if (found?.lentBy)
      assumptions.push(
        `${storageClass} ${found.name} in ${region} is priced as in ${found.lentBy}`,
      );
    return found;
  };
  const required = (name: string, found: KnownFigure | undefined): KnownFigure => {
    if (!found) throw new Error(`the price book has no ${name} for ${storageClass} in ${region}`);
    return found;
  };
  const bands = (name: string, found: KnownFigure | undefined) =>
    bandsOf(required(name, told(found)).value);
  const amount = (name: string) => amountOf(required(name, told(ofClass(name))).value);
  const limit = (name: string) => amountOf(told(ofClass(name))?.value ?? 0);

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
  const { ofClass, egress } = figuresOf(provider, region, storageClass);
  const archived = provider.archivedClasses.includes(storageClass);
  const tiers = tiersOf(ofClass);
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
    overhead: known(limit('overheadKiB'), overheadOf),
    put: perThousand(put),
    get: perThousand(get),
    retrievalPerGb: known(retrieval, amountOf),
    egressPerGb: known(egressPerGb, bandsOf),
    egressFreeMultipleOfStorage: provider.egressFreeMultipleOfStorage,
    minDays: known(limit('minDays'), amountOf),
    minBillableBytes: known(limit('minBillableKiB'), (value) => amountOf(value) * 1024),
    transition: transition ? perThousand(transition) : null,
  };
}

function tiersOf(
  ofClass: (name: string) => KnownFigure | undefined,
): readonly [StorageTier, ...StorageTier[]] | null {
  const flat = ofClass('storagePerGbMonth');
  if (flat) return [{ fromDay: 0, perGbMonth: known(flat, bandsOf) }];
  const tiers: StorageTier[] = [];
  for (const { fromDay, name } of TIERS_BY_AGE) {
    const rate = ofClass(name);
    if (rate) tiers.push({ fromDay, perGbMonth: known(rate, bandsOf) });
  }
  const [first, ...rest] = tiers;
  return first && tiers.length === TIERS_BY_AGE.length ? [first, ...rest] : null;
}

/** A figure that neither region lists: nothing is asked for it. */
function absent(name: string): KnownFigure {
  return { value: 0, name, lentBy: null, confidence: 'high' };
}

function known<T>(figure: KnownFigure, read: (value: Figure['value']) => T): Known<T> {
  return { ...figure, value: read(figure.value) };
}

function perThousand(figure: KnownFigure): Known<number> {
  return known(figure, (value) => amountOf(value) / 1000);
}

function bandsOf(value: Figure['value']): Bands {
  if (typeof value === 'number') return [{ uptoGb: null, usd: value }];
  if ('atClassRate' in value) throw new Error('the price book has a figure without bands');
  return value;
}

function amountOf(value: Figure['value']): number {
  return bandsOf(value)[0].usd;
}

function overheadOf(value: Figure['value']): { ownBytes: number; baseBytes: number } {
  if (typeof value === 'number' || !('atClassRate' in value)) return { ownBytes: 0, baseBytes: 0 };
  return { ownBytes: value.atClassRate * 1024, baseBytes: value.atStandardRate * 1024 };
}
