import type { SheetFigures, StoreSheet } from '../providers/store-sheet.ts';
import { EVERY_REGION, type Bands, type ProviderData } from './price-data.ts';

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
  // Egress that a store refuses has no price.
  const egressPerGb = bands ?? (overagePerGb === null ? 0 : overagePerGb);
  const toClass = (figures: SheetFigures) => ({
    storagePerGbMonth: figures.storagePerGbMonth,
    putPer1000: figures.putPerRequest * 1000,
    getPer1000: figures.getPerRequest * 1000,
    listPer1000: sheet.listPerRequest * 1000,
    retrievalPerGb: figures.retrievalPerGb,
    minDays: figures.minDays,
    minBillableKiB: figures.minBillableBytes / 1024,
  });
  const others = Object.entries(sheet.classes ?? {}).map(([name, differs]) => [
    name,
    toClass({ ...sheet, ...differs }),
  ]);
  return {
    bytesPerGb: sheet.bytesPerGb,
    baseClass: 'STANDARD',
    archivedClasses: [],
    inPlaceSteps: [],
    floorUsdPerMonth: sheet.floorUsdPerMonth,
    egressFreeMultipleOfStorage: freeMultiple,
    refusesEgressBeyondFree: overagePerGb === null,
    regions: {
      [EVERY_REGION]: {
        confidence,
        classes: { STANDARD: toClass(sheet), ...Object.fromEntries(others) },
        egressPerGb,
      },
    },
  };
}
