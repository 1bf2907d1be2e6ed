import { decide } from '../../../domain/decision/decide.ts';
import type { ConfiguredStore } from '../../../domain/decision/types.ts';
import { arbitraryListing } from '../../oracle/arbitrary.ts';
import { compareDecision } from '../../oracle/compare.ts';
import { expectedOf, type ExpectedScan } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import type { ListedBucket, ListedObject, Listing } from '../../oracle/listing.ts';
import { createPriceBook, type PriceBook } from '../../../domain/pricing/price-book.ts';
import { morePrices, moreStores } from '../../oracle/other-stores.ts';
import { allStores, withPrices } from '../../oracle/prices.ts';
import { leftAlonePatterns, priceBook, priceBookData } from '../price-book.ts';

export const MIB = 2 ** 20;
export const STARTED_AT = new Date('2026-11-20T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** Ten thousand objects of 10 MiB each, so many days old. */
export function objects(
  key: string,
  ageDays: number,
  storageClass = 'STANDARD',
  { size = 10 * MIB, times = 10_000 } = {},
): ListedObject {
  const lastModified = new Date(STARTED_AT.getTime() - ageDays * DAY_MS);
  return { key, size, lastModified, storageClass, times };
}

/** Aborts incomplete uploads below a prefix where there are none. */
const ABORTING = {
  Status: 'Enabled',
  Filter: { Prefix: 'nothing/' },
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
};

export const bucketOf = (
  listed: readonly ListedObject[],
  more: Partial<ListedBucket> = {},
): ListedBucket => ({
  name: 'bucket',
  region: 'us-east-1',
  objects: listed,
  oldVersions: [],
  deleteMarkers: 0,
  uploads: [],
  createdAt: null,
  rules: [ABORTING],
  ...more,
});

export const listingOf = (
  buckets: readonly ListedBucket[],
  more: Partial<Listing> = {},
): Listing => ({
  startedAt: STARTED_AT,
  buckets,
  configured: ['aws', 'b2'],
  minMonthlySavingsUsd: 0,
  minMoveMonthlySavingsUsd: 0,
  horizonMonths: 12,
  ...more,
});

/**
 * The expected result of a listing. `decide` must agree with it in every figure, whatever the order of the buckets and
 * groups.
 */
export function agreed(listing: Listing, book = priceBook): ExpectedScan {
  const expected = expectedOf(listing);
  const inventory = inventoryOf(listing);
  const reversed = inventory.toReversed().map((bucket) => {
    const groups = bucket.groups.toReversed();
    return Object.assign({}, bucket, { groups });
  });
  const { source = 'aws' } = listing;
  const configured = configuredOf(listing, book);
  for (const buckets of [inventory, reversed]) {
    const found = compareDecision(
      decide({
        ...listing,
        buckets,
        source,
        configured,
        priceBook: book,
        patterns: leftAlonePatterns,
      }),
      expected,
    );
    if (found.length > 0) throw new Error(found.join('\n'));
  }
  return expected;
}

/** The stores of a listing's account, each in its region. */
export function configuredOf(
  { configured, regions }: Listing,
  { catalogue }: PriceBook,
): readonly ConfiguredStore[] {
  return configured.map((provider) => ({
    provider,
    region: regions?.[provider] ?? catalogue.entry(provider).defaultRegion,
  }));
}

export const MORE_SOURCES = withPrices(morePrices, allStores);
/** The stores that are read are in the listing's prices, so it is drawn with them. */
export const listingAmongMore = withPrices(morePrices, () =>
  arbitraryListing(['aws', 'aws', ...MORE_SOURCES]),
);

const moreBook = createPriceBook(priceBookData, moreStores);

/** As `agreed`, with stores besides that are cheaper. */
export const agreedAmongMore = (listing: Listing): ExpectedScan =>
  withPrices(morePrices, () => agreed(listing, moreBook));

/** As `agreed`, of one bucket with these objects. */
export const agreedOn = (listed: readonly ListedObject[], more: Partial<ListedBucket> = {}) =>
  agreed(listingOf([bucketOf(listed, more)]));
