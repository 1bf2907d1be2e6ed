import type { ProviderName } from './catalogue.ts';

/** A price that holds up to a cumulative bound in the provider's own GB; `null` is no bound. */
export interface Band {
  readonly uptoGb: number | null;
  readonly usd: number;
}

/** What one provider asks for one storage class in one region. Every amount in USD, unrounded. */
export interface PriceSheet {
  readonly bytesPerGb: number;
  readonly storagePerGbMonth: readonly [Band, ...Band[]];
  readonly putUsd: number;
  readonly getUsd: number;
  readonly retrievalPerGb: number;
  readonly egressPerGb: readonly [Band, ...Band[]];
  /** Egress costs nothing up to this multiple of what is stored. */
  readonly egressFreeMultipleOfStorage: number;
  readonly minDays: number;
  readonly minBillableBytes: number;
  /** Figures that another region had to lend, in words. */
  readonly assumptions: readonly string[];
}

/** The facts about prices, at one version. Every stored decision names that version. */
export interface PriceBook {
  readonly version: string;
  /** @throws Error where the book has no such provider or class at all: a defect of the book. */
  sheet(provider: ProviderName, region: string, storageClass: string): PriceSheet;
  /** The largest object that a single PUT may carry, in bytes. */
  maxSinglePutBytes(provider: ProviderName): number;
}

interface Figure {
  readonly value: number | readonly [Band, ...Band[]];
}

type ClassFigures = Readonly<Record<string, Figure>>;

interface RegionData {
  readonly classes: Readonly<Record<string, ClassFigures>>;
  readonly egressPerGb?: Figure;
}

interface ProviderData {
  readonly bytesPerGb: number;
  /** Whose figures stand in for the ones that a region lacks; `*` holds for every region. */
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  readonly maxSinglePutBytes: number;
  readonly regions: Readonly<Record<string, RegionData>>;
}

interface PriceBookData {
  readonly version: string;
  readonly providers: Readonly<Record<string, ProviderData>>;
}

/** Makes a price book of its data file (`data/price-book.json`). Sheets are built once. */
export function createPriceBook(data: unknown): PriceBook {
  const book = data as PriceBookData;
  if (typeof book.version !== 'string') throw new Error('the price book has no version');
  const sheets = new Map<string, PriceSheet>();

  const providerData = (provider: ProviderName): ProviderData => {
    const found = book.providers[provider];
    if (!found) throw new Error(`price book ${book.version} has no provider ${provider}`);
    return found;
  };

  return {
    version: book.version,
    sheet(provider, region, storageClass) {
      const id = `${provider}/${region}/${storageClass}`;
      const sheet = sheets.get(id) ?? buildSheet(providerData(provider), region, storageClass);
      sheets.set(id, sheet);
      return sheet;
    },
    maxSinglePutBytes: (provider) => providerData(provider).maxSinglePutBytes,
  };
}

function buildSheet(provider: ProviderData, region: string, storageClass: string): PriceSheet {
  const own = provider.regions[region];
  const lender = provider.regions[provider.fallbackRegion];
  const lendsSilently = provider.fallbackRegion === '*' || region === provider.fallbackRegion;
  const assumptions: string[] = [];

  const figure = (
    name: string,
    read: (data: RegionData) => Figure | undefined,
  ): Figure | undefined => {
    const found = own && read(own);
    if (found) return found;
    const lent = lender && read(lender);
    if (lent && !lendsSilently) {
      assumptions.push(
        `${storageClass} ${name} in ${region} is priced as in ${provider.fallbackRegion}`,
      );
    }
    return lent;
  };
  const ofClass = (name: string) => figure(name, (data) => data.classes[storageClass]?.[name]);
  const required = (name: string, found: Figure | undefined): Figure => {
    if (!found) throw new Error(`the price book has no ${name} for ${storageClass} in ${region}`);
    return found;
  };
  const amount = (name: string): number => amountOf(required(name, ofClass(name)));
  const limit = (name: string): number => amountOf(ofClass(name) ?? { value: 0 });

  return {
    bytesPerGb: provider.bytesPerGb,
    storagePerGbMonth: bandsOf(required('storagePerGbMonth', ofClass('storagePerGbMonth'))),
    putUsd: amount('putPer1000') / 1000,
    getUsd: amount('getPer1000') / 1000,
    retrievalPerGb: amount('retrievalPerGb'),
    egressPerGb: bandsOf(
      required(
        'egressPerGb',
        figure('egress', (data) => data.egressPerGb),
      ),
    ),
    egressFreeMultipleOfStorage: provider.egressFreeMultipleOfStorage,
    minDays: limit('minDays'),
    minBillableBytes: limit('minBillableKiB') * 1024,
    assumptions,
  };
}

function bandsOf(figure: Figure): readonly [Band, ...Band[]] {
  return typeof figure.value === 'number' ? [{ uptoGb: null, usd: figure.value }] : figure.value;
}

function amountOf(figure: Figure): number {
  return typeof figure.value === 'number' ? figure.value : figure.value[0].usd;
}
