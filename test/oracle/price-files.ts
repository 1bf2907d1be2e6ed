import { readFileSync } from 'node:fs';
import type { ProviderName } from '../../domain/provider/catalogue.ts';

/** The raw figures of the price book's file, and of the stores that it does not price: their own sheets. */

export type Band = { readonly uptoGb: number | null; readonly usd: number };

export interface RawFigure {
  readonly value: number | readonly Band[] | Readonly<Record<string, number>>;
  readonly confidence: string;
  /** What the value is to be multiplied by, as a decimal. */
  readonly times?: string;
}

export interface RawRegion {
  readonly classes: Readonly<Record<string, Readonly<Record<string, RawFigure>>>>;
  readonly egressPerGb?: RawFigure;
}

export interface RawProvider {
  readonly bytesPerGb: number;
  readonly fallbackRegion: string;
  readonly egressFreeMultipleOfStorage: number;
  readonly refusesEgressBeyondFree?: boolean;
  readonly floorUsdPerMonth?: number;
  readonly regions: Readonly<Record<string, RawRegion>>;
}

interface RawSheet {
  readonly bytesPerGb: number;
  readonly storagePerGbMonth: RawFigure['value'];
  readonly putPerRequest: number;
  readonly getPerRequest: number;
  readonly listPerRequest: number;
  readonly retrievalPerGb: number;
  readonly egress: {
    readonly free?: true;
    readonly freeMultiple?: number;
    readonly overagePerGb?: number | null;
    readonly bands?: readonly Band[];
  };
  readonly minDays: number;
  readonly minBillableBytes: number;
  readonly floorUsdPerMonth: number;
  readonly classes?: Readonly<Record<string, Partial<RawSheet>>>;
}

export interface RawStore {
  readonly provider: ProviderName;
  readonly regionExample: string;
  readonly defaultRegion?: string;
  readonly limits: { readonly objectBytes: number };
  readonly sheet?: RawSheet;
  readonly confidence?: string;
}

/** The files of prices and stores as they were read. */
export interface PriceData {
  readonly book: { readonly providers: Readonly<Record<string, RawProvider>> };
  readonly stores: readonly RawStore[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../data/${name}`, import.meta.url), 'utf8'));

/** The project's own. */
export const PROJECT_PRICES: PriceData = {
  book: read('price-book.json') as PriceData['book'],
  stores: read('stores.json') as PriceData['stores'],
};

/** The sheet of a store in the form of the price book. */
export function asProvider({ sheet, confidence = 'high' }: RawStore): RawProvider | undefined {
  if (sheet === undefined) return undefined;
  const figure = (value: RawFigure['value'], times = '1') => ({ value, times, confidence });
  const { egress } = sheet;
  const asClass = (figures: RawSheet) => ({
    storagePerGbMonth: figure(figures.storagePerGbMonth),
    putPer1000: figure(figures.putPerRequest, '1000'),
    getPer1000: figure(figures.getPerRequest, '1000'),
    listPer1000: figure(figures.listPerRequest, '1000'),
    retrievalPerGb: figure(figures.retrievalPerGb),
    minDays: figure(figures.minDays),
    minBillableKiB: figure(figures.minBillableBytes, '0.0009765625'),
  });
  const others = Object.entries(sheet.classes ?? {}).map(([name, own]) => [
    name,
    asClass({ ...sheet, ...own }),
  ]);
  return {
    bytesPerGb: sheet.bytesPerGb,
    fallbackRegion: '*',
    egressFreeMultipleOfStorage: egress.freeMultiple ?? 0,
    refusesEgressBeyondFree: egress.freeMultiple !== undefined && egress.overagePerGb === null,
    floorUsdPerMonth: sheet.floorUsdPerMonth,
    regions: {
      '*': {
        classes: { STANDARD: asClass(sheet), ...Object.fromEntries(others) },
        egressPerGb: figure(egress.bands ?? egress.overagePerGb ?? 0),
      },
    },
  };
}
