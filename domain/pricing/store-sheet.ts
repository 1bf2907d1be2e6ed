import type { Band, ProviderData } from './figures.ts';

/** The prices of a store as its entry of the catalogue has them. Amounts in USD. */
export interface StoreSheet extends SheetFigures {
  readonly bytesPerGb: number;
  readonly storageNote?: string;
  readonly listPerRequest: number;
  readonly egress: StoreEgress;
  /** The least that it charges a month. */
  readonly floorUsdPerMonth: number;
  /** What differs in other storage classes, by their name. */
  readonly classes?: Readonly<Record<string, Partial<SheetFigures>>>;
}

/** The figures of one storage class. */
interface SheetFigures {
  readonly storagePerGbMonth: number | readonly [Band, ...Band[]];
  readonly putPerRequest: number;
  readonly getPerRequest: number;
  readonly retrievalPerGb: number;
  readonly minDays: number;
  readonly minBillableBytes: number;
}

/** Free; or free up to a multiple of what is stored, then at a price or (null) against the terms; or by bands. */
export type StoreEgress = { readonly note?: string } & (
  | { readonly free: true }
  | { readonly freeMultiple: number; readonly overagePerGb: number | null }
  | { readonly bands: readonly [Band, ...Band[]] }
);

/** The sheet in the form of the price book; its figures hold in every region. */
export function toProviderData(
  sheet: StoreSheet,
  source = 'stores',
  confidence = 'high',
): ProviderData {
  const figure = <T>(value: T) => ({ value, source, confidence });
  const toClass = (figures: SheetFigures) => ({
    storagePerGbMonth: figure(figures.storagePerGbMonth),
    putPer1000: figure(figures.putPerRequest * 1000),
    getPer1000: figure(figures.getPerRequest * 1000),
    listPer1000: figure(sheet.listPerRequest * 1000),
    retrievalPerGb: figure(figures.retrievalPerGb),
    minDays: figure(figures.minDays),
    minBillableKiB: figure(figures.minBillableBytes / 1024),
  });
  const others = Object.entries(sheet.classes ?? {}).map(([name, differs]) => [
    name,
    toClass({ ...sheet, ...differs }),
  ]);
  return {
    bytesPerGb: sheet.bytesPerGb,
    fallbackRegion: '*',
    baseClass: 'STANDARD',
    archivedClasses: [],
    inPlaceSteps: [],
    floorUsdPerMonth: sheet.floorUsdPerMonth,
    ...toEgress(sheet.egress),
    regions: {
      '*': {
        classes: { STANDARD: toClass(sheet), ...Object.fromEntries(others) },
        egressPerGb: figure(egressPrice(sheet.egress)),
      },
    },
  };
}

function toEgress(egress: StoreEgress) {
  if (!('freeMultiple' in egress))
    return { egressFreeMultipleOfStorage: 0, refusesEgressBeyondFree: false };
  return {
    egressFreeMultipleOfStorage: egress.freeMultiple,
    refusesEgressBeyondFree: egress.overagePerGb === null,
  };
}

function egressPrice(egress: StoreEgress): number | readonly [Band, ...Band[]] {
  if ('bands' in egress) return egress.bands;
  return 'freeMultiple' in egress ? (egress.overagePerGb ?? 0) : 0;
}
