import type { SheetFigures, StoreSheet } from '../provider/store-sheet.ts';
import type { Bands, ProviderData } from './figures.ts';

/** The figures of each form of egress. */
interface EgressTerms {
  readonly note?: string;
  readonly freeMultiple?: number;
  readonly overagePerGb?: number | null;
  readonly bands?: Bands;
}

/** The sheet in the form of the price book; its figures hold in every region. */
export function toProviderData(sheet: StoreSheet, confidence = 'high'): ProviderData {
  const { freeMultiple = 0, overagePerGb = 0, bands }: EgressTerms = sheet.egress;
  const figure = <T>(value: T) => ({ value, confidence });
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
    egressFreeMultipleOfStorage: freeMultiple,
    refusesEgressBeyondFree: overagePerGb === null,
    regions: {
      '*': {
        classes: { STANDARD: toClass(sheet), ...Object.fromEntries(others) },
        egressPerGb: figure(bands ?? overagePerGb ?? 0),
      },
    },
  };
}
