import {
  absent,
  findFigures,
  parseAmount,
  parseBands,
  parseOverhead,
  perThousand,
  sourced,
  type Bands,
  type ProviderData,
  type SourcedFigure,
  type SourcedPrice,
} from './price-data.ts';

/** The prices of one storage class of one provider in one region, from the price book's figures. */

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
  /** Per request that lists up to 1,000 keys; that of a put where the book has no other. */
  readonly list: SourcedPrice<number>;
  /** Zero for an archived class: its objects are not read. */
  readonly retrievalPerGb: SourcedPrice<number>;
  readonly egressPerGb: SourcedPrice<Bands>;
  /** Egress costs nothing up to this multiple of what is stored. */
  readonly egressFreeMultipleOfStorage: number;
  /** More egress than what is free is against the provider's terms. */
  readonly refusesEgressBeyondFree: boolean;
  readonly minDays: SourcedPrice<number>;
  readonly minBillableBytes: SourcedPrice<number>;
  /** Per object that a lifecycle rule moves into the class; null if the book has no such price. */
  readonly transition: SourcedPrice<number> | null;
}

/** The figures of a sheet that are not zero, each once. */
export function figuresOf(sheet: ClassSheet): readonly SourcedPrice<unknown>[] {
  const { monitoring, overhead, put, get, list, retrievalPerGb, egressPerGb } = sheet;
  const { minDays, minBillableBytes, transition } = sheet;
  const amounts = [monitoring, put, get, retrievalPerGb, minDays, minBillableBytes];
  return [
    ...sheet.tiers.map(({ perGbMonth }) => perGbMonth),
    ...(overhead.value.ownBytes > 0 ? [overhead] : []),
    ...amounts.filter(({ value }) => value > 0),
    ...(list.name !== put.name && list.value > 0 ? [list] : []),
    ...(transition ? [transition] : []),
    ...(egressPerGb.value.some(({ usd }) => usd > 0) ? [egressPerGb] : []),
  ];
}

/** Whether every figure of a sheet is its region's own, and of high confidence. */
export function isSureSheet(sheet: ClassSheet): boolean {
  return figuresOf(sheet).every(isSure);
}

export function isSure({ fallbackRegion, confidence }: SourcedPrice<unknown>): boolean {
  return fallbackRegion === null && confidence === 'high';
}

/** The tier of an object by its age, for a class with automatic tiers. */
const TIERS_BY_AGE = [
  { fromDay: 0, name: 'frequentPerGbMonth' },
  { fromDay: 30, name: 'infrequentPerGbMonth' },
  { fromDay: 90, name: 'archiveInstantPerGbMonth' },
] as const;

/** Null if the book does not list the class with the figures needed. */
export function buildSheet(
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
    list: perThousand(ofClass('listPer1000') ?? put),
    retrievalPerGb: sourced(retrieval, parseAmount),
    egressPerGb: sourced(egressPerGb, parseBands),
    egressFreeMultipleOfStorage: provider.egressFreeMultipleOfStorage,
    refusesEgressBeyondFree: provider.refusesEgressBeyondFree ?? false,
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
