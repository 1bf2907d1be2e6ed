import { sumBy } from '../common/sums.ts';
import { UPLOAD_CLASS, type StoreLocation } from '../providers/catalogue.ts';
import type { Group } from '../inventory/inventory.ts';
import { bandedUsd } from '../pricing/cost.ts';
import { roundUsd } from '../pricing/money.ts';
import { requireSheet, type PriceBook } from '../pricing/price-book.ts';
import type { ClassSheet } from '../pricing/price-sheet.ts';
import { estimateRelocation, type RelocationEstimate } from '../relocations/estimate.ts';
import {
  MAX_SAMPLE_FILES,
  PAGE_FILES,
  type BytesUsd,
  type DrillResults,
  type SampleSize,
} from './drill.ts';

export interface DrillEstimate extends RelocationEstimate {
  /** Reading the copies back at the target: requests and egress. */
  readonly readBackUsd: number;
  readonly totalUsd: number;
}

export interface DrillPlaces {
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  /** Egress that costs nothing, in GB. */
  readonly freeGb: { readonly from: number; readonly to: number };
}

/** The groups of the objects that can be read and have a price. */
export function readable(
  book: Pick<PriceBook, 'classSheet'>,
  { provider, region }: StoreLocation,
  groups: readonly Group[],
): readonly Group[] {
  return groups.filter(
    ({ storageClass }) => book.classSheet(provider, region, storageClass)?.archived === false,
  );
}

/** How many files a sample has, by the mean of all. */
export function filesFor(size: SampleSize, whole: { files: number; bytes: number }): number {
  const mean = whole.bytes / Math.max(1, whole.files);
  const wanted = 'files' in size ? size.files : Math.round(size.bytes / Math.max(1, mean));
  return Math.min(Math.max(1, wanted), whole.files, MAX_SAMPLE_FILES);
}

/** Groups as large as a sample of all groups with so many files and bytes. */
export function scaleGroups(
  groups: readonly Group[],
  { files, bytes }: { readonly files: number; readonly bytes: number },
): readonly Group[] {
  const share = (of: number, all: number) => (all === 0 ? 0 : of / all);
  const byFiles = share(
    files,
    sumBy(groups, ({ objects }) => objects),
  );
  const byBytes = share(
    bytes,
    sumBy(groups, (group) => group.bytes),
  );
  return groups.map(({ prefix, storageClass, ageBand, ...counts }) => ({
    prefix,
    storageClass,
    ageBand,
    objects: counts.objects * byFiles,
    bytes: counts.bytes * byBytes,
    smallObjects: counts.smallObjects * byFiles,
    smallBytes: counts.smallBytes * byFiles,
    partRequests: counts.partRequests * byBytes,
  }));
}

/** What bytes cost that are copied and read back. */
export function priceBytes(book: PriceBook, places: DrillPlaces, bytes: number): BytesUsd {
  const { from, to, freeGb } = places;
  const source = requireSheet(book, from.provider, from.region, book.baseClass(from.provider));
  const target = requireSheet(book, to.provider, to.region, UPLOAD_CLASS);
  const egressUsd = ({ egressPerGb, bytesPerGb }: ClassSheet, freeOf: number) =>
    bandedUsd(egressPerGb.value, Math.max(0, bytes / bytesPerGb - freeOf));
  const { tiers, bytesPerGb, minDays } = target;
  const monthUsd = (bytes / bytesPerGb) * tiers[0].perGbMonth.value[0].usd;
  return {
    read: egressUsd(source, freeGb.from),
    readBack: egressUsd(target, freeGb.to),
    kept: (monthUsd * minDays.value) / DAYS_OF_MONTH,
  };
}

/**
 * What a drill costs at most, if nothing fails: the quote of its copies, the listing of all objects
 * that it is sampled from, reading the copies back, and removing them. Nothing is deleted at the
 * source: `earlyDeletionUsd` is that of the copies.
 *
 * | requests at | for                                                                          |
 * | ----------- | ---------------------------------------------------------------------------- |
 * | the source  | each object and part: a HEAD and a GET                                       |
 * | the target  | each object: a PUT, a GET to read it back, a HEAD that finds nothing (a GET, too) |
 * | the target  | each part and each page of the sample: the same HEAD                         |
 * | the target  | a listing of each page, and those of the removal                             |
 *
 * @param listed the objects that are listed; 0 for the files of the service
 */
export function estimateDrill(
  book: PriceBook,
  places: DrillPlaces,
  groups: readonly Group[],
  listed: number,
): DrillEstimate {
  const { from, to, freeGb } = places;
  const estimate = estimateRelocation(book, places, groups, freeGb.from);
  const { files, bytes, quote } = estimate;
  const sheetOf = (storageClass: string) =>
    requireSheet(book, from.provider, from.region, storageClass);
  const pages = Math.max(0, Math.ceil(listed / 1000) - Math.ceil(files / 1000));
  const sourceUsd =
    pages * sheetOf(book.baseClass(from.provider)).list.value +
    sumBy(
      groups,
      ({ objects, partRequests, storageClass }) =>
        (objects + partRequests) * sheetOf(storageClass).get.value,
    );
  const target = requireSheet(book, to.provider, to.region, UPLOAD_CLASS);
  const heads = files + Math.ceil(files / PAGE_FILES) + sumBy(groups, (each) => each.partRequests);
  const lists = Math.ceil(files / PAGE_FILES) + 2 * Math.ceil(files / 1000) + REMOVAL_LISTS;
  const targetUsd = 2 * heads * target.get.value + lists * target.list.value;
  const { kept, readBack } = priceBytes(book, places, bytes);
  const readBackUsd = roundUsd(files * target.get.value + readBack);
  const withoutEgressUsd =
    quote.totalWithExitWaiverUsd - quote.earlyDeletionUsd + sourceUsd + targetUsd + kept;
  const totalUsd = roundUsd(withoutEgressUsd + quote.egressUsd);
  return {
    ...estimate,
    files: Math.round(files),
    bytes: Math.round(bytes),
    quote: {
      ...quote,
      sourceRequestsUsd: roundUsd(quote.sourceRequestsUsd + sourceUsd),
      destinationRequestsUsd: roundUsd(quote.destinationRequestsUsd + targetUsd),
      earlyDeletionUsd: roundUsd(kept),
      totalUsd,
      totalWithExitWaiverUsd: roundUsd(withoutEgressUsd),
    },
    readBackUsd,
    totalUsd: roundUsd(totalUsd + readBackUsd),
  };
}

/** The listing of uploads, and the last ones of objects and versions, which are empty. */
const REMOVAL_LISTS = 3;
const DAYS_OF_MONTH = 30;
const WORKERS = 2;
/** A store is not as fast at every hour. */
const FASTER = 0.8;
const SLOWER = 1.25;
const HOUR_MS = 3_600_000;

/**
 * How long the copy of all takes two workers. Time goes by objects where they are small, and by
 * bytes where they are large: the range has both, with a margin. Null: nothing was measured.
 *
 * | copied                  | all                   | hours          |
 * | ----------------------- | --------------------- | -------------- |
 * | 100 of 1 MB in 10 s     | 1,000,000 of 1 MB     | 11.1 to 17.4   |
 * | 100 of 1 MB in 10 s     | 1,000,000 of 2 MB     | 11.1 to 34.7   |
 * | none                    | any                   | null           |
 */
export function hoursForAll(
  { copied, bytesCopied }: Pick<DrillResults, 'copied' | 'bytesCopied'>,
  copyMs: number,
  whole: { readonly files: number; readonly bytes: number },
): { readonly hoursFrom: number; readonly hoursTo: number } | null {
  if (copied === 0 || copyMs === 0) return null;
  const byFiles = (whole.files / copied) * copyMs;
  const byBytes = bytesCopied === 0 ? byFiles : (whole.bytes / bytesCopied) * copyMs;
  const toHours = (ms: number) => Math.round((ms / WORKERS / HOUR_MS) * 10) / 10;
  return {
    hoursFrom: toHours(Math.min(byFiles, byBytes) * FASTER),
    hoursTo: toHours(Math.max(byFiles, byBytes) * SLOWER),
  };
}
