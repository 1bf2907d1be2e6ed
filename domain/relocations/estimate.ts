import { LIST_PRICES } from '../bill/price-factors.ts';
import { quoteCopy } from '../decision/quote.ts';
import type { Quote } from '../decision/types.ts';
import { SIZE_BANDS } from '../inventory/bands.ts';
import { createAgeBands, sizeBandIndex } from '../inventory/classify.ts';
import { GroupSums } from '../inventory/group-sums.ts';
import type { Group } from '../inventory/inventory.ts';
import { addCount } from '../inventory/statistics.ts';
import { roundUsd } from '../pricing/money.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import type { StoreLocation } from '../providers/catalogue.ts';
import { sumBy } from '../common/sums.ts';

export interface RelocationEstimate {
  readonly files: number;
  readonly bytes: number;
  readonly quote: Quote;
  readonly monthlyBeforeUsd: number;
  readonly monthlyAfterUsd: number;
}

/** What the files are written with, at any store. */
export const FILE_CLASS = 'STANDARD';
const NO_PREFIXES: ReadonlySet<string> = new Set();
/** The quote of no files. */
export const NO_QUOTE: Quote = {
  egressUsd: 0,
  sourceRequestsUsd: 0,
  retrievalUsd: 0,
  earlyDeletionUsd: 0,
  destinationRequestsUsd: 0,
  transitionUsd: 0,
  totalUsd: 0,
  totalWithExitWaiverUsd: 0,
};

interface RelocatedFile {
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** Sums files for an estimate, by their ages at one moment. */
export class FileSums {
  readonly #groups: GroupSums;
  /** By index into `SIZE_BANDS`. */
  readonly bySize = SIZE_BANDS.map(() => ({ objects: 0, bytes: 0 }));
  readonly #ageBandOf;

  constructor({ minBillableSizes }: Pick<PriceBook, 'minBillableSizes'>, asOf: Date) {
    this.#groups = new GroupSums([], minBillableSizes);
    this.#ageBandOf = createAgeBands(asOf);
  }

  add({ sizeBytes, createdAt }: RelocatedFile): void {
    const lastModified = createdAt.toISOString();
    const object = { key: '', sizeBytes, lastModified, storageClass: FILE_CLASS };
    this.#groups.count(object, NO_PREFIXES, this.#ageBandOf);
    const ofSize = this.bySize[sizeBandIndex(sizeBytes)];
    if (ofSize) addCount(ofSize, { objects: 1, bytes: sizeBytes });
  }

  list(): readonly Group[] {
    return this.#groups.list();
  }
}

/** The price of the egress that a store gives for each GB that it stores, in GB. */
export function freeEgressGb(
  book: PriceBook,
  { provider, region }: StoreLocation,
  storedBytes: number,
): number {
  const { egressFreeMultipleOfStorage, bytesPerGb } = sheetAt(book, { provider, region });
  return (egressFreeMultipleOfStorage * storedBytes) / bytesPerGb;
}

/** Why nothing is copied. */
export function overLimit(totalUsd: number, maxTotalUsd: number): string {
  return `The estimate is ${totalUsd} USD, and at most ${maxTotalUsd} USD are allowed. Nothing was copied.`;
}

/** What a relocation costs once, and the storage of its files a month at both places. */
export function estimateRelocation(
  priceBook: PriceBook,
  { from, to }: { readonly from: StoreLocation; readonly to: StoreLocation },
  groups: readonly Group[],
  freeGb: number,
): RelocationEstimate {
  const files = sumBy(groups, ({ objects }) => objects);
  const bytes = sumBy(groups, (group) => group.bytes);
  const { provider: source, region } = from;
  const request = { priceBook, source, region, groups, target: to, priceFactors: LIST_PRICES };
  return {
    files,
    bytes,
    quote: files === 0 ? NO_QUOTE : quoteCopy({ ...request, freeEgressGb: freeGb }),
    monthlyBeforeUsd: monthlyUsd(priceBook, from, bytes),
    monthlyAfterUsd: monthlyUsd(priceBook, to, bytes),
  };
}

function monthlyUsd(book: PriceBook, place: StoreLocation, bytes: number): number {
  const { tiers, bytesPerGb } = sheetAt(book, place);
  return roundUsd((bytes / bytesPerGb) * tiers[0].perGbMonth.value[0].usd);
}

function sheetAt(
  book: PriceBook,
  { provider, region }: Pick<StoreLocation, 'provider' | 'region'>,
) {
  const sheet = book.classSheet(provider, region, book.baseClass(provider));
  if (!sheet) throw new Error(`the price book has no ${provider} in ${region}`);
  return sheet;
}
