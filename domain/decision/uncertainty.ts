import type { ObjectStatistics } from '../inventory/inventory.ts';
import { objectsBelow } from '../inventory/statistics.ts';
import type { Bands, SourcedPrice } from '../pricing/figures.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';

/** A quantity that a price multiplies. Small objects are those below `SMALL_OBJECT_BYTES`. */
type Quantity =
  | 'objects'
  | 'bytes'
  | 'largeObjects'
  | 'largeBytes'
  | 'smallBytes'
  /** The objects below a minimum billable size. */
  | { readonly belowBytes: number };

/**
 * The quantities that an uncertain price multiplies. A price is uncertain if it comes from another
 * region or is not of high confidence.
 */
export type Uncertain = readonly Quantity[];

/** The uncertain prices of a class at one age, by what they are paid for. */
export interface PriceUncertainty {
  readonly storage: Uncertain;
  /** Storage and reads. */
  readonly monthly: Uncertain;
  /** Leaving the source, except its listing and egress. */
  readonly leaving: Uncertain;
  /** Arriving at the target. */
  readonly arriving: Uncertain;
}

export interface UncertaintyTerms {
  readonly sheet: ClassSheet;
  /** The storage rate at this age. */
  readonly tier: SourcedPrice<Bands>;
  /** The rate of the part of an object's overhead that is billed in the base class. */
  readonly basePerGbMonth: SourcedPrice<Bands>;
  /** By how much the storage of larger objects is multiplied. */
  readonly tierFactor: number;
  readonly reads: { readonly gets: number; readonly bytes: number };
  /** Whether the heaviest reads are charged as egress. */
  readonly paysEgress: boolean;
  /** Whether objects of this age are below the minimum days. */
  readonly paysEarlyDeletion: boolean;
}

/** Whether an uncertain price adds a non-zero amount to the cost of some objects. */
export function isUncertain(uncertain: Uncertain, statistics: ObjectStatistics): boolean {
  return uncertain.some((quantity) => quantityAmount(quantity, statistics) > 0);
}

export function computeUncertainty(terms: UncertaintyTerms): PriceUncertainty {
  const { sheet } = terms;
  const storage = storageUncertainty(terms);
  const reads = [
    ...(terms.reads.gets > 0 ? uncertainPrice(sheet.get, 'objects') : []),
    ...(terms.reads.bytes > 0 ? uncertainPrice(sheet.retrievalPerGb, 'bytes') : []),
    ...(terms.paysEgress ? uncertainPrice(sheet.egressPerGb, 'bytes') : []),
  ];
  const earlyDeletion = isZero(sheet.tiers[0].perGbMonth.value)
    ? []
    : [
        ...uncertainPrice(sheet.minDays, 'bytes'),
        ...filledQuantities(sheet).flatMap((filled) => uncertainPrice(sheet.minDays, filled)),
      ];
  return {
    storage,
    monthly: sheet.archived ? storage : [...storage, ...reads],
    leaving: [
      ...uncertainPrice(sheet.get, 'objects'),
      ...uncertainPrice(sheet.retrievalPerGb, 'bytes'),
      ...(terms.paysEarlyDeletion ? earlyDeletion : []),
    ],
    arriving: uncertainPrice(sheet.put, 'objects'),
  };
}

/** The quantity if its price is uncertain and not zero, else nothing. */
export function uncertainPrice(price: SourcedPrice<number | object>, of: Quantity): Uncertain {
  const isSure = price.fallbackRegion === null && price.confidence === 'high';
  return isSure || isZero(price.value) ? [] : [of];
}

function storageUncertainty(terms: UncertaintyTerms): Uncertain {
  const { sheet, tier, tierFactor, basePerGbMonth } = terms;
  const young = sheet.tiers[0].perGbMonth;
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const filled = filledQuantities(sheet);
  const isFree = isZero(young.value);
  const isOverheadFree = isFree && isZero(basePerGbMonth.value);
  return [
    ...(tierFactor > 0 ? uncertainPrice(tier, 'largeBytes') : []),
    ...uncertainPrice(young, 'smallBytes'),
    ...filled.flatMap((quantity) => uncertainPrice(young, quantity)),
    ...(isFree
      ? []
      : filled.flatMap((quantity) => uncertainPrice(sheet.minBillableBytes, quantity))),
    ...uncertainPrice(sheet.monitoring, 'largeObjects'),
    ...(ownBytes > 0
      ? [
          ...uncertainPrice(young, 'objects'),
          ...(isOverheadFree ? [] : uncertainPrice(sheet.overhead, 'objects')),
        ]
      : []),
    ...(baseBytes > 0 ? uncertainPrice(basePerGbMonth, 'objects') : []),
  ];
}

/** The objects that are billed as larger than they are. */
function filledQuantities({ minBillableBytes: { value } }: ClassSheet): readonly Quantity[] {
  return value === 0 ? [] : [{ belowBytes: value }];
}

function isZero(price: number | object): boolean {
  return Array.isArray(price) ? price.every(({ usd }) => usd === 0) : price === 0;
}

function quantityAmount(quantity: Quantity, statistics: ObjectStatistics): number {
  if (typeof quantity === 'object') return objectsBelow(statistics, quantity.belowBytes).objects;
  switch (quantity) {
    case 'objects':
      return statistics.objects;
    case 'bytes':
      return statistics.bytes;
    case 'largeObjects':
      return statistics.objects - statistics.smallObjects;
    case 'largeBytes':
      return statistics.bytes - statistics.smallBytes;
    case 'smallBytes':
      return statistics.smallBytes;
  }
}
