import type { SheetFigures, StoreEgress, StoreSheet } from '../provider/store-sheet.ts';
import type { Band, ProviderData } from './figures.ts';

/** The sheet in the form of the price book; its figures hold in every region. */
export function toProviderData(sheet: StoreSheet, confidence = 'high'): ProviderData {
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
