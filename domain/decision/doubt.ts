import type { Bands, ClassSheet, Known } from '../price-sheet.ts';
import type { Tally } from '../inventory/inventory.ts';

/**
 * Which doubtful figures add something to an answer. A figure is doubtful where another region lent
 * it or the book is not sure of it; it adds something only where there is what it is asked for. Both
 * are sets of bits over what objects may have.
 */
const HAS = {
  objects: 1,
  bytes: 2,
  largeObjects: 4,
  largeBytes: 8,
  smallObjects: 16,
  smallBytes: 32,
} as const;

/** For each purpose the bits of what a doubtful figure is asked for. */
export interface Doubts {
  /** Storage alone. */
  readonly storage: number;
  /** Storage and reads. */
  readonly monthly: number;
  /** What leaving costs at the source, but for its storage and its listing. */
  readonly leaving: number;
  /** What arriving costs at the target. */
  readonly arriving: number;
}

export interface DoubtTerms {
  readonly sheet: ClassSheet;
  /** The storage rate at this age. */
  readonly tier: Known<Bands>;
  readonly basePerGbMonth: Known<Bands>;
  /** Reads that are charged as egress in the dearest of the assumptions. */
  readonly heavyEgressReads: number;
  readonly earlyDeletionDays: number;
}

function isSure(figure: Known<unknown>): boolean {
  return figure.lentBy === null && figure.confidence === 'high';
}

/** Whether a figure with these doubts adds something to what some objects cost. */
export function isDoubtful(doubts: number, tally: Tally): boolean {
  return (doubts & hasOf(tally)) !== 0;
}

export function doubtsOf(terms: DoubtTerms): Doubts {
  const { sheet, earlyDeletionDays } = terms;
  const storage = storageDoubts(terms);
  const reads =
    doubt(sheet.get, HAS.objects) |
    doubt(sheet.retrievalPerGb, HAS.bytes) |
    (terms.heavyEgressReads > 0 ? doubt(sheet.egressPerGb, HAS.bytes) : 0);
  const padding = sheet.minBillableBytes.value > 0 ? HAS.smallObjects : 0;
  const earlyDeletion = earlyDeletionDays > 0 ? doubt(sheet.minDays, HAS.bytes | padding) : 0;
  return {
    storage,
    monthly: storage | (sheet.archived ? 0 : reads),
    leaving:
      doubt(sheet.egressPerGb, HAS.bytes) |
      doubt(sheet.get, HAS.objects) |
      doubt(sheet.retrievalPerGb, HAS.bytes) |
      earlyDeletion,
    arriving: requestDoubts(sheet.put),
  };
}

/** The doubts of a price that is asked for each object. */
export function requestDoubts(figure: Known<unknown>): number {
  return doubt(figure, HAS.objects);
}

function storageDoubts({ sheet, tier, basePerGbMonth }: DoubtTerms): number {
  const young = sheet.tiers[0].perGbMonth;
  const { ownBytes, baseBytes } = sheet.overhead.value;
  const isPadded = sheet.minBillableBytes.value > 0;
  return (
    doubt(tier, HAS.largeBytes) |
    doubt(young, isPadded ? HAS.smallObjects : HAS.smallBytes) |
    (isPadded ? doubt(sheet.minBillableBytes, HAS.smallObjects) : 0) |
    doubt(sheet.monitoring, HAS.largeObjects) |
    (ownBytes > 0 ? doubt(young, HAS.objects) | doubt(sheet.overhead, HAS.objects) : 0) |
    (baseBytes > 0 ? doubt(basePerGbMonth, HAS.objects) : 0)
  );
}

function doubt(figure: Known<unknown>, has: number): number {
  return isSure(figure) || isNothing(figure.value) ? 0 : has;
}

function isNothing(value: unknown): boolean {
  return Array.isArray(value) ? value.every(({ usd }) => usd === 0) : value === 0;
}

function hasOf(tally: Tally): number {
  return (
    (tally.objects > 0 ? HAS.objects : 0) |
    (tally.bytes > 0 ? HAS.bytes : 0) |
    (tally.objects > tally.smallObjects ? HAS.largeObjects : 0) |
    (tally.bytes > tally.smallBytes ? HAS.largeBytes : 0) |
    (tally.smallObjects > 0 ? HAS.smallObjects : 0) |
    (tally.smallBytes > 0 ? HAS.smallBytes : 0)
  );
}
